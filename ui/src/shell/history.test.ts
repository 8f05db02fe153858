import { expect, it } from "vitest";
import { History } from "./history.svelte";

it("a new place clears the forward history", () => {
  const history = new History<string>((a, b) => a === b);
  history.leave("a");
  history.back("b");
  history.leave("a");
  expect([history.previous, history.next]).toEqual(["a", null]);
});

it("never leads to the current place", () => {
  const history = new History<string>((a, b) => a === b);
  history.leave("a");
  history.leave("b");
  history.leave("b");
  expect([history.back("b"), history.back("a")]).toEqual(["a", null]);
});
