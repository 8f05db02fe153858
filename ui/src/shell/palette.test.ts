import { expect, it } from "vitest";
import { documentKey, fit, matching, type Command } from "./palette";

const command = (title: string): Command => ({ id: title, title, run: () => {} });

it("prefers a whole word to scattered letters", () => {
  const commands = ["Show sources", "Sync all sources", "Settings"].map(command);
  expect(matching(commands, "sync").map((c) => c.title)).toEqual(["Sync all sources"]);
  expect(matching(commands, "sas")[0]?.title).toBe("Sync all sources");
  expect(matching(commands, "zzz")).toEqual([]);
});

it("keeps the order while nothing is typed", () => {
  const commands = ["b", "a"].map(command);
  expect(matching(commands, " ").map((c) => c.title)).toEqual(["b", "a"]);
  expect(fit("anything", "")).toBe(0);
});

it("knows the key of a document", () => {
  expect(documentKey("acme/app#12")).toBe("acme/app#12");
  expect(documentKey(" #7 ")).toBe("7");
  expect(documentKey("acme/app:Upgrade-to-3")).toBe("acme/app:Upgrade-to-3");
  expect(documentKey("error 7")).toBe(null);
});
