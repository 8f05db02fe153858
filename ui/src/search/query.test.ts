import { describe, expect, it } from "vitest";
import { addFilter, filterAtCursor, filter, parseFilters, hasFilter, removeFilter, toggleFilter, removeFilters } from "./query";

describe("filters of a query", () => {
  it("finds quoted, negated and uppercase filters", () => {
    const filters = parseFilters('Crash is:closed -label:"help wanted" SOURCE:acme/app "is:open" http://x.example:80 a:b');
    expect(filters.map((f) => [f.text, f.name, f.value, f.negated])).toEqual([
      ["is:closed", "is", "closed", false],
      ['-label:"help wanted"', "label", "help wanted", true],
      ["SOURCE:acme/app", "source", "acme/app", false],
    ]);
  });

  it("ignores colons in error messages", () => {
    expect(parseFilters("error: connection refused at main.rs:17 std::io::Error")).toEqual([]);
    expect(parseFilters("is: label:")).toEqual([]);
  });

  it("accepts an unclosed quote", () => {
    expect(parseFilters('label:"help wan is:open 5 disk').map((f) => f.text)).toEqual(['label:"help', "is:open"]);
  });

  it("accepts aliases", () => {
    expect(parseFilters("state:OPEN type:pull-request repo:a/b is:wiki").map((f) => `${f.name}:${f.value}`)).toEqual([
      "is:open", "is:pr", "source:a/b", "is:page",
    ]);
    expect(toggleFilter("slow type:issue", "is:pr", ["is:issue", "is:pr"])).toBe("slow is:pr");
  });

  it("finds no filters in pasted text", () => {
    expect(parseFilters("panic: is:closed\n  at foo")).toEqual([]);
    expect(parseFilters(`is:closed ${"x".repeat(1000)}`)).toEqual([]);
  });

  it("removes filters without extra spaces", () => {
    const query = "slow is:open   start";
    const first = parseFilters(query)[0];
    expect(first && removeFilter(query, first)).toBe("slow start");
    expect(removeFilters('is:open a label:"x y" b is:pr')).toBe("a b");
    expect(removeFilters("is:open")).toBe("");
  });

  it("toggles a filter", () => {
    expect(toggleFilter("slow", "is:open")).toBe("slow is:open");
    expect(toggleFilter("slow is:OPEN start is:open", "is:open")).toBe("slow start");
    expect(toggleFilter("", "is:pr")).toBe("is:pr");
  });

  it("replaces an exclusive filter", () => {
    expect(toggleFilter("is:issue slow is:open", "is:pr", ["is:issue", "is:pr", "is:page"])).toBe("slow is:open is:pr");
  });

  it("adds a filter once, quoted if needed", () => {
    expect(addFilter("slow", filter("label", "help wanted"))).toBe('slow label:"help wanted"');
    expect(addFilter('slow label:"Help Wanted"', filter("label", "help wanted"))).toBe('slow label:"Help Wanted"');
    expect(filter("label", "bug")).toBe("label:bug");
  });

  it("distinguishes negated filters", () => {
    expect(hasFilter("-is:open", "is:open")).toBe(false);
    expect(hasFilter("is:open", "is:open")).toBe(true);
  });
});

it("completes the filter before the cursor", () => {
  expect(filterAtCursor("tls label:ar", 12)).toEqual({ name: "label", value: "ar", negated: false, start: 4, end: 12 });
  expect(filterAtCursor('-label:"help w', 14)).toMatchObject({ value: "help w", negated: true, start: 0 });
  expect(filterAtCursor("tls version:2.3", 15)).toMatchObject({ name: "version", value: "2.3" });
  expect(filterAtCursor("repo:acme tls", 9)).toMatchObject({ name: "source", value: "acme" });
  for (const query of ["label:area tls", "http://acme", "a log\nlabel:x", "tls"]) expect(filterAtCursor(query, query.length), query).toBe(null);
  expect(filterAtCursor("label:area", 7)).toBe(null);
});
