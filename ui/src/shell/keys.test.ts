import { expect, it } from "vitest";
import { VIEWS, ViewKeys } from "./keys";

const press = (key: string, init: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, ...init });

it("digits open views, with Ctrl everywhere", () => {
  const keys = new ViewKeys();
  expect(keys.read(press("2"))).toBe(VIEWS[1]?.id);
  expect(keys.read(press("9"))).toBe(null);
  const box = document.createElement("textarea");
  let view: unknown = "nothing";
  box.addEventListener("keydown", (event) => (view = keys.read(event)));
  box.dispatchEvent(press("2"));
  expect(view).toBe(null);
  box.dispatchEvent(press("2", { ctrlKey: true }));
  expect(view).toBe(VIEWS[1]?.id);
});

it("g and a letter open a view", () => {
  const keys = new ViewKeys();
  expect(keys.read(press("t"), 0)).toBe(null);
  expect(keys.read(press("g"), 0)).toBe("waiting");
  expect(keys.read(press("t"), 900)).toBe("triage");
  expect(keys.read(press("t"), 1000)).toBe(null);
  keys.read(press("g"), 2000);
  expect(keys.read(press("t"), 5000)).toBe(null);
});
