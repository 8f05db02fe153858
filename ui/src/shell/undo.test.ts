import { beforeEach, expect, it } from "vitest";
import { Toasts } from "./toasts.svelte";
import { UndoStack } from "./undo.svelte";

let toasts: Toasts;
let undo: UndoStack;
let undone: string[];
let errors: unknown[];

beforeEach(() => {
  toasts = new Toasts();
  errors = [];
  undone = [];
  undo = new UndoStack(toasts, (error) => errors.push(error));
});
const act = (words: string) => undo.record(words, () => void undone.push(words));

it("undoes actions in reverse order", async () => {
  act("first.");
  act("second.");
  expect(toasts.current?.text).toBe("second.");
  await undo.undo();
  expect([undone, toasts.current?.text, toasts.current?.undo]).toEqual([["second."], "Undone: second.", null]);
  await undo.undo();
  expect([undone, toasts.current?.text]).toEqual([["second.", "first."], "Undone: first."]);
  expect(await undo.undo()).toBe(false);
});

it("undoes an action once", async () => {
  const entry = act("only.");
  expect([await undo.undo(entry), await undo.undo(entry)]).toEqual([true, false]);
  expect(undone).toEqual(["only."]);
});

it("a failed undo can be repeated", async () => {
  let isLocked = true;
  undo.record("moved.", () => {
    if (isLocked) throw new Error("locked");
    undone.push("moved.");
  });
  expect(await undo.undo()).toBe(false);
  expect([errors.length, toasts.current]).toEqual([1, null]);
  isLocked = false;
  expect([await undo.undo(), undone]).toEqual([true, ["moved."]]);
});
