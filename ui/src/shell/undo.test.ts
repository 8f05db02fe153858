import { beforeEach, expect, it } from "vitest";
import { Toasts } from "./toasts.svelte";
import { UndoStack } from "./undo.svelte";

let toasts: Toasts;
let undo: UndoStack;
let undone: string[];
let texts: unknown[];

beforeEach(() => {
  toasts = new Toasts();
  texts = [];
  undone = [];
  undo = new UndoStack(toasts, (error) => texts.push(error));
});
const did = (words: string) => undo.record(words, () => void undone.push(words));

it("undoes actions in reverse order", async () => {
  did("first.");
  did("second.");
  expect(toasts.shown?.text).toBe("second.");
  await undo.undo();
  expect([undone, toasts.shown?.text, toasts.shown?.undo]).toEqual([["second."], "Undone: second.", null]);
  await undo.undo();
  expect([undone, toasts.shown?.text]).toEqual([["second.", "first."], "Undone: first."]);
  expect(await undo.undo()).toBe(false);
});

it("undoes an action once", async () => {
  const deed = did("only.");
  expect([await undo.undo(deed), await undo.undo(deed)]).toEqual([true, false]);
  expect(undone).toEqual(["only."]);
});

it("a failed undo can be repeated", async () => {
  let refuse = true;
  undo.record("moved.", () => {
    if (refuse) throw new Error("locked");
    undone.push("moved.");
  });
  expect(await undo.undo()).toBe(false);
  expect([texts.length, toasts.shown]).toEqual([1, null]);
  refuse = false;
  expect([await undo.undo(), undone]).toEqual([true, ["moved."]]);
});
