import { flushSync, mount, unmount } from "svelte";
import { expect, it } from "vitest";
import SearchBox from "../search/SearchBox.svelte";
import { Search } from "../search/search.svelte";

it.each([
  [new Event("paste"), true],
  [new Event("drop"), true],
  [new InputEvent("beforeinput", { inputType: "insertFromPaste" }), true],
  [new InputEvent("beforeinput", { inputType: "insertFromDrop" }), true],
  [new InputEvent("beforeinput", { inputType: "insertText" }), false],
])("detects pasted or dropped text: %#", (event, isPasted) => {
  const search = new Search();
  const noop = () => {};
  const component = mount(SearchBox, { target: document.body, props: { search, sources: [], width: 1000, isListVisible: true, move: noop, open: noop, leave: noop, onkey: noop } });
  flushSync();
  document.getElementById("query")?.dispatchEvent(event);
  expect(search.isPasted).toBe(isPasted);
  void unmount(component);
});
