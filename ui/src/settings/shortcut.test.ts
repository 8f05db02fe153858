import { flushSync, mount, unmount } from "svelte";
import { expect, it } from "vitest";
import { parseShortcut } from "./shortcut";
import ShortcutField from "./ShortcutField.svelte";

const key = (key: string, code: string, init: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...init });

it("formats pressed keys", () => {
  expect(parseShortcut(key("p", "KeyP", { ctrlKey: true, altKey: true }))).toEqual({ shortcut: "Ctrl+Alt+P" });
  expect(parseShortcut(key("P", "KeyP", { ctrlKey: true, shiftKey: true }))).toEqual({ shortcut: "Ctrl+Shift+P" });
  expect(parseShortcut(key(" ", "Space", { altKey: true }))).toEqual({ shortcut: "Alt+Space" });
  expect(parseShortcut(key("ArrowUp", "ArrowUp", { metaKey: true }))).toEqual({ shortcut: "Super+Up" });
  expect(parseShortcut(key("F8", "F8", { ctrlKey: true }))).toEqual({ shortcut: "Ctrl+F8" });
  expect(parseShortcut(key("!", "Digit1", { ctrlKey: true, shiftKey: true }))).toEqual({ shortcut: "Ctrl+Shift+1" });
  // The character decides, except with Option on a Mac, which types another one.
  expect(parseShortcut(key("a", "KeyQ", { ctrlKey: true }))).toEqual({ shortcut: "Ctrl+A" });
  expect(parseShortcut(key("π", "KeyP", { altKey: true }))).toEqual({ shortcut: "Alt+P" });
});

it("requires a modifier and a key", () => {
  expect(parseShortcut(key("p", "KeyP"))).toHaveProperty("problem");
  expect(parseShortcut(key("P", "KeyP", { shiftKey: true }))).toHaveProperty("problem");
  expect(parseShortcut(key("Dead", "BracketLeft", { ctrlKey: true }))).toHaveProperty("problem");
  expect(parseShortcut(key("Control", "ControlLeft", { ctrlKey: true }))).toBe(null);
});

it("records keys until Esc or Tab", () => {
  const shortcuts: string[] = [];
  const component = mount(ShortcutField, { target: document.body, props: { shortcut: "Ctrl+Alt+P", problem: "Another program holds it.", choose: (entry: string) => void shortcuts.push(entry) } });
  flushSync();
  const field = document.querySelector("input") as HTMLInputElement;
  const message = () => document.getElementById("prompt-shortcut-about")?.textContent.trim();
  const press = (event: KeyboardEvent) => {
    field.dispatchEvent(event);
    flushSync();
    return event.defaultPrevented;
  };
  expect([message(), field.getAttribute("aria-invalid")]).toEqual(["Another program holds it.", "true"]);
  field.focus();
  flushSync();
  expect(message()).toContain("Press the new shortcut");
  press(key("j", "KeyJ"));
  expect(message()).toContain("Combine it with Ctrl");
  press(key("Escape", "Escape"));
  press(key("j", "KeyJ", { ctrlKey: true }));
  expect([shortcuts, document.activeElement]).toEqual([[], field]);
  press(key("Enter", "Enter"));
  expect(press(key("Tab", "Tab"))).toBe(false);
  press(key("j", "KeyJ", { ctrlKey: true }));
  expect(shortcuts).toEqual(["Ctrl+J"]);
  void unmount(component);
});
