import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AskRequest, SearchRequest } from "../lib/types";
import { setUpPage, press as pressKey, mountComponent } from "../testing/testPage";
import { sampleAnswer, hit, EMPTY_ANSWER } from "../testing/samples";
import { Prompt } from "./prompt.svelte";
import PromptView from "./PromptView.svelte";

const TRACE = "TypeError: pool is dry\n    at take (/srv/pool.js:12:9)\n    at main (/srv/main.js:3:1)";

let prompt: Prompt;
let calls: [string, Record<string, unknown>][];
let clipboard: string | null;
let copied: string[];
/** The response to each command; others return null. */
let answers: Record<string, (request: Record<string, unknown>) => unknown>;

const answer = () => sampleAnswer("plain");

setUpPage();
beforeEach(() => {
  vi.useFakeTimers();
  calls = [];
  clipboard = null;
  copied = [];
  answers = {
    status: () => ({ sources: [{ key: "acme/app" }] }),
    prompt_text: () => clipboard,
    ask: answer,
    search: () => ({ hits: [hit("plain", 4), hit("plain", 5)], notices: [] }),
  };
  mockIPC((command, payload) => {
    const args = (payload ?? {}) as Record<string, unknown>;
    calls.push([command, args]);
    if (command === "copy_text") copied.push(args["text"] as string);
    return answers[command]?.((args["request"] ?? {}) as Record<string, unknown>) ?? null;
  });
  prompt = new Prompt();
  mountComponent(PromptView, { prompt });
});
afterEach(() => void vi.restoreAllMocks());

async function advance(ms = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  flushSync();
}
async function show(text: string | null): Promise<void> {
  clipboard = text;
  await prompt.prepare();
  await advance(1);
}
const field = () => document.querySelector("textarea") as HTMLTextAreaElement;
async function type(text: string, event?: Event): Promise<void> {
  if (event) field().dispatchEvent(event);
  field().value = text;
  field().dispatchEvent(new InputEvent("input", { bubbles: true }));
  await advance();
}
async function press(key: string, init: KeyboardEventInit = {}): Promise<boolean> {
  const isHandled = pressKey(key, init);
  await advance();
  return isHandled;
}
/** Moves the focus to another window. */
async function blurWindow(): Promise<void> {
  vi.spyOn(document, "hasFocus").mockReturnValue(false);
  window.dispatchEvent(new Event("blur"));
  await advance(100);
}
const commands = (name: string) => calls.filter(([command]) => command === name);
const openedTargets = () => commands("open_from_prompt").map(([, args]) => args["target"]);
const selectedRow = () => document.querySelector("[role=option][aria-selected=true]")?.textContent.replace(/\s+/g, " ").trim();
const announcement = () => document.querySelector("[role=status]")?.textContent;
const parts = () => [...document.querySelectorAll("[role=group]")].map((entry) => entry.textContent.replace(/\s+/g, " ").trim());

it("looks up the clipboard and accepts it", async () => {
  await show(TRACE);
  expect(selectedRow()).toBe("From the clipboard: a stack trace, 3 lines TypeError: pool is dry");
  expect(document.activeElement).toBe(field());
  expect(parts().map((entry) => entry.split(" ")[0])).toEqual(["Known", "Solved", "Wiki"]);
  expect(commands("ask").length).toBe(1);
  expect(await press("Enter")).toBe(true);
  expect([field().value, document.activeElement?.id]).toEqual([TRACE, "lines"]);
  // The same question is not looked up again.
  expect(commands("ask").length).toBe(1);
  await press("Enter");
  expect(openedTargets()).toEqual([{ view: "item", key: "acme/app#1", anchor: null }]);

  await show(TRACE);
  expect(field().value).toBe("");
  expect(await press("Tab")).toBe(true);
  expect(field().value).toBe(TRACE);
  // Then Tab moves the focus as usual.
  expect(await press("Tab")).toBe(false);
});

