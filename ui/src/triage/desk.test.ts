import { expect, it } from "vitest";
import { page, show, text } from "../stories/page";
import { thread } from "../stories/samples";
import Side from "./Side.svelte";

page();

it("says once who reported when: with what was reported", () => {
  show(Side, { role: "Candidate", thread: thread("plain"), marks: [], read: () => {}, hint: "o", openExternal: () => {} });
  expect([...document.querySelectorAll(".facts > span:not(.icon, [aria-hidden])")].map((one) => one.textContent)).toEqual(["milestone 2.4", "3 comments"]);
  expect(text("[data-anchor=body] header")).toMatch(/jane\.doe member reported .* ago/);
});
