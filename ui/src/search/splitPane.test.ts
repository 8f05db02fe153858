import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { AppState } from "../shell/appState.svelte";
import { button, openWindow, setUpPage, press, settle, text } from "../testing/testPage";

setUpPage();

/** Opens a window of this width with a document, and focuses the list. */
async function reading(width: number): Promise<AppState> {
  window.innerWidth = width;
  const app = await openWindow("full");
  await app.openDocument("acme/app#1");
  await settle();
  button("← Results")?.click();
  await settle();
  list()?.focus();
  return app;
}
const list = () => document.querySelector<HTMLElement>("[role=listbox][aria-label=Results]");
const panes = () => [...document.querySelectorAll(".reader")].map((entry) => entry.getAttribute("data-doc"));
const seen = () => [document.querySelector(".results") && "list", ...panes()].filter(Boolean);
/** Returns the focused part: the list, or a pane's document. */
const focus = () => (document.activeElement === list() ? "list" : document.activeElement?.closest(".reader")?.getAttribute("data-doc"));
const go = async (key: string, more: KeyboardEventInit = {}) => {
  press(key, more);
  // An element that reappears gets the focus in the next frame.
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await settle();
};
/** Selects the third result; the open first one is selected before. */
function toThird(): void {
  for (let at = 0; at < 2; at++) {
    press("ArrowDown");
    flushSync();
  }
}
/** Opens the third result beside the open document. */
async function beside(): Promise<void> {
  toThird();
  await go("Enter", { shiftKey: true });
}
/** Waits for the preview of the selected result. */
const passing = () => new Promise((resolve) => setTimeout(resolve, 120));

it("opens a second item and shows the focus", async () => {
  await reading(1600);
  await beside();
  expect([seen(), focus()]).toEqual([["list", "acme/app#1", "acme/app#3"], "acme/app#3"]);
  const current = () => document.querySelector(".reader[aria-current=true]")?.getAttribute("data-doc");
  expect(current()).toBe("acme/app#3");
  await go("h");
  expect([focus(), current()]).toEqual(["acme/app#1", "acme/app#1"]);
  await go("h");
  expect(focus()).toBe("list");
  await go("l");
  await go("l");
  expect([focus(), current()]).toEqual(["acme/app#3", "acme/app#3"]);
  // A link opens in its own pane, here the link to the fix.
  document.querySelector<HTMLElement>("[data-pane=second] .fix")?.click();
  await settle();
  expect(panes()).toEqual(["acme/app#1", "acme/app#9"]);
});

it("closing the second item restores the focus", async () => {
  const app = await reading(1600);
  await beside();
  await go("Escape");
  expect([seen(), focus()]).toEqual([["list", "acme/app#1"], "list"]);
  await go("l");
  // From a link in the first document, and back to it.
  const link = document.querySelector<HTMLElement>(".links .link");
  link?.focus();
  await go("Enter", { shiftKey: true });
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#9"], "acme/app#9"]);
  button("Close this pane")?.click();
  await settle();
  expect([panes(), document.activeElement?.className]).toEqual([["acme/app#1"], expect.stringContaining("link")]);
  expect(app.commands.isAvailable("search.close")).toBe(false);
});

it("back and forward restore both items", async () => {
  const app = await reading(1600);
  await beside();
  await go("Escape");
  await app.back();
  await settle();
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#3"], "acme/app#3"]);
  app.go("triage");
  await settle();
  expect(app.history.previous && text(".reader .back")).toBe(undefined);
  await app.back();
  await settle();
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#3"], "acme/app#3"]);
  await app.back();
  await settle();
  expect(panes()).toEqual(["acme/app#1"]);
  await app.forward();
  await settle();
  expect(panes()).toEqual(["acme/app#1", "acme/app#3"]);
});

it("opens beside from any view", async () => {
  window.innerWidth = 1600;
  const app = await openWindow("full");
  app.go("triage");
  await settle();
  const [waiting, next] = app.triage.rows.map((entry) => entry.key);
  await go("Enter", { shiftKey: true });
  expect([app.view, panes()]).toEqual(["search", [waiting]]);
  app.go("triage");
  await settle();
  await go("j");
  // As an item menu does.
  app.menuItem = next ?? null;
  app.commands.run("item.beside");
  app.menuItem = null;
  await settle();
  expect([app.view, panes(), focus()]).toEqual(["search", [waiting, next], next]);
  await go("Escape");
  expect([panes(), focus()]).toEqual([[waiting], waiting]);
});

