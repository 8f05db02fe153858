import { describe, expect, it } from "vitest";
import { add, completing, filter, filters, has, remove, toggle, withoutFilters } from "./query";

describe("filters of a query", () => {
  it("are found, with quotes, negation and case", () => {
    const found = filters('Crash is:closed -label:"help wanted" SOURCE:acme/app "is:open" http://x.example:80 a:b');
    expect(found.map((f) => [f.text, f.name, f.value, f.negated])).toEqual([
      ["is:closed", "is", "closed", false],
      ['-label:"help wanted"', "label", "help wanted", true],
      ["SOURCE:acme/app", "source", "acme/app", false],
    ]);
  });

  it("are not what an error message looks like", () => {
    expect(filters("error: connection refused at main.rs:17 std::io::Error")).toEqual([]);
    expect(filters("is: label:")).toEqual([]);
  });

  it("bear an unclosed quote", () => {
    expect(filters('label:"help wan is:open 5 disk').map((f) => f.text)).toEqual(['label:"help', "is:open"]);
  });

  it("go by several names", () => {
    expect(filters("state:OPEN type:pull-request repo:a/b is:wiki").map((f) => `${f.name}:${f.value}`)).toEqual([
      "is:open", "is:pr", "source:a/b", "is:page",
    ]);
    expect(toggle("slow type:issue", "is:pr", ["is:issue", "is:pr"])).toBe("slow is:pr");
  });

  it("are none in a pasted text", () => {
    expect(filters("panic: is:closed\n  at foo")).toEqual([]);
    expect(filters(`is:closed ${"x".repeat(1000)}`)).toEqual([]);
  });

  it("can be taken out without leaving holes", () => {
    const query = "slow is:open   start";
    const first = filters(query)[0];
    expect(first && remove(query, first)).toBe("slow start");
    expect(withoutFilters('is:open a label:"x y" b is:pr')).toBe("a b");
    expect(withoutFilters("is:open")).toBe("");
  });

  it("can be turned on and off", () => {
    expect(toggle("slow", "is:open")).toBe("slow is:open");
    expect(toggle("slow is:OPEN start is:open", "is:open")).toBe("slow start");
    expect(toggle("", "is:pr")).toBe("is:pr");
  });

  it("exclude the others of their group", () => {
    expect(toggle("is:issue slow is:open", "is:pr", ["is:issue", "is:pr", "is:page"])).toBe("slow is:open is:pr");
  });

  it("are added once, quoted where they need it", () => {
    expect(add("slow", filter("label", "help wanted"))).toBe('slow label:"help wanted"');
    expect(add('slow label:"Help Wanted"', filter("label", "help wanted"))).toBe('slow label:"Help Wanted"');
    expect(filter("label", "bug")).toBe("label:bug");
  });

  it("know whether they are negated", () => {
    expect(has("-is:open", "is:open")).toBe(false);
    expect(has("is:open", "is:open")).toBe(true);
  });
});

it("completes the filter at whose end the cursor stands", () => {
  expect(completing("tls label:ar", 12)).toEqual({ name: "label", value: "ar", negated: false, start: 4, end: 12 });
  expect(completing('-label:"help w', 14)).toMatchObject({ value: "help w", negated: true, start: 0 });
  expect(completing("repo:acme tls", 9)).toMatchObject({ name: "source", value: "acme" });
  for (const query of ["label:area tls", "http://acme", "a log\nlabel:x", "tls"]) expect(completing(query, query.length), query).toBe(null);
  expect(completing("label:area", 7)).toBe(null);
});
