import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { openWindow, setUpPage, press, settle } from "../testing/testPage";

setUpPage();

const usedKeys = () => [...document.querySelectorAll(".tour .known kbd")].map((entry) => entry.textContent);

it("the tour ticks off used keys", async () => {
  const app = await openWindow("full");
  expect(document.querySelectorAll(".tour li").length).toBe(6);
  expect(usedKeys()).toEqual([]);
  app.commands.run("help");
  flushSync();
  expect(usedKeys()).toEqual(["?"]);
  document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
  for (const id of ["read", "item.duplicates", "item.solved", "triage", "palette", "something else"]) app.markUsed(id);
  flushSync();
  expect(document.querySelector(".tour")).toBe(null);
});

it("skipping the tour is permanent", async () => {
  await openWindow("full");
  document.querySelector<HTMLElement>(".tour button")?.click();
  flushSync();
  expect(document.querySelector(".tour")).toBe(null);
  const restarted = await openWindow("full");
  await settle();
  expect(restarted.store.isUsed("read")).toBe(true);
  expect(document.querySelector(".tour")).toBe(null);
});

it("the tour focuses the list", async () => {
  const app = await openWindow("full");
  expect(document.activeElement?.id).toBe("results");
  press("D", { shiftKey: true });
  await settle();
  expect([app.view, app.search.query, app.answer.isOpen, app.store.lastSearch]).toEqual(["search", "acme/app#1", true, null]);
});
