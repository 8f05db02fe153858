import { expect, it } from "vitest";
import { basis, became } from "./words";

it("says what became of a candidate", () => {
  expect(became("open").words).toBe("Still open");
  expect(became({ fixed: "0.9.2" }).words).toBe("Fixed in 0.9.2");
  expect(became({ fixed: null }).words).toBe("Fixed");
  expect(became({ possible_regression: null }).tone).toBe("warn");
});

it("says what a confidence rests on", () => {
  expect(basis(1204)).toBe("calibrated on 1,204 known duplicates");
  expect(basis(0)).toContain("too few");
});
