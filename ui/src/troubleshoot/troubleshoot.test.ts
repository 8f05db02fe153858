import { expect, it } from "vitest";
import { openWindow, page, rest } from "../stories/page";
import type { Band, DuplicatesResponse } from "../lib/types";
import { alike, question } from "./troubleshoot.svelte";

page();

it("asks about an item that is named alone, and else about the text", () => {
  expect(question(" acme/app#12 \n")).toEqual({ key: "acme/app#12", text: "" });
  expect(question("group/sub/app#7").key).toBe("group/sub/app#7");
  for (const text of ["acme/app#12 crashes", "#12", "issue acme/app#12", "acme/app#", "FW-1043\nacme/app#12"]) {
    expect(question(text)).toEqual({ key: null, text });
  }
});


it("leaves out what is neither the same nor related, however it is ranked", () => {
  const all: Band[] = ["likely", "related", "none", "possible"];
  const response = { candidates: all.map((band) => ({ band })) } as DuplicatesResponse;
  expect(alike(response).candidates.map((c) => c.band)).toEqual(["likely", "related", "possible"]);
});

it("gives the focus to the answer of a command, so that the next keys are commands", async () => {
  const desk = await openWindow("full");
  desk.go("troubleshoot");
  await rest();
  expect(document.activeElement?.id).toBe("report");
  await desk.lookUp("acme/app#5", "case");
  await rest();
  expect(document.activeElement?.className).toContain("answer");
});

it("says one thing of a report that is a solved case and a possible duplicate", async () => {
  const desk = await openWindow("full");
  await desk.lookUp("acme/app#5", "case");
  await rest();
  expect(document.querySelectorAll(".answer article[data-doc='acme/app#1']").length).toBe(1);
  expect(document.querySelector(".answer .why")?.textContent).toContain("likely duplicate: 72%");
  expect(document.querySelector(".answer")?.textContent).not.toContain("may help");
});

it("says that a casebook without a source has no cases, and how it gets some", async () => {
  const desk = await openWindow("empty");
  await desk.lookUp("it stops", "case");
  await rest();
  expect(document.querySelector(".answer .nothing")?.textContent).toContain("Add a source");
  document.querySelector<HTMLElement>(".answer .nothing button")?.click();
  expect([desk.view, desk.sources.adding]).toEqual(["sources", true]);
});
