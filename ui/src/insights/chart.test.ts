import { expect, it } from "vitest";
import { monthName, named, ticks } from "./chart";

it("rounds an axis", () => {
  expect(ticks(0)).toEqual([0, 1]);
  expect(ticks(7)).toEqual([0, 2, 4, 6, 8]);
  expect(ticks(430)).toEqual([0, 200, 400, 600]);
  expect(ticks(0.31)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
});

it("names months", () => {
  expect(monthName("2026-03")).toBe("Mar 2026");
  const years = Array.from({ length: 36 }, (_, at) => `${2024 + Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`);
  expect([...named(years, 10)]).toEqual([0, 12, 24]);
  expect([...named(years.slice(0, 12), 6)]).toEqual([0, 2, 4, 6, 8, 10]);
});
