import { expect, it, vi } from "vitest";
import { Commands } from "./commands.svelte";
import { COMMANDS, groupOf, GROUPS, keyName, SHORTCUTS, COMMAND_TITLES } from "./keys";

const press = (key: string, init: KeyboardEventInit = {}) => new KeyboardEvent("keydown", { key, ...init });

it("runs a command while it is registered", () => {
  const commands = new Commands();
  const decide = vi.fn();
  const unregister = commands.register({ "triage.duplicate": { run: decide } });
  expect(commands.handleKey(press("d"), ["triage"])).toBe(true);
  expect(commands.handleKey(press("d"), ["search"])).toBe(false);
  unregister();
  expect([commands.handleKey(press("d"), ["triage"]), decide.mock.calls.length]).toEqual([false, 1]);
});

it("a held key repeats moves, not decisions", () => {
  const commands = new Commands();
  const [decide, move] = [vi.fn(), vi.fn()];
  commands.register({ "triage.duplicate": { run: decide }, next: { run: move } });
  for (const repeat of [false, true, true]) {
    // A held key without a repeat still blocks other handlers.
    expect(commands.handleKey(press("d", { repeat }), ["triage"])).toBe(true);
    commands.handleKey(press("j", { repeat }), ["everywhere"]);
  }
  expect([decide.mock.calls.length, move.mock.calls.length]).toEqual([1, 3]);
});

it("text boxes keep their keys", () => {
  const commands = new Commands();
  const [pin, save] = [vi.fn(), vi.fn()];
  commands.register({ "item.pin": { run: pin }, "search.save": { run: save } });
  const box = document.createElement("textarea");
  box.addEventListener("keydown", (event) => void commands.handleKey(event, ["search", "item"]));
  box.dispatchEvent(press("P", { shiftKey: true }));
  box.dispatchEvent(press("s", { ctrlKey: true }));
  expect([pin.mock.calls.length, save.mock.calls.length]).toEqual([0, 1]);
});

it("lists only available commands", () => {
  const commands = new Commands();
  let isAvailable = false;
  commands.register({ "item.tracker": { run: () => {}, when: () => isAvailable }, "item.pin": { run: () => {}, title: () => "Unpin" } });
  expect(commands.available("item").map((entry) => commands.title(entry.id))).toEqual(["Unpin"]);
  isAvailable = true;
  expect(commands.available("item").map((entry) => entry.id)).toEqual(["item.tracker", "item.pin"]);
});

it("names pressed keys", () => {
  expect(keyName(press("D", { shiftKey: true }))).toBe("Shift D");
  expect(keyName(press("d"))).toBe("d");
  expect(keyName(press("?", { shiftKey: true }))).toBe("?");
  expect(keyName(press("F10", { shiftKey: true }))).toBe("Shift F10");
  expect(keyName(press("ArrowLeft", { altKey: true }))).toBe("Alt ←");
  expect(keyName(press("k", { metaKey: true }))).toBe("Ctrl K");
  expect(keyName(press("Z", { ctrlKey: true, shiftKey: true }))).toBe("Ctrl Shift Z");
  const capsLock = { modifierCapsLock: true };
  expect([press("D", capsLock), press("d", { ...capsLock, shiftKey: true }), press("K", { ...capsLock, ctrlKey: true })].map(keyName)).toEqual(["d", "Shift D", "Ctrl K"]);
});

it("keys are unique and listed", () => {
  for (const group of GROUPS) {
    const groups = group === "everywhere" ? ["everywhere"] : ["everywhere", "item", group];
    const keys = COMMANDS.filter((entry) => groups.includes(groupOf(entry.id))).flatMap((entry) => entry.keys as readonly string[]);
    // Sources have no items whose key could be copied.
    if (group !== "sources") expect(new Set(keys).size, `${group}: ${keys.join(", ")}`).toBe(keys.length);
    const listedKeys = SHORTCUTS.find((entry) => entry.id === group)?.shortcuts.flatMap((entry) => entry.keys) ?? [];
    for (const command of COMMANDS.filter((entry) => groupOf(entry.id) === group)) expect(listedKeys).toEqual(expect.arrayContaining([...command.keys]));
  }
});

it("every command has a title", () => {
  expect(Object.keys(COMMAND_TITLES).toSorted()).toEqual(COMMANDS.map((entry) => entry.id).toSorted());
});
