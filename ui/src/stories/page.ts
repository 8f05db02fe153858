// A page for tests: what jsdom lacks of a screen, a component or the whole window in it, and a rest until it has its answers.

import { clearMocks } from "@tauri-apps/api/mocks";
import { flushSync, mount, tick, unmount, type Component } from "svelte";
import { afterEach, beforeEach, vi } from "vitest";
import App from "../App.svelte";
import { AppState } from "../shell/desk.svelte";
import { play, type Mood } from "./engine";

let shown: Record<string, unknown> | null = null;

/** Gives each test of a file an empty page with nothing kept, and takes away what it has shown. */
export function page(): void {
  beforeEach(() => {
    localStorage.clear();
    document.body.innerHTML = "";
    document.documentElement.lang = "en";
    document.documentElement.style.fontSize = "16px";
    vi.stubGlobal("CSS", { escape: (text: string) => text.replace(/[^\w-]/g, "\\$&") });
    vi.stubGlobal("ResizeObserver", class { observe() {} unobserve() {} disconnect() {} });
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    HTMLCanvasElement.prototype.getContext = () => null;
    Element.prototype.scrollTo = () => {};
    Element.prototype.scrollIntoView = () => {};
    HTMLDialogElement.prototype.showModal = function () {
      this.open = true;
    };
    HTMLDialogElement.prototype.close = function () {
      this.open = false;
    };
  });
  afterEach(() => {
    leave();
    clearMocks();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** Shows a component in the place of the one before. */
export function show<P extends object>(view: (internals: never, props: P) => unknown, props: NoInfer<P>): void {
  leave();
  shown = mount(view as unknown as Component, { target: document.body, props });
  flushSync();
}

export function leave(): void {
  if (shown) void unmount(shown);
  shown = null;
}

/** Waits until what was asked is answered and shown. */
export async function rest(): Promise<void> {
  for (let at = 0; at < 8; at++) await new Promise((resolve) => setTimeout(resolve, 2));
  await tick();
  flushSync();
}

/** The whole window over a played engine. */
export async function openWindow(mood: Mood): Promise<AppState> {
  play(mood);
  const app = new AppState();
  show(App, { app });
  void app.start();
  await rest();
  return app;
}

/** Presses a key where the focus is; whether somebody took it. */
export function press(key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  return !(document.activeElement ?? document.body).dispatchEvent(event);
}

/** The first button whose name has these words. */
export const button = (words: string) =>
  [...document.querySelectorAll<HTMLElement>("button")].find((one) => (one.getAttribute("aria-label") ?? one.textContent).includes(words));

/** The words of an element in one line. */
export const text = (css: string) => document.querySelector(css)?.textContent.replace(/\s+/g, " ").trim();
