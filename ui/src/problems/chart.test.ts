import { expect, it } from "vitest";
import { setUpPage, mountComponent } from "../testing/testPage";
import MonthChart from "./MonthChart.svelte";
import { monthName, labeledMonths, axisValues } from "./chart";

it("rounds axis values", () => {
  expect(axisValues(0)).toEqual([0, 1]);
  expect(axisValues(7)).toEqual([0, 2, 4, 6, 8]);
  expect(axisValues(1, true)).toEqual([0, 1]);
  expect(axisValues(430)).toEqual([0, 200, 400, 600]);
  expect(axisValues(0.31)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
});

it("labels months", () => {
  expect(monthName("2026-03")).toBe("Mar 2026");
  const years = Array.from({ length: 36 }, (_, index) => `${2024 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, "0")}`);
  expect([...labeledMonths(years, 10)]).toEqual([0, 12, 24]);
  expect([...labeledMonths(years.slice(0, 12), 6)]).toEqual([0, 2, 4, 6, 8, 10]);
});

setUpPage();

it("a bar opens its reports", () => {
  const calls: string[] = [];
  const series = [{ id: "created", name: "reported", tone: "first" as const, values: [3, 5] }];
  mountComponent(MonthChart, { title: "Issues", months: ["2026-01", "2026-02"], kind: "bars", format: String, series, openReports: (month: string, id: string) => calls.push(`${id} ${month}`) });
  document.querySelectorAll("rect[data-month]")[1]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(calls).toEqual(["created 2026-02"]);
});
