import { describe, expect, it } from "vitest";
import { plural } from "../words/english/numbers";
import { count, isIndexBehind, mergeSpans, perSecond, spanText, rate, sentence, displayTitle } from "./text";

const span = (text: string, hit = false) => ({ text, hit });

describe("marked text", () => {
  it("merges adjacent marks across spaces", () => {
    const spans = [span("a "), span(""), span("b"), span("x", true), span(" "), span("y", true), span("  "), span("z", true)];
    expect(mergeSpans(spans)).toEqual([span("a b"), span("x y", true), span("  "), span("z", true)]);
    expect(spanText(mergeSpans(spans))).toBe(spanText(spans));
  });
});

describe("numbers", () => {
  it("are grouped and pluralized", () => {
    expect([count(999), count(12360), count(1234567)]).toEqual(["999", "12,360", "1,234,567"]);
    expect([plural(1, "comment"), plural(0, "comment")]).toEqual(["1 comment", "0 comments"]);
  });

  it("include a rate after one second", () => {
    expect(rate({ time: 0, done: 10 }, 500, 40)).toBeNull();
    expect(rate({ time: 0, done: 10 }, 2000, 86)).toBe(38);
    expect([perSecond(38), perSecond(0.42)]).toEqual(["38/s", "0.4/s"]);
  });
});

describe("the index", () => {
  const empty = { documents: 0, full_text: 0, chunks: 0, embedded: 0, unread: 0 };

  it("is behind if it is incomplete", () => {
    expect(isIndexBehind(empty, true)).toBe(false);
    expect(isIndexBehind({ ...empty, documents: 5, full_text: 5 }, true)).toBe(true);
    expect(isIndexBehind({ ...empty, documents: 5, full_text: 5 }, false)).toBe(false);
    expect(isIndexBehind({ documents: 5, full_text: 5, chunks: 9, embedded: 9, unread: 0 }, true)).toBe(false);
    expect(isIndexBehind({ documents: 5, full_text: 4, chunks: 9, embedded: 9, unread: 0 }, false)).toBe(true);
  });
});

it("turns messages into sentences", () => {
  expect([sentence("the disk is full"), sentence("What?")]).toEqual(["The disk is full.", "What?"]);
  expect(["acme/app#7 is gone", "api.example.org does not answer", "owner/name: no such project", "“x” is no key"].map(sentence)).toEqual([
    "acme/app#7 is gone.", "api.example.org does not answer.", "owner/name: no such project.", "“x” is no key.",
  ]);
});

it("removes bidirectional control characters", () => {
  expect(displayTitle("file \u202Egpj.exe\u202C and \u2066\u2067x\u2069")).toBe("file gpj.exe and x");
  expect(displayTitle("\u200F2.3.1 خطأ")).toBe("\u200F2.3.1 خطأ");
});

it("replaces an empty title", () => {
  expect([displayTitle(" \n"), displayTitle("Pump stops")]).toEqual(["(no title)", "Pump stops"]);
});
