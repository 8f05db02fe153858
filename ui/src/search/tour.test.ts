import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { openWindow, page, press, rest } from "../stories/page";

page();

const ticked = () => [...document.querySelectorAll(".tour .known kbd")].map((one) => one.textContent);

it("shows six keys to a newcomer, ticks off what was used, and goes once all are known", async () => {
  const desk = await openWindow("full");
  expect(document.querySelectorAll(".tour li").length).toBe(6);
  expect(ticked()).toEqual([]);
  desk.commands.run("help");
  flushSync();
  expect(ticked()).toEqual(["?"]);
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  for (const id of ["read", "item.duplicates", "item.solved", "triage", "palette", "something else"]) desk.tried(id);
  flushSync();
  expect(document.querySelector(".tour")).toBe(null);
});

it("is skipped for good", async () => {
  await openWindow("full");
  document.querySelector<HTMLElement>(".tour button")?.click();
  flushSync();
  expect(document.querySelector(".tour")).toBe(null);
  const again = await openWindow("full");
  await rest();
  expect(again.shelf.hasLearnt("read")).toBe(true);
  expect(document.querySelector(".tour")).toBe(null);
});

it("has the focus on the list while it names keys, so that they type nothing", async () => {
  const desk = await openWindow("full");
  expect(document.activeElement?.id).toBe("results");
  press("D", { shiftKey: true });
  await rest();
  expect([desk.view, desk.search.query, desk.answer.open, desk.shelf.lastSearch]).toEqual(["search", "acme/app#1", true, null]);
});
