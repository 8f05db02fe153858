import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync } from "svelte";
import { beforeEach, expect, it } from "vitest";
import type { PromptSettings, PromptTarget } from "../lib/types";
import QuickPromptSettings from "../settings/QuickPromptSettings.svelte";
import { openWindow, setUpPage, press, settle, mountComponent } from "../testing/testPage";
import { AppState } from "./appState.svelte";

const OFF = { shortcut: null, tray: false };
let requests: PromptSettings[];
let shortcutKeys: string | null;
let shortcutProblem: string | null;

setUpPage();
beforeEach(() => {
  requests = [];
  shortcutKeys = null;
  shortcutProblem = null;
});

function mockSystem(): void {
  mockIPC((command, payload) => {
    if (command !== "set_prompt") return null;
    const { settings } = payload as { settings: PromptSettings };
    requests.push(settings);
    return { ...settings, shortcut_keys: settings.shortcut === null ? null : shortcutKeys, shortcut_problem: settings.shortcut === null ? null : shortcutProblem, tray_problem: settings.tray ? "there is no tray" : null, default_shortcut: "Ctrl+Alt+P" };
  });
}

it("contacts the system once enabled", async () => {
  mockSystem();
  await new AppState().quickPrompt.start();
  expect(requests).toEqual([]);
  const app = new AppState();
  await app.quickPrompt.start();
  await app.quickPrompt.load();
  await app.quickPrompt.choose({ on: true });
  expect(requests).toEqual([OFF, { shortcut: "Ctrl+Alt+P", tray: false }]);
  await new AppState().quickPrompt.start();
  expect(requests.at(-1)).toEqual({ shortcut: "Ctrl+Alt+P", tray: false });
});

it("keeps the shortcut while it is off", async () => {
  mockSystem();
  const { quickPrompt } = new AppState();
  await quickPrompt.load();
  await quickPrompt.choose({ on: true });
  await quickPrompt.choose({ shortcut: "Super+J" });
  await quickPrompt.choose({ on: false, tray: true });
  expect(requests.at(-1)).toEqual({ shortcut: null, tray: true });
  await quickPrompt.choose({ on: true });
  expect(requests.at(-1)).toEqual({ shortcut: "Super+J", tray: true });
});

it("ignores invalid settings", async () => {
  mockSystem();
  for (const stored of ["{", "7", "null", '{"on":"yes","shortcut":7,"tray":1}']) {
    localStorage.setItem("prompt", stored);
    await new AppState().quickPrompt.start();
  }
  expect(requests).toEqual([]);
});

it("is off by default and shows problems", async () => {
  mockSystem();
  shortcutProblem = "another program holds Ctrl+Alt+P";
  const { quickPrompt } = new AppState();
  mountComponent(QuickPromptSettings, { prompt: quickPrompt });
  await settle();
  const [on, tray] = [...document.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  expect([on?.checked, tray?.checked, document.querySelector("#prompt-shortcut")]).toEqual([false, false, null]);
  on?.click();
  await settle();
  const field = document.querySelector<HTMLInputElement>("#prompt-shortcut");
  expect([field?.value, field?.getAttribute("aria-invalid")]).toEqual(["Ctrl + Alt + P", "true"]);
  expect(document.getElementById("prompt-shortcut-about")?.textContent).toContain("Another program holds Ctrl+Alt+P.");
  shortcutProblem = null;
  field?.focus();
  press("j", { code: "KeyJ", ctrlKey: true });
  await settle();
  expect([requests.at(-1)?.shortcut, field?.getAttribute("aria-invalid")]).toEqual(["Ctrl+J", "false"]);
  [...document.querySelectorAll("button")].find((entry) => entry.textContent.trim() === "Reset to Ctrl+Alt+P")?.click();
  tray?.click();
  await settle();
  expect(requests.at(-1)).toEqual({ shortcut: "Ctrl+Alt+P", tray: true });
  expect(document.getElementById("prompt-tray-problem")?.textContent).toBe("There is no tray.");
});

it("shows the keys that the desktop assigned", async () => {
  mockSystem();
  shortcutKeys = "Meta+J";
  const { quickPrompt } = new AppState();
  mountComponent(QuickPromptSettings, { prompt: quickPrompt });
  await settle();
  const assignedKeys = () => document.querySelector(".assigned-keys")?.textContent ?? null;
  expect(assignedKeys()).toBe(null);
  document.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  await settle();
  expect(assignedKeys()).toBe("This desktop assigned Meta+J. You can change that in the desktop settings.");
});

it.each<[PromptTarget, (app: AppState) => unknown, unknown]>([
  [{ view: "item", key: "acme/app#7", anchor: null }, (app) => [app.view, app.reader.position?.key], ["search", "acme/app#7"]],
  [{ view: "search", query: "tls" }, (app) => [app.view, app.search.query, app.search.isTyped], ["search", "tls", false]],
  [{ view: "triage", text: "it stops" }, (app) => [app.view, app.answer.subject, app.answer.currentItem?.section], ["search", "it stops", "related"]],
  [{ view: "ask", text: "it stops" }, (app) => [app.view, app.answer.subject, app.answer.currentItem?.section], ["search", "it stops", "problem"]],
])("opens %j over dialogs, and goes back", async (target, readState, expected) => {
  const app = await openWindow("full");
  app.go("notes");
  app.commands.run("palette");
  await app.quickPrompt.show(target);
  await settle();
  expect([readState(app), document.querySelector("dialog[open]")]).toEqual([expected, null]);
  await app.back();
  expect(app.view).toBe("notes");
});

it("opens triage for a waiting report", async () => {
  const app = await openWindow("full");
  await app.triage.load();
  const waiting = app.triage.rows[3]?.key ?? "";
  await app.quickPrompt.show({ view: "triage", text: waiting });
  expect([app.view, app.triage.selected]).toEqual(["triage", waiting]);
});

it("opens a brief about the text", async () => {
  const app = await openWindow("full");
  await app.quickPrompt.show({ view: "brief", text: "it stops" });
  await settle();
  expect([app.view, document.querySelector("dialog[open]")?.className]).toEqual(["search", expect.stringContaining("brief")]);
});

it("the shortcut field receives all keys", async () => {
  const app = await openWindow("full");
  app.go("settings");
  await app.quickPrompt.load();
  await app.quickPrompt.choose({ on: true });
  await settle();
  const field = document.querySelector<HTMLInputElement>("#prompt-shortcut");
  field?.focus();
  flushSync();
  press("k", { code: "KeyK", ctrlKey: true });
  await settle();
  expect([app.quickPrompt.shortcut, document.querySelector("dialog[open]")]).toEqual(["Ctrl+K", null]);
});
