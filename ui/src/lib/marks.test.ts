import { expect, it } from "vitest";
import { highlightMarks } from "./marks";
import type { Mark } from "./types";

const marks: Mark[] = [
  { text: "fw-1043", kind: "same" },
  { text: "2.9.1", kind: "differs" },
  { text: "stall", kind: "word" },
];

it("marks whole words, ignoring case", () => {
  expect(highlightMarks('<p title="stall">FW-1043 on <b>2.9.1</b>: stalls, no stall</p>', marks)).toBe(
    '<p title="stall"><mark class="same">FW-1043</mark> on <b><mark class="differs">2.9.1</mark></b>: stalls, no <mark class="word">stall</mark></p>',
  );
});

it("prefers the longer match", () => {
  const both: Mark[] = [{ text: "open", kind: "word" }, { text: "open_slot", kind: "same" }];
  expect(highlightMarks("<code>open_slot</code> open", both)).toBe(
    '<code><mark class="same">open_slot</mark></code> <mark class="word">open</mark>',
  );
});

it("never turns text into markup", () => {
  expect(highlightMarks("&lt;img src=x&gt; stall", marks)).toBe('&lt;img src=x&gt; <mark class="word">stall</mark>');
  expect(highlightMarks("a.b", [{ text: ".*", kind: "word" }])).toBe("a.b");
});

it("limits the number of marks", () => {
  const html = highlightMarks("error ".repeat(66_000), [{ kind: "word", text: "error" }]);
  expect([html.match(/<mark/g)?.length, html.match(/error/g)?.length]).toEqual([5_000, 66_000]);
});

it("returns text without matches unchanged", () => {
  expect(highlightMarks("<p>x</p>", [])).toBe("<p>x</p>");
});
