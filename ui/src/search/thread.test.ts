import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync, tick } from "svelte";
import { beforeEach, expect, it } from "vitest";
import type { Thread } from "../lib/types";
import { AppState } from "../shell/appState.svelte";
import { setUpPage, mountComponent, settle, text } from "../testing/testPage";
import { comment, link, thread as sample } from "../testing/samples";
import { fixOf } from "./fix";
import ThreadView from "./ThreadView.svelte";

const thread: Thread = { ...sample("plain"), title: "Sync stops", association: null, updated_at: null, html: "<p>x</p>", comments: [], links: [] };
const answer = comment(7, { association: "ANSWER", html: "<p>Do this.</p>" });

let app: AppState;
let servedThread: Thread;

async function open(target: Thread): Promise<void> {
  servedThread = target;
  app = new AppState();
  mountComponent(ThreadView, { app, filterBy: () => {}, back: () => {}, leave: null, pane: "first", showOther: null });
  await app.reader.open({ key: target.key, anchor: null });
  await tick();
}
function scrollTo(bottom: number): void {
  const title = document.querySelector("h2");
  if (title) title.getBoundingClientRect = () => ({ bottom }) as DOMRect;
  document.querySelector(".reader")?.dispatchEvent(new Event("scroll"));
  flushSync();
}

setUpPage();
beforeEach(() => mockIPC((command) => (command === "thread" ? servedThread : null)));

it("a long thread shows its first comments at once", async () => {
  const comments = Array.from({ length: 60 }, (_, index) => comment(index, { anchor: `comment-${index}` }));
  await open({ ...thread, comments });
  const rendered = () => document.querySelectorAll("[data-anchor^=comment]").length;
  expect(rendered()).toBe(10);
  await settle();
  expect(rendered()).toBeGreaterThan(10);
  // Another place in it needs the comments before it.
  mountComponent(ThreadView, { app, filterBy: () => {}, back: () => {}, leave: null, pane: "first", showOther: null });
  await app.reader.open({ key: thread.key, anchor: "comment-55" });
  await tick();
  expect(rendered()).toBe(60);
});

it("the bar shows the title after scrolling", async () => {
  await open(thread);
  scrollTo(300);
  expect(document.querySelector(".heading")).toBe(null);
  scrollTo(-100);
  expect([text(".heading .words"), text(".heading .title")]).toEqual(["Closed as completed", "Sync stops"]);
  document.querySelector<HTMLElement>(".heading .title")?.click();
  expect(document.activeElement?.getAttribute("data-anchor")).toBe("body");
  scrollTo(300);
  expect(document.querySelector(".heading")).toBe(null);
});

it("links to the merged change or accepted answer", async () => {
  await open({ ...thread, links: [link("closes")] });
  expect(text(".fix")).toBe("Fixed by #9");
  document.querySelector<HTMLElement>(".fix")?.click();
  await tick();
  await tick();
  await tick();
  expect(app.reader.position?.key).toBe("acme/app#9");
  await open({ ...thread, comments: [answer] });
  expect(text(".fix")).toBe("Accepted answer");
  document.querySelector<HTMLElement>(".fix")?.click();
  expect(document.activeElement?.getAttribute("data-anchor")).toBe("comment-7");
});

it("shows the first links and expands the rest", async () => {
  await open({ ...thread, links: Array.from({ length: 40 }, (_, index) => link("mentions", { key: `acme/app#${index + 2}` })) });
  expect(document.querySelectorAll(".links [data-doc]").length).toBe(6);
  const moreButton = document.querySelector<HTMLElement>(".links .rest");
  expect(moreButton?.textContent).toBe("Show 34 more");
  moreButton?.click();
  flushSync();
  expect(document.querySelectorAll(".links [data-doc]").length).toBe(40);
  // They stay expanded when the item is reloaded.
  servedThread = { ...servedThread };
  await app.reader.refresh();
  flushSync();
  expect(document.querySelectorAll(".links [data-doc]").length).toBe(40);
});

it("claims no fix without evidence", () => {
  const label = (change: Partial<Thread>) => fixOf({ ...thread, ...change })?.label ?? null;
  expect([
    label({}),
    label({ links: [link("closes", { state: "closed" })] }),
    label({ links: [link("mentions")] }),
    label({ state: "open", links: [link("closes", { state: "open" })] }),
    label({ links: [link("duplicate_of", { outgoing: true, document: "issue" })] }),
    label({ links: [link("duplicate_of", { outgoing: true, document: null, title: null })] }),
    label({ kind: "pull_request", links: [link("closes")] }),
  ]).toEqual([null, null, null, "Fix proposed in #9", "Duplicate of #9", null, null]);
});

it("a note has no author and links numbers", async () => {
  const item = link("relates_to", { outgoing: true, document: "issue", key: "acme/app#113", state: "open" });
  await open({ ...thread, key: "note#1", kind: "note", source: "note", author: null, html: "<p>See #113.</p>", links: [item] });
  expect(text(".comment header")).toMatch(/^Written \d+ months? ago$/);
  expect(text(".facts")).not.toMatch(/opened|account/);
  expect(document.querySelector(".prose a")?.getAttribute("data-item")).toBe("acme/app#113");
});

it("reloads a changed item", async () => {
  await open(thread);
  servedThread = { ...thread, links: [link("relates_to", { document: "note", key: "note#1", title: "Chains" })] };
  app.refreshVisible();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(text(".links")).toContain("note#1 Chains");
});
