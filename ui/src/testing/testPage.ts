// Test helpers: browser features that jsdom lacks, and mounting of components or the whole window.

import { clearMocks } from "@tauri-apps/api/mocks";
import { flushSync, mount, tick, unmount, type Component } from "svelte";
import { afterEach, beforeEach, vi } from "vitest";
import App from "../App.svelte";
import { AppState } from "../shell/appState.svelte";
import { mockEngine, type Scenario } from "./engine";

let component: Record<string, unknown> | null = null;

/** Resets the page and the storage before each test of a file. */
export function setUpPage(): void {
  beforeEach(() => {
    localStorage.clear();
    document.body.innerHTML = "";
    document.documentElement.lang = "en";
    document.documentElement.style.fontSize = "16px";
    vi.stubGlobal("CSS", { escape: (value: string) => value.replace(/[^\w-]/g, "\\$&") });
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
    unmountComponent();
    clearMocks();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

/** Mounts a component in place of the previous one. */
export function mountComponent<P extends object>(view: (internals: never, props: P) => unknown, props: NoInfer<P>): void {
  unmountComponent();
  component = mount(view as unknown as Component, { target: document.body, props });
  flushSync();
}

export function unmountComponent(): void {
  if (component) void unmount(component);
  component = null;
}

/** Waits until pending responses are rendered. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 8; round++) await new Promise((resolve) => setTimeout(resolve, 2));
  await tick();
  flushSync();
}

/** Opens the whole window with a mock engine. */
export async function openWindow(scenario: Scenario): Promise<AppState> {
  mockEngine(scenario);
  const app = new AppState();
  mountComponent(App, { app });
  void app.start();
  await settle();
  return app;
}

/** Presses a key on the focused element. Returns whether it was handled. */
export function press(key: string, init: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
  return !(document.activeElement ?? document.body).dispatchEvent(event);
}

/** Returns the first button whose name contains a text. */
export const button = (name: string) =>
  [...document.querySelectorAll<HTMLElement>("button")].find((entry) => (entry.getAttribute("aria-label") ?? entry.textContent).includes(name));

/** Returns an element's text in one line. */
export const text = (css: string) => document.querySelector(css)?.textContent.replace(/\s+/g, " ").trim();
