import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { flushSync, mount, unmount } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import App from "../App.svelte";
import type { PromptSettings, PromptTarget } from "../lib/types";
import AskAnywhere from "../settings/AskAnywhere.svelte";
import { play } from "../stories/engine";
import { Desk } from "./desk.svelte";

const NEVER_ASKED = { shortcut: null, tray: false };
let asked: PromptSettings[];
let shortcutProblem: string | null;
let shown: Record<string, unknown> | null = null;

beforeEach(() => {
  localStorage.clear();
  document.body.innerHTML = "";
  vi.stubGlobal("CSS", { escape: (text: string) => text.replace(/[^\w-]/g, "\\$&") });
  vi.stubGlobal("ResizeObserver", class { observe() {} unobserve() {} disconnect() {} });
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  Element.prototype.scrollTo = () => {};
  Element.prototype.scrollIntoView = () => {};
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
  asked = [];
  shortcutProblem = null;
});
afterEach(() => {
  if (shown) void unmount(shown);
  shown = null;
  clearMocks();
  vi.unstubAllGlobals();
});

function system(): void {
  mockIPC((command, payload) => {
    if (command !== "set_prompt") return null;
    const { settings } = payload as { settings: PromptSettings };
    asked.push(settings);
    return { ...settings, shortcut_problem: settings.shortcut === null ? null : shortcutProblem, tray_problem: settings.tray ? "there is no tray" : null, default_shortcut: "Ctrl+Alt+P" };
  });
}
const rest = async () => {
  for (let at = 0; at < 8; at++) await new Promise((resolve) => setTimeout(resolve, 2));
  flushSync();
};

it("asks the system for nothing at start until something is switched on, and then each time", async () => {
  system();
  await new Desk().anywhere.start();
  expect(asked).toEqual([]);
  const desk = new Desk();
  await desk.anywhere.start();
  await desk.anywhere.load();
  await desk.anywhere.choose({ on: true });
  expect(asked).toEqual([NEVER_ASKED, { shortcut: "Ctrl+Alt+P", tray: false }]);
  await new Desk().anywhere.start();
  expect(asked.at(-1)).toEqual({ shortcut: "Ctrl+Alt+P", tray: false });
});

it("keeps the keys while they are off", async () => {
  system();
  const { anywhere } = new Desk();
  await anywhere.load();
  await anywhere.choose({ on: true });
  await anywhere.choose({ shortcut: "Super+J" });
  await anywhere.choose({ on: false, tray: true });
  expect(asked.at(-1)).toEqual({ shortcut: null, tray: true });
  await anywhere.choose({ on: true });
  expect(asked.at(-1)).toEqual({ shortcut: "Super+J", tray: true });
});

it("takes settings that cannot be read as if nothing was chosen", async () => {
  system();
  for (const stored of ["{", "7", "null", '{"on":"yes","shortcut":7,"tray":1}']) {
    localStorage.setItem("prompt", stored);
    await new Desk().anywhere.start();
  }
  expect(asked).toEqual([]);
});

it("is off in the settings until it is switched on, and says a problem where it belongs", async () => {
  system();
  shortcutProblem = "another program holds Ctrl+Alt+P";
  const { anywhere } = new Desk();
  shown = mount(AskAnywhere, { target: document.body, props: { anywhere } });
  await rest();
  const [on, tray] = [...document.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  expect([on?.checked, tray?.checked, document.querySelector("#prompt-shortcut")]).toEqual([false, false, null]);
  on?.click();
  await rest();
  const field = document.querySelector<HTMLInputElement>("#prompt-shortcut");
  expect([field?.value, field?.getAttribute("aria-invalid")]).toEqual(["Ctrl + Alt + P", "true"]);
  expect(document.getElementById("prompt-shortcut-about")?.textContent).toContain("Another program holds Ctrl+Alt+P.");
  shortcutProblem = null;
  field?.focus();
  field?.dispatchEvent(new KeyboardEvent("keydown", { key: "j", code: "KeyJ", ctrlKey: true, bubbles: true }));
  await rest();
  expect([asked.at(-1)?.shortcut, field?.getAttribute("aria-invalid")]).toEqual(["Ctrl+J", "false"]);
  [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === "Reset to Ctrl+Alt+P")?.click();
  tray?.click();
  await rest();
  expect(asked.at(-1)).toEqual({ shortcut: "Ctrl+Alt+P", tray: true });
  expect(document.getElementById("prompt-tray-problem")?.textContent).toBe("There is no tray.");
});

async function opened(): Promise<Desk> {
  play("full");
  const desk = new Desk();
  shown = mount(App, { target: document.body, props: { desk } });
  await desk.start();
  await rest();
  return desk;
}

it.each<[PromptTarget, (desk: Desk) => unknown, unknown]>([
  [{ view: "item", key: "acme/app#7", anchor: null }, (desk) => [desk.view, desk.reader.place?.key], ["search", "acme/app#7"]],
  [{ view: "search", query: "tls" }, (desk) => [desk.view, desk.search.query, desk.search.isOwn], ["search", "tls", false]],
  [{ view: "triage", text: "it stops" }, (desk) => [desk.view, desk.troubleshoot.asked, desk.troubleshoot.piece?.section], ["troubleshoot", "it stops", "duplicate"]],
  [{ view: "troubleshoot", text: "it stops" }, (desk) => [desk.view, desk.troubleshoot.asked, desk.troubleshoot.piece?.section], ["troubleshoot", "it stops", "case"]],
])("goes to %j, over whatever is open, and back", async (target, where, expected) => {
  const desk = await opened();
  desk.go("notes");
  desk.commands.run("palette");
  desk.troubleshoot.source = target.view === "troubleshoot" ? "acme/other" : null;
  await desk.anywhere.show(target);
  await rest();
  expect([where(desk), document.querySelector("dialog[open]"), desk.troubleshoot.source]).toEqual([expected, null, null]);
  await desk.back();
  expect(desk.view).toBe("notes");
});

it("goes to the desk where a report waits there", async () => {
  const desk = await opened();
  await desk.triage.load();
  const waiting = desk.triage.rows[3]?.key ?? "";
  await desk.anywhere.show({ view: "triage", text: waiting });
  expect([desk.view, desk.triage.selected]).toEqual(["triage", waiting]);
});

it("makes a brief of the text", async () => {
  const desk = await opened();
  await desk.anywhere.show({ view: "brief", text: "it stops" });
  await rest();
  expect([desk.view, document.querySelector("dialog[open]")?.className]).toEqual(["troubleshoot", expect.stringContaining("brief")]);
});

it("leaves keys that are recorded to the field", async () => {
  const desk = await opened();
  desk.go("settings");
  await desk.anywhere.load();
  await desk.anywhere.choose({ on: true });
  await rest();
  const field = document.querySelector<HTMLInputElement>("#prompt-shortcut");
  field?.focus();
  flushSync();
  field?.dispatchEvent(new KeyboardEvent("keydown", { key: "k", code: "KeyK", ctrlKey: true, bubbles: true, cancelable: true }));
  await rest();
  expect([desk.anywhere.shortcut, document.querySelector("dialog[open]")]).toEqual(["Ctrl+K", null]);
});
