import { expect, it } from "vitest";
import { setUpPage, mountComponent } from "../testing/testPage";
import { comment } from "../testing/samples";
import Comment from "./Comment.svelte";
import { foldLongBlocks } from "./fold";
import type { Mark } from "./types";

const log = (lines: number) => `<pre><code>${Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join("\n")}\n</code></pre>`;
const quote = (paragraphs: number) => `<blockquote>${"<p>Somebody said so.</p>".repeat(paragraphs)}</blockquote>`;

function show(html: string, marks: Mark[] = []): void {
  mountComponent(Comment, { comment: comment(1, { html }), verb: "reported", marks });
}
const button = () => document.querySelector<HTMLElement>(".unfold");
const isOpen = () => document.querySelector(".fold")?.classList.contains("open");

setUpPage();

it("folds and reopens a long log", () => {
  show(log(112));
  expect([button()?.textContent, button()?.getAttribute("aria-expanded"), isOpen()]).toEqual(["Show all 112 lines", "false", false]);
  button()?.click();
  expect([button()?.textContent, button()?.getAttribute("aria-expanded"), isOpen()]).toEqual(["Show less", "true", true]);
  button()?.click();
  expect([button()?.textContent, isOpen()]).toEqual(["Show all 112 lines", false]);
});

it("leaves short blocks open", () => {
  const html = `${log(30)}${quote(6)}`;
  expect(foldLongBlocks(html)).toBe(html);
});

it("folds a long quote, counting wrapped lines", () => {
  show(quote(9));
  expect(button()?.textContent).toBe("Show the whole quote, about 9 lines");
  expect(foldLongBlocks(`<blockquote><p>${"word ".repeat(140)}</p></blockquote>`)).toContain("about 8 lines");
  expect(foldLongBlocks(`<blockquote><p>${"a<br>".repeat(7)}</p></blockquote>`)).toContain("about 7 lines");
  // A log in a folded quote has no button of its own.
  expect(foldLongBlocks(`<blockquote>${"<p>x</p>".repeat(7)}${log(40)}</blockquote>`).match(/<button/g)?.length).toBe(1);
});

it("the button counts hidden highlights", () => {
  show(log(40), [{ text: "line 39", kind: "same" }]);
  expect(button()?.textContent).toBe("Show all 40 lines (1 highlight)");
});

it("opens the fold that receives focus", () => {
  show(quote(9).replace("said", '<a href="https://a.example/">said</a>'));
  document.querySelector<HTMLElement>(".fold a")?.focus();
  expect(isOpen()).toBe(true);
});

it("tracker text cannot imitate a fold", () => {
  show('<div class="fold"><p>hostile</p></div>');
  expect(document.querySelector(".prose .fold")).toBe(null);
});
