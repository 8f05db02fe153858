import { describe, expect, it } from "vitest";
import { absoluteTime, pickLocale, relativeTime, compactAge } from "./time";

const NOW = Date.parse("2026-03-10T12:00:00Z");

describe("dates in words", () => {
  it.each([
    ["2026-03-10T11:59:40Z", "just now", "now"],
    ["2026-03-10T11:59:00Z", "1 minute ago", "1min"],
    ["2026-03-10T09:00:00Z", "3 hours ago", "3h"],
    ["2026-03-08T12:00:00Z", "2 days ago", "2d"],
    ["2026-02-20T12:00:00Z", "2 weeks ago", "2w"],
    ["2025-12-01T12:00:00Z", "3 months ago", "3mo"],
    ["2023-01-01T00:00:00Z", "3 years ago", "3y"],
    ["2026-03-12T12:00:00Z", "in 2 days", "2d"],
  ])("%s", (time, long, brief) => {
    expect(relativeTime(time, NOW)).toBe(long);
    expect(compactAge(time, NOW)).toBe(brief);
  });

  it("are empty for invalid dates", () => {
    expect([relativeTime(null), relativeTime("soon"), compactAge(null), absoluteTime(null), absoluteTime("soon")]).toEqual(["", "", "", "", ""]);
  });

  it("include the exact time", () => {
    expect(absoluteTime("2026-03-10T12:00:00Z")).toMatch(/2026/);
  });
});

describe("the locale", () => {
  it("is accepted by Intl", () => {
    expect(pickLocale(["C"])).toBe("en");
    expect(pickLocale(["en_US", "POSIX", "", "de-AT"])).toBe("de-AT");
    expect(pickLocale([])).toBe("en");
  });
});