it("typed text replaces the clipboard", async () => {
  await show("acme/app#12");
  expect(selectedRow()).toBe("From the clipboard: a key: acme/app#12");
  expect(commands("ask")[0]?.[1]["request"]).toMatchObject({ key: "acme/app#12", text: "" });
  await type("pump stops");
  await advance(200);
  expect(selectedRow()).not.toContain("clipboard");
  await type("");
  expect(selectedRow()).toContain("From the clipboard: a key: acme/app#12");
});

it("answers appear independently", async () => {
  let respond = (_: unknown) => {};
  answers["ask"] = () => new Promise((resolve) => (respond = resolve));
  await show(TRACE);
  await advance(200);
  expect([parts()[0], announcement()]).toEqual(["Known SearchingSearching…", ""]);
  respond(answer());
  await advance();
  expect(parts()[0]).toContain("Likely duplicate of acme/app#1");
  expect(parts()[1]).toContain("Restart the agent once");
  const title = "Sync stops after the certificate is renewed";
  expect(announcement()).toBe(`Known: Likely duplicate of acme/app#1, ${title}. Solved: acme/app#1, ${title}. Wiki: acme/app:TLS, TLS.`);
});

it("offers other actions without matches", async () => {
  answers["ask"] = () => EMPTY_ANSWER;
  await show(TRACE);
  expect(announcement()).toBe("No known report matches. No solved case matches. No wiki page matches.");
  await press("Enter");
  expect(selectedRow()).toBe("Show everything known about it");
  await press("Enter");
  expect(openedTargets()).toEqual([{ view: "ask", text: TRACE }]);
});

it("shows each limiting notice once", async () => {
  const notices = [{ lack: "some_vectors", text: "Not every text is searchable by meaning yet." }, { lack: "calibration", text: "Not tuned." }];
  answers["ask"] = () => ({ ...EMPTY_ANSWER, notices });
  await show(TRACE);
  expect(document.querySelectorAll(".notice").length).toBe(1);
  expect(announcement()).toBe("No known report matches. No solved case matches. No wiki page matches. Not every text is searchable by meaning yet.");
  await press("Escape");
  expect(document.querySelectorAll(".notice").length).toBe(0);
});

it("a failed part leaves the others usable", async () => {
  answers["ask"] = () => {
    throw { code: "io", message: "the disk is full", hint: null };
  };
  await show(null);
  await type("pump stops");
  await advance(200);
  expect(parts()[0]).toContain("acme/app#4");
  expect(parts().slice(1)).toEqual(["Solved The disk is full.", "Wiki The disk is full."]);
});

it("a few words start a search", async () => {
  await show(null);
  await type("is:open pump stops");
  expect(commands("search").length).toBe(0);
  await advance(200);
  expect(commands("search").map(([, { request, apart }]) => [(request as SearchRequest).mode, apart])).toEqual([["lexical", true], [null, false]]);
  expect(commands("search")[1]?.[1]["request"] as SearchRequest).toMatchObject({ query: "is:open pump stops", limit: 3, titles: true });
  expect(commands("ask")[0]?.[1]["request"] as AskRequest).toMatchObject({ text: "pump stops", key: null });
  expect(document.querySelectorAll("[role=group][aria-label=Known] [role=option]").length).toBe(2);
  await press("ArrowDown");
  await press("Enter");
  await show(null);
  await type("pump stops");
  await press("ArrowUp");
  await press("Enter");
  expect(openedTargets()).toEqual([{ view: "item", key: "acme/app#5", anchor: null }, { view: "search", query: "pump stops" }]);
});

