import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { openWindow, setUpPage, press, settle } from "../stories/testPage";

setUpPage();

const ticked = () => [...document.querySelectorAll(".tour .known kbd")].map((one) => one.textContent);

it("shows six keys to a newcomer, ticks off what was used, and goes once all are known", async () => {
  const app = await openWindow("full");
  expect(document.querySelectorAll(".tour li").length).toBe(6);
  expect(ticked()).toEqual([]);
  app.commands.run("help");
  flushSync();
  expect(ticked()).toEqual(["?"]);
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  for (const id of ["read", "item.duplicates", "item.solved", "triage", "palette", "something else"]) app.markUsed(id);
  flushSync();
  expect(document.querySelector(".tour")).toBe(null);
});

it("is skipped for good", async () => {
  await openWindow("full");
  document.querySelector<HTMLElement>(".tour button")?.click();
  flushSync();
  expect(document.querySelector(".tour")).toBe(null);
  const again = await openWindow("full");
  await settle();
  expect(again.store.isUsed("read")).toBe(true);
  expect(document.querySelector(".tour")).toBe(null);
});

it("has the focus on the list while it names keys, so that they type nothing", async () => {
  const app = await openWindow("full");
  expect(document.activeElement?.id).toBe("results");
  press("D", { shiftKey: true });
  await settle();
  expect([app.view, app.search.query, app.answer.isOpen, app.store.lastSearch]).toEqual(["search", "acme/app#1", true, null]);
});