it("two items replace the list at medium width", async () => {
  const app = await reading(1280);
  await beside();
  expect(seen()).toEqual(["acme/app#1", "acme/app#3"]);
  await go("h");
  await go("h");
  expect([seen(), focus()]).toEqual([["list", "acme/app#3"], "list"]);
  await go("l");
  expect([seen(), focus()]).toEqual([["acme/app#1", "acme/app#3"], "acme/app#1"]);
  await go("l");
  expect(focus()).toBe("acme/app#3");
  const box = document.querySelector<HTMLTextAreaElement>("#query");
  if (box) box.value = "is:open";
  box?.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await settle();
  expect([seen(), app.splitPane.isOpen]).toEqual([["list", "acme/app#3"], true]);
  button("← acme/app#1")?.click();
  await settle();
  expect([seen(), focus()]).toEqual([["acme/app#1", "acme/app#3"], "acme/app#1"]);
  await go("Escape");
  expect(seen()).toEqual(["list", "acme/app#1"]);
});

it("opens a previewed result beside the read item", async () => {
  const app = await reading(1600);
  toThird();
  await passing();
  expect(panes()).toEqual(["acme/app#3"]);
  await go("Enter", { shiftKey: true });
  expect(panes()).toEqual(["acme/app#1", "acme/app#3"]);
  // The list controls the second pane; the first stays.
  await go("j");
  await passing();
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#4"], "acme/app#4"]);
  await go("h");
  await go("h");
  await go("ArrowDown");
  await go("Enter");
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#5"], "acme/app#5"]);
  // An item is never beside itself.
  document.getElementById("hit-0")?.click();
  await settle();
  expect([panes(), app.splitPane.pane]).toEqual([["acme/app#1", "acme/app#5"], "first"]);
  // From the list, Esc focuses the box as usual.
  await go("Escape");
  expect([document.activeElement?.id, panes().length]).toEqual(["query", 2]);
});

it("a narrow window shows one pane", async () => {
  await reading(900);
  await beside();
  expect([seen(), focus()]).toEqual([["acme/app#3"], "acme/app#3"]);
  button("← acme/app#1")?.click();
  await settle();
  expect([seen(), focus()]).toEqual([["acme/app#1"], "acme/app#1"]);
  await go("l");
  expect(seen()).toEqual(["acme/app#3"]);
  await go("Escape");
  expect([seen(), focus()]).toEqual([["list"], "list"]);
});

it("layout depends on the width", () => {
  const { splitPane } = new AppState();
  const at = (width: number, reading: boolean) => Object.entries(splitPane.layout(width, reading)).flatMap(([name, isSeen]) => (isSeen ? [name] : [])).join(" ");
  expect([at(0, false), at(1000, true), at(959, true), at(959, false)]).toEqual(["list first", "list first", "first", "list"]);
  splitPane.reader.loading = true;
  splitPane.pane = "second";
  expect([at(0, true), at(1400, false), at(1399, true), at(1399, false), at(999, true), at(999, false)]).toEqual([
    "list first second", "list first second", "first second", "list second", "second", "list",
  ]);
  splitPane.pane = "first";
  expect(at(999, true)).toBe("first");
});

it("the open item stays selected in the list", async () => {
  const app = await reading(1600);
  const marked = () => list()?.querySelector("[aria-selected=true]")?.getAttribute("data-doc");
  await beside();
  expect(marked()).toBe("acme/app#3");
  await go("Escape");
  expect([marked(), panes(), app.item?.key]).toEqual(["acme/app#1", ["acme/app#1"], "acme/app#1"]);
  await go("Escape");
  expect([marked(), app.item?.key]).toEqual(["acme/app#1", "acme/app#1"]);
  // An item opened elsewhere is selected, too, and the next step starts there.
  await app.openDocument("acme/app#5");
  await settle();
  expect(marked()).toBe("acme/app#5");
  app.searchFor("tls");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await app.openDocument("acme/app#2");
  dispatchEvent(new Event("pagehide"));
  const again = await openWindow("full");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await settle();
  expect([again.search.query, again.reader.thread?.key, marked()]).toEqual(["tls", "acme/app#2", "acme/app#2"]);
});
