import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { AppState } from "../shell/appState.svelte";
import { button, openWindow, setUpPage, press, settle, text } from "../testing/testPage";

setUpPage();

/** Opens a window of this width with a document, and focuses the list. */
async function openReader(width: number): Promise<AppState> {
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
const visibleParts = () => [document.querySelector(".results") && "list", ...panes()].filter(Boolean);
/** Returns the focused part: the list, or a pane's document. */
const focus = () => (document.activeElement === list() ? "list" : document.activeElement?.closest(".reader")?.getAttribute("data-doc"));
const pressAndSettle = async (key: string, init: KeyboardEventInit = {}) => {
  press(key, init);
  // An element that reappears gets the focus in the next frame.
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await settle();
};
/** Selects the third result; the first one is open and selected. */
function selectThird(): void {
  for (let index = 0; index < 2; index++) {
    press("ArrowDown");
    flushSync();
  }
}
/** Opens the third result beside the open document. */
async function openBeside(): Promise<void> {
  selectThird();
  await pressAndSettle("Enter", { shiftKey: true });
}
/** Waits for the preview of the selected result. */
const waitForPreview = () => new Promise((resolve) => setTimeout(resolve, 120));

it("opens a second item and shows the focus", async () => {
  await openReader(1600);
  await openBeside();
  expect([visibleParts(), focus()]).toEqual([["list", "acme/app#1", "acme/app#3"], "acme/app#3"]);
  const current = () => document.querySelector(".reader[aria-current=true]")?.getAttribute("data-doc");
  expect(current()).toBe("acme/app#3");
  await pressAndSettle("h");
  expect([focus(), current()]).toEqual(["acme/app#1", "acme/app#1"]);
  await pressAndSettle("h");
  expect(focus()).toBe("list");
  await pressAndSettle("l");
  await pressAndSettle("l");
  expect([focus(), current()]).toEqual(["acme/app#3", "acme/app#3"]);
  // A link opens in its own pane, here the link to the fix.
  document.querySelector<HTMLElement>("[data-pane=second] .fix")?.click();
  await settle();
  expect(panes()).toEqual(["acme/app#1", "acme/app#9"]);
});

it("closing the second item restores the focus", async () => {
  const app = await openReader(1600);
  await openBeside();
  await pressAndSettle("Escape");
  expect([visibleParts(), focus()]).toEqual([["list", "acme/app#1"], "list"]);
  await pressAndSettle("l");
  // Opens from a link in the first document and returns to it.
  const link = document.querySelector<HTMLElement>(".links .link");
  link?.focus();
  await pressAndSettle("Enter", { shiftKey: true });
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#9"], "acme/app#9"]);
  button("Close this pane")?.click();
  await settle();
  expect([panes(), document.activeElement?.className]).toEqual([["acme/app#1"], expect.stringContaining("link")]);
  expect(app.splitPane.isOpen).toBe(false);
});

it("back and forward restore both items", async () => {
  const app = await openReader(1600);
  await openBeside();
  await pressAndSettle("Escape");
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
  await pressAndSettle("Enter", { shiftKey: true });
  expect([app.view, panes()]).toEqual(["search", [waiting]]);
  app.go("triage");
  await settle();
  await pressAndSettle("j");
  // As an item menu does.
  app.menuItem = next ?? null;
  app.commands.run("item.beside");
  app.menuItem = null;
  await settle();
  expect([app.view, panes(), focus()]).toEqual(["search", [waiting, next], next]);
  await pressAndSettle("Escape");
  expect([panes(), focus()]).toEqual([[waiting], waiting]);
});

it("two items replace the list at medium width", async () => {
  const app = await openReader(1280);
  await openBeside();
  expect(visibleParts()).toEqual(["acme/app#1", "acme/app#3"]);
  await pressAndSettle("h");
  await pressAndSettle("h");
  expect([visibleParts(), focus()]).toEqual([["list", "acme/app#3"], "list"]);
  await pressAndSettle("l");
  expect([visibleParts(), focus()]).toEqual([["acme/app#1", "acme/app#3"], "acme/app#1"]);
  await pressAndSettle("l");
  expect(focus()).toBe("acme/app#3");
  const box = document.querySelector<HTMLTextAreaElement>("#query");
  if (box) box.value = "is:open";
  box?.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await settle();
  expect([visibleParts(), app.splitPane.isOpen]).toEqual([["list", "acme/app#3"], true]);
  button("← acme/app#1")?.click();
  await settle();
  expect([visibleParts(), focus()]).toEqual([["acme/app#1", "acme/app#3"], "acme/app#1"]);
  await pressAndSettle("Escape");
  expect(visibleParts()).toEqual(["list", "acme/app#1"]);
});

it("opens a previewed result beside the read item", async () => {
  const app = await openReader(1600);
  selectThird();
  await waitForPreview();
  expect(panes()).toEqual(["acme/app#3"]);
  await pressAndSettle("Enter", { shiftKey: true });
  expect(panes()).toEqual(["acme/app#1", "acme/app#3"]);
  // The list controls the second pane; the first stays.
  await pressAndSettle("j");
  await waitForPreview();
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#4"], "acme/app#4"]);
  await pressAndSettle("h");
  await pressAndSettle("h");
  await pressAndSettle("ArrowDown");
  await pressAndSettle("Enter");
  expect([panes(), focus()]).toEqual([["acme/app#1", "acme/app#5"], "acme/app#5"]);
  // An item is never beside itself.
  document.getElementById("hit-0")?.click();
  await settle();
  expect([panes(), app.splitPane.pane]).toEqual([["acme/app#1", "acme/app#5"], "first"]);
  // From the list, Esc focuses the box as usual.
  await pressAndSettle("Escape");
  expect([document.activeElement?.id, panes().length]).toEqual(["query", 2]);
});

it("a narrow window shows one pane", async () => {
  await openReader(900);
  await openBeside();
  expect([visibleParts(), focus()]).toEqual([["acme/app#3"], "acme/app#3"]);
  button("← acme/app#1")?.click();
  await settle();
  expect([visibleParts(), focus()]).toEqual([["acme/app#1"], "acme/app#1"]);
  await pressAndSettle("l");
  expect(visibleParts()).toEqual(["acme/app#3"]);
  await pressAndSettle("Escape");
  expect([visibleParts(), focus()]).toEqual([["list"], "list"]);
});

it("layout depends on the width", () => {
  const { splitPane } = new AppState();
  const parts = (width: number, reading: boolean) => Object.entries(splitPane.layout(width, reading)).flatMap(([name, isVisible]) => (isVisible ? [name] : [])).join(" ");
  expect([parts(0, false), parts(1000, true), parts(959, true), parts(959, false)]).toEqual(["list first", "list first", "first", "list"]);
  splitPane.reader.pending = true;
  splitPane.pane = "second";
  expect([parts(0, true), parts(1400, false), parts(1399, true), parts(1399, false), parts(999, true), parts(999, false)]).toEqual([
    "list first second", "list first second", "first second", "list second", "second", "list",
  ]);
  splitPane.pane = "first";
  expect(parts(999, true)).toBe("first");
});

it("the open item stays selected in the list", async () => {
  const app = await openReader(1600);
  const selectedKey = () => list()?.querySelector("[aria-selected=true]")?.getAttribute("data-doc");
  await openBeside();
  expect(selectedKey()).toBe("acme/app#3");
  await pressAndSettle("Escape");
  expect([selectedKey(), panes(), app.item?.key]).toEqual(["acme/app#1", ["acme/app#1"], "acme/app#1"]);
  await pressAndSettle("Escape");
  expect([selectedKey(), app.item?.key]).toEqual(["acme/app#1", "acme/app#1"]);
  // An item opened elsewhere is also selected, and the next step starts there.
  await app.openDocument("acme/app#5");
  await settle();
  expect(selectedKey()).toBe("acme/app#5");
  app.searchFor("tls");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await app.openDocument("acme/app#2");
  dispatchEvent(new Event("pagehide"));
  const restarted = await openWindow("full");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await settle();
  expect([restarted.search.query, restarted.reader.thread?.key, selectedKey()]).toEqual(["tls", "acme/app#2", "acme/app#2"]);
});
