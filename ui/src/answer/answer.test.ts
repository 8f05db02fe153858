import { expect, it } from "vitest";
import { openWindow, setUpPage, press, settle, text } from "../testing/testPage";
import { parseQuestion } from "../prompt/classify";

setUpPage();

/** Waits longer than the typing delay. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 400));

it("looks up an exact key as an item", () => {
  expect(parseQuestion(" acme/app#12 \n")).toEqual({ key: "acme/app#12", text: "" });
  expect(parseQuestion("group/sub/app#7").key).toBe("group/sub/app#7");
  for (const text of ["acme/app#12 crashes", "#12", "issue acme/app#12", "acme/app#", "FW-1043\nacme/app#12"]) {
    expect(parseQuestion(text)).toEqual({ key: null, text });
  }
});

it("answers after typing without taking focus", async () => {
  const app = await openWindow("full");
  const box = document.querySelector<HTMLTextAreaElement>("#query");
  box?.focus();
  for (const query of ["ren", "rene", "renew"]) app.search.type(query);
  await settle();
  await pause();
  await settle();
  expect(text(".bar .first strong")).toBe("Likely known: fixed in 2.4, not released");
  expect(text(".bar .detail")).toBe("Until then: Restart the agent after each renewal.");
  expect([document.activeElement, document.querySelector(".answer")]).toEqual([box, null]);
});

it("a query with only filters has no answer", async () => {
  const app = await openWindow("full");
  app.search.set("is:open label:bug");
  await settle();
  expect([app.answer.question, document.querySelector(".bar")]).toEqual([null, null]);
});

it("a key opens the evidence, Esc closes it", async () => {
  const app = await openWindow("full");
  app.searchFor("certificate renewed");
  await settle();
  document.querySelector<HTMLElement>("#results")?.focus();
  press("a");
  await settle();
  expect(document.activeElement?.className).toContain("answer");
  expect([...document.querySelectorAll(".answer h2")].map((entry) => entry.textContent)).toEqual([
    "Known problem", "Possible duplicates and related reports", "Wiki pages",
  ]);
  press("j");
  expect(app.answer.currentItem?.key).toBe("acme/app#6");
  press("Escape");
  await settle();
  expect(document.querySelector(".answer")).toBe(null);
});

it("a command focuses the evidence", async () => {
  const app = await openWindow("full");
  app.go("notes");
  await app.lookUp("acme/app#5", "related");
  await settle();
  expect([app.view, document.activeElement?.className.includes("answer"), app.answer.currentItem?.section]).toEqual(["search", true, "related"]);
});

it("opens a pasted log in place", async () => {
  const app = await openWindow("full");
  app.searchFor(Array.from({ length: 6 }, (_, index) => `2026-03-02 08:00:1${index} ERROR it stops`).join("\n"), true);
  await settle();
  expect(document.querySelectorAll(".answer .severity").length).toBe(3);
  expect(text(".bar .first strong")).toContain("31 distinct errors");
  expect(document.querySelector("#results")).toBe(null);
});

it("a file's errors are its only results", async () => {
  const app = await openWindow("full");
  app.searchFor("/var/log/agent.log", true);
  await settle();
  await app.openDocument("acme/app#5");
  await settle();
  expect([text(".reader h2") !== undefined, document.querySelector("#results")]).toEqual([true, null]);
  app.commands.run("search.leave");
  await settle();
  expect(document.querySelectorAll(".answer .severity").length).toBe(3);
});

it("copies a reply without private notes", async () => {
  const app = await openWindow("full");
  app.searchFor("certificate renewed");
  await settle();
  expect(await app.answer.copyReply()).toBe(3);
});