it("full results replace lexical ones unless selected", async () => {
  const resolvers: ((value: unknown) => void)[] = [];
  answers["search"] = ({ mode }) => (mode === "lexical" ? { hits: [hit("plain", 4), hit("plain", 5)], notices: [] } : new Promise((resolve) => resolvers.push(resolve)));
  const keys = () => [...document.querySelectorAll("[role=group][aria-label=Known] .match")].map((entry) => entry.textContent.trim());
  await show(null);
  await type("pump stops");
  await advance(200);
  expect(keys()).toEqual(["acme/app#4", "acme/app#5"]);
  resolvers[0]?.({ hits: [hit("plain", 9), hit("plain", 4)], notices: [] });
  await advance();
  expect(keys()).toEqual(["acme/app#9", "acme/app#4"]);

  await type("pump");
  await advance(200);
  await press("ArrowDown");
  resolvers[1]?.({ hits: [hit("plain", 9)], notices: [] });
  await advance();
  await press("Enter");
  expect(openedTargets()).toEqual([{ view: "item", key: "acme/app#5", anchor: null }]);

  // An explicit mode is respected, and a later error keeps earlier results.
  await show(null);
  await type("mode:semantic pump");
  await advance(200);
  expect(keys()).toEqual([]);
  answers["search"] = ({ mode }) => {
    if (mode === null) throw { code: "io", message: "the disk is full", hint: null };
    return { hits: [hit("plain", 4)], notices: [] };
  };
  await type("pump stops again");
  await advance(200);
  expect(keys()).toEqual(["acme/app#4"]);
});

it("looks up pastes at once, typing later", async () => {
  const resolvers: ((value: unknown) => void)[] = [];
  answers["search"] = ({ mode }) => new Promise((resolve) => mode === null && resolvers.push(resolve));
  await show(null);
  for (const text of ["p", "pu", "pump"]) await type(text);
  await advance(200);
  expect(resolvers.length).toBe(1);
  await type("pump stops", new Event("paste"));
  await advance(1);
  expect(resolvers.length).toBe(2);
  resolvers[1]?.({ hits: [hit("plain", 5)], notices: [] });
  await advance();
  resolvers[0]?.({ hits: [hit("plain", 9)], notices: [] });
  await advance();
  expect(parts()[0]).toContain("acme/app#5");
  expect(parts()[0]).not.toContain("acme/app#9");
});

it("Enter waits for its answer", async () => {
  const resolvers: ((value: unknown) => void)[] = [];
  answers["search"] = ({ mode }) => new Promise((resolve) => mode === null && resolvers.push(resolve));
  await show(null);
  await type("pump");
  await press("Enter");
  await advance(200);
  expect(openedTargets()).toEqual([]);
  await type("pump stops");
  await advance(200);
  resolvers[0]?.({ hits: [hit("plain", 9)], notices: [] });
  await advance();
  expect(openedTargets()).toEqual([]);
  await press("Enter");
  resolvers[1]?.({ hits: [hit("plain", 5)], notices: [] });
  await advance();
  expect(openedTargets()).toEqual([{ view: "item", key: "acme/app#5", anchor: null }]);
});

it("keys open a brief and copy a reply", async () => {
  await show(TRACE);
  // A letter in the field is text.
  expect([await press("b"), await press("c")]).toEqual([false, false]);
  await press("C", { ctrlKey: true, shiftKey: true });
  expect(announcement()).toBe("Copied a reply that cites 3 items.");
  expect(copied[0]?.split("\n")).toEqual([
    "This is likely a duplicate of “Sync stops after the certificate is renewed” (acme/app#1). Status: fixed in 2.4, not released. Until then: Restart the agent after each renewal. https://tracker.example/acme/app/issues/1",
    "“Sync stops after the certificate is renewed” (acme/app#1) was solved: Restart the agent once; 2.4 reads the chain by itself. https://tracker.example/acme/app/issues/1",
    "See the wiki page “TLS” (acme/app:TLS). https://tracker.example/acme/app/wiki/TLS",
  ]);
  await press("Enter");
  await press("c");
  await press("b", { repeat: true });
  expect([copied.length, openedTargets()]).toEqual([2, []]);
  await press("b");
  expect(openedTargets()).toEqual([{ view: "brief", text: TRACE }]);
  // The copied reply is not offered as a question.
  await show(copied[1] ?? "");
  expect(selectedRow()).toBe(undefined);
  await type("acme/app#12");
  await press("b", { ctrlKey: true });
  expect(openedTargets()[1]).toEqual({ view: "brief", text: "acme/app#12" });
});

