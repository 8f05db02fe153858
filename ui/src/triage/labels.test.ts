import { expect, it } from "vitest";
import { BAND_LABELS, dispositionLabel, BAND_SYMBOLS, progress, reason, queueSummary } from "./labels";

it("names the outcome of a candidate", () => {
  expect(dispositionLabel("open").words).toBe("Still open");
  expect(dispositionLabel({ fixed: "0.9.2" }).words).toBe("Fixed in 0.9.2");
  expect(dispositionLabel({ fixed: null }).words).toBe("Fixed");
  expect(dispositionLabel("completed")).toEqual({ words: "Closed without a documented fix", tone: "plain" });
  expect(dispositionLabel({ possible_regression: null }).tone).toBe("warn");
});

it("each band has its own phrase and symbol", () => {
  expect(BAND_LABELS.likely("#1")).toBe("Likely duplicate of #1");
  expect(BAND_LABELS.possible("#1")).toBe("Possible duplicate of #1");
  const bands = Object.values(BAND_LABELS).map((label) => label("#1"));
  for (const labels of [bands, Object.values(BAND_SYMBOLS)]) expect(new Set(labels).size).toBe(5);
});

it("summarizes the queue", () => {
  expect(queueSummary(230, 100, 41.6)).toBe("{waiting} to review; of the 100 shown, about 42 likely duplicates");
  expect(queueSummary(5, 5, 1.2)).toBe("{waiting} to review, about 1 likely duplicate");
  expect(queueSummary(5, 5, 0.4)).toBe("{waiting} to review, probably no duplicates");
  expect([queueSummary(1, 1, 0.6), queueSummary(0, 0, 0), queueSummary(3, 0, 0)]).toEqual(["{waiting} to review", "All caught up", "{waiting} to review"]);
});

it("shows figures of reasons on request", () => {
  expect(reason("similar meaning (0.78)", false)).toBe("similar meaning");
  expect(reason("similar meaning (0.78)", true)).toBe("similar meaning (0.78)");
  expect(reason("the same error code: FW-1043 (new)", false)).toBe("the same error code: FW-1043 (new)");
});

it("shows progress after the first decision", () => {
  expect([progress(0, 40), progress(14, 26), progress(40, 0)]).toEqual(["", "14 of 40 decided today", "40 decided today"]);
});
