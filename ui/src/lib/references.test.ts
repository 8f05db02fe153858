import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync, tick } from "svelte";
import { expect, it } from "vitest";
import { openWindow, setUpPage, settle, mountComponent } from "../testing/testPage";
import { link, thread } from "../testing/samples";
import PlainText from "./PlainText.svelte";
import { followLink } from "./linkActions";
import { referenceContext, linkReferences } from "./references";

setUpPage();

const sample = thread("plain", 1);
const context = referenceContext({ ...sample, url: "https://tracker.example/acme/app/issues/1", links: [link("mentions", { key: "acme/app#40" }), link("mentions", { key: "acme/ui#2" }), link("mentions", { key: "acme/app#7", document: null })] });

/** Returns the linked texts and their targets: an item's key or an address. */
function links(html: string, textContext = context): string[][] {
  document.body.innerHTML = linkReferences(html, textContext);
  return [...document.body.querySelectorAll("a")].map((entry) => [entry.textContent ?? "", entry.dataset["item"] ?? entry.getAttribute("href") ?? ""]);
}

it("links items here or at the tracker", () => {
  expect(links("<p>See #40, acme/ui#2 and (#1); #7 is gone.</p>")).toEqual([
    ["#40", "acme/app#40"], ["acme/ui#2", "acme/ui#2"], ["#1", "acme/app#1"], ["#7", "https://tracker.example/acme/app/issues/7"],
  ]);
  expect(document.body.textContent).toBe("See #40, acme/ui#2 and (#1); #7 is gone.");
  expect(links("<p>other/thing#5 colour#123 x#1 ab#12c &#35;</p>")).toEqual([]);
});

it("links addresses without trailing punctuation", () => {
  expect(links("<p>(see https://a.example/x_(y)). Then https://b.example/q?a=1&amp;b=2, or https://tracker.example/acme/app/issues/40!</p>")).toEqual([
    ["https://a.example/x_(y)", "https://a.example/x_(y)"], ["https://b.example/q?a=1&b=2", "https://b.example/q?a=1&b=2"],
    ["https://tracker.example/acme/app/issues/40", "acme/app#40"],
  ]);
  expect(links('<a href="https://tracker.example/acme/app/issues/40">that one</a>')).toEqual([["that one", "acme/app#40"]]);
  expect(links('<a href="https://tracker.example/acme/app/issues/40#comment-3">that comment</a>')[0]?.[1]).toBe("https://tracker.example/acme/app/issues/40#comment-3");
});

it("links commits, not words or numbers", () => {
  expect(links("<p>Fixed in 4fd3a9c1. 20260401, defaced, v4fd3a9c1, 4fd3a9c1.log</p>")).toEqual([["4fd3a9c1", "https://tracker.example/acme/app/commit/4fd3a9c1"]]);
  expect(links("<p>4fd3a9c1</p>", { ...context, base: null })).toEqual([]);
});

it("leaves code and existing links alone", () => {
  expect(links('<pre>#40 https://a.example</pre><code>#40</code><a href="https://a.example/">#40</a>')).toEqual([["#40", "https://a.example/"]]);
  for (const long of ["a/".repeat(100_000), "x".repeat(300_000), "#1 ".repeat(60_000), "http://".repeat(40_000)]) {
    const start = performance.now();
    linkReferences(`<p>${long}</p>`, context);
    expect(performance.now() - start).toBeLessThan(2_000);
  }
});

it("links never leave the page", () => {
  const targets: string[] = [];
  const actions = { openItem: (key: string) => targets.push(key), openAddress: (url: string) => targets.push(url), mirrors: () => true };
  document.body.innerHTML = linkReferences("<p>#40 https://a.example/b</p>", context);
  for (const entry of document.querySelectorAll("a")) {
    const event = new MouseEvent("click", { bubbles: true, cancelable: true });
    entry.addEventListener("click", (click) => followLink(click, null, actions));
    entry.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
  }
  expect(targets).toEqual(["acme/app#40", "https://a.example/b"]);
});

it("opens a referenced item", async () => {
  const app = await openWindow("full");
  await app.openDocument("acme/app#1");
  await settle();
  document.querySelector<HTMLElement>(".prose a[data-item]")?.click();
  await settle();
  expect(app.reader.thread?.key).toBe("acme/app#40");
});

it("renders Markdown in one batch", async () => {
  const requests: string[][] = [];
  mockIPC((command, payload) => {
    if (command !== "prose") return null;
    const { texts } = payload as { texts: string[] };
    requests.push(texts);
    return texts.map((text) => `<p>${text.replace(/\*\*(.+?)\*\*/g, "<strong>$1</strong>")}</p>`);
  });
  mountComponent(PlainText, { text: "It is **bold**." });
  expect(document.body.textContent).toContain("It is **bold**.");
  mountComponent(PlainText, { text: "This is **too**." });
  await new Promise((resolve) => setTimeout(resolve, 10));
  flushSync();
  await tick();
  expect([...document.querySelectorAll("strong")].map((entry) => entry.textContent)).toEqual(["too"]);
  expect(requests).toEqual([["It is **bold**.", "This is **too**."]]);
});