it("copies nothing without an answer", async () => {
  answers["ask"] = () => new Promise(() => {});
  await show(TRACE);
  await press("C", { ctrlKey: true, shiftKey: true });
  expect(announcement()).toBe("The answers are still loading.");
});

it("a click elsewhere keeps the text", async () => {
  await show(null);
  await type("pump stops");
  await press("Escape");
  expect([commands("hide_prompt").length, field().value]).toEqual([1, ""]);
  // The resulting loss of focus has no further effect.
  await blurWindow();
  expect(commands("hide_prompt").length).toBe(1);

  await show("old");
  await type("pump stops");
  await blurWindow();
  await advance(60_000);
  await show("old");
  expect([commands("hide_prompt").length, field().value]).toEqual([2, "pump stops"]);
  expect([field().selectionStart, field().selectionEnd]).toEqual([0, 10]);
  // A changed clipboard is the new question.
  await blurWindow();
  await show("acme/app#12");
  expect([field().value, selectedRow()]).toEqual(["", "From the clipboard: a key: acme/app#12"]);
  await type("pump stops");
  await blurWindow();
  await advance(100_000);
  expect(field().value).toBe("");
});

it("a brief focus loss keeps it open", async () => {
  await show(TRACE);
  window.dispatchEvent(new Event("blur"));
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
  await advance(100);
  expect(commands("hide_prompt")).toEqual([]);
});

it("shows a shared error once", async () => {
  answers["ask"] = () => {
    throw { code: "not_found", message: "there is no acme/app#12", hint: null };
  };
  await show("acme/app#12");
  expect([parts(), document.body.textContent.match(/no acme\/app#12/g)?.length]).toEqual([[], 1]);
  // A missing item can be searched for, but not opened.
  await press("ArrowUp");
  expect(selectedRow()).toBe("Search for “acme/app#12”");
});

it("writes nothing to disk", async () => {
  await show("Dear support, my name is Erika");
  await press("Enter");
  await type("Erika's log");
  await advance(200);
  await blurWindow();
  expect(Object.values({ ...localStorage }).join("\n") + JSON.stringify({ ...sessionStorage })).not.toContain("Erika");
});

it("opens an item or its duplicates", async () => {
  await show("https://github.com/acme/app/issues/12");
  expect(selectedRow()).toBe("From the clipboard: a link to acme/app#12");
  await press("ArrowUp");
  expect(selectedRow()).toBe("Review the duplicates of acme/app#12");
  await press("Enter");
  expect(openedTargets()).toEqual([{ view: "triage", text: "acme/app#12" }]);
});

it("shows why the casebook is closed", async () => {
  answers["status"] = () => {
    throw { code: "corrupt", message: "the casebook cannot be read", hint: "A repair shows why." };
  };
  await show(null);
  expect(document.body.textContent).toContain("casebook cannot be read");
  await type(TRACE);
  await advance(200);
  expect([commands("ask"), parts()]).toEqual([[], []]);
  answers["status"] = () => ({ sources: [] });
  await press("Escape");
  await show(null);
  expect(document.body.textContent).toContain("The casebook is empty.");
  await press("Enter");
  expect(openedTargets()).toEqual([{ view: "search", query: "" }]);
});

it("arrows stay in multi-line text", async () => {
  await show(null);
  await type(TRACE);
  await advance(200);
  field().setSelectionRange(0, 0);
  expect(await press("ArrowDown")).toBe(false);
  field().setSelectionRange(TRACE.length, TRACE.length);
  expect(await press("ArrowDown")).toBe(true);
  expect([await press("ArrowUp", { shiftKey: true }), await press("Enter", { shiftKey: true })]).toEqual([false, false]);
  expect(await press("Enter", { isComposing: true })).toBe(false);
});
