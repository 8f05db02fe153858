import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync } from "svelte";
import { beforeEach, expect, it } from "vitest";
import type { PromptSettings, PromptTarget } from "../lib/types";
import AskAnywhere from "../settings/AskAnywhere.svelte";
import { openWindow, page, press, rest, show } from "../stories/page";
import { Desk } from "./desk.svelte";

const NEVER_ASKED = { shortcut: null, tray: false };
let asked: PromptSettings[];
let shortcutKeys: string | null;
let shortcutProblem: string | null;

page();
beforeEach(() => {
  asked = [];
  shortcutKeys = null;
  shortcutProblem = null;
});

function system(): void {
  mockIPC((command, payload) => {
    if (command !== "set_prompt") return null;
    const { settings } = payload as { settings: PromptSettings };
    asked.push(settings);
    return { ...settings, shortcut_keys: settings.shortcut === null ? null : shortcutKeys, shortcut_problem: settings.shortcut === null ? null : shortcutProblem, tray_problem: settings.tray ? "there is no tray" : null, default_shortcut: "Ctrl+Alt+P" };
  });
}

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
  show(AskAnywhere, { anywhere });
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
  press("j", { code: "KeyJ", ctrlKey: true });
  await rest();
  expect([asked.at(-1)?.shortcut, field?.getAttribute("aria-invalid")]).toEqual(["Ctrl+J", "false"]);
  [...document.querySelectorAll("button")].find((one) => one.textContent.trim() === "Reset to Ctrl+Alt+P")?.click();
  tray?.click();
  await rest();
  expect(asked.at(-1)).toEqual({ shortcut: "Ctrl+Alt+P", tray: true });
  expect(document.getElementById("prompt-tray-problem")?.textContent).toBe("There is no tray.");
});

it("says which keys the desktop gave it, where the desktop gives them out", async () => {
  system();
  shortcutKeys = "Meta+J";
  const { anywhere } = new Desk();
  show(AskAnywhere, { anywhere });
  await rest();
  const given = () => document.querySelector(".given")?.textContent ?? null;
  expect(given()).toBe(null);
  document.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  await rest();
  expect(given()).toBe("This desktop assigned Meta+J. You can change that in the desktop settings.");
});

it.each<[PromptTarget, (desk: Desk) => unknown, unknown]>([
  [{ view: "item", key: "acme/app#7", anchor: null }, (desk) => [desk.view, desk.reader.place?.key], ["search", "acme/app#7"]],
  [{ view: "search", query: "tls" }, (desk) => [desk.view, desk.search.query, desk.search.isOwn], ["search", "tls", false]],
  [{ view: "triage", text: "it stops" }, (desk) => [desk.view, desk.answer.asked, desk.answer.piece?.section], ["search", "it stops", "related"]],
  [{ view: "ask", text: "it stops" }, (desk) => [desk.view, desk.answer.asked, desk.answer.piece?.section], ["search", "it stops", "problem"]],
])("goes to %j, over whatever is open, and back", async (target, where, expected) => {
  const desk = await openWindow("full");
  desk.go("notes");
  desk.commands.run("palette");
  await desk.anywhere.show(target);
  await rest();
  expect([where(desk), document.querySelector("dialog[open]")]).toEqual([expected, null]);
  await desk.back();
  expect(desk.view).toBe("notes");
});

it("goes to the desk where a report waits there", async () => {
  const desk = await openWindow("full");
  await desk.triage.load();
  const waiting = desk.triage.rows[3]?.key ?? "";
  await desk.anywhere.show({ view: "triage", text: waiting });
  expect([desk.view, desk.triage.selected]).toEqual(["triage", waiting]);
});

it("makes a brief of the text", async () => {
  const desk = await openWindow("full");
  await desk.anywhere.show({ view: "brief", text: "it stops" });
  await rest();
  expect([desk.view, document.querySelector("dialog[open]")?.className]).toEqual(["search", expect.stringContaining("brief")]);
});

it("leaves keys that are recorded to the field", async () => {
  const desk = await openWindow("full");
  desk.go("settings");
  await desk.anywhere.load();
  await desk.anywhere.choose({ on: true });
  await rest();
  const field = document.querySelector<HTMLInputElement>("#prompt-shortcut");
  field?.focus();
  flushSync();
  press("k", { code: "KeyK", ctrlKey: true });
  await rest();
  expect([desk.anywhere.shortcut, document.querySelector("dialog[open]")]).toEqual(["Ctrl+K", null]);
});
