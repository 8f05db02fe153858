import { expect, it } from "vitest";
import { button, openWindow, setUpPage, press, settle, mountComponent, text } from "../testing/testPage";
import { thread } from "../testing/samples";
import ComparedReport from "./ComparedReport.svelte";

setUpPage();

it("shows author and date only once", () => {
  mountComponent(ComparedReport, { role: "Candidate", thread: thread("plain"), marks: [], read: () => {}, shortcut: "o" });
  expect([...document.querySelectorAll(".facts > span:not(.icon, [aria-hidden])")].map((entry) => entry.textContent)).toEqual(["milestone 2.4", "3 comments"]);
  expect(text("[data-anchor=body] header")).toMatch(/jane\.doe member reported .* ago/);
});

it("undoes the chosen decision, listed newest first", async () => {
  const app = await openWindow("full");
  app.go("triage");
  await settle();
  for (const key of ["d", "n"]) {
    press(key);
    await settle();
  }
  button("Decided today")?.click();
  await settle();
  const rows = () => [...document.querySelectorAll("ul[aria-label='Decided today'] li")].map((entry) => entry.textContent.replace(/\s+/g, " ").trim()).slice(0, -3);
  expect(rows()).toEqual(["#6 is not a duplicate of #1 Undo", "#5 is a duplicate of #1 Undo"]);
  document.querySelector<HTMLElement>("[aria-label='Undo: acme/app#5 is a duplicate of acme/app#1.']")?.click();
  await settle();
  expect(rows()).toEqual(["#6 is not a duplicate of #1 Undo"]);
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Reports to review");
  expect(app.triage.rows.some((item) => item.key === "acme/app#5")).toBe(true);
});

it("confirms before deciding unseen pairs", async () => {
  const app = await openWindow("full");
  app.go("triage");
  await settle();
  press("x");
  press("ArrowDown", { shiftKey: true });
  press("ArrowDown", { shiftKey: true });
  press("d");
  await settle();
  const title = () => text("dialog.ask h2");
  expect(title()).toBe("You have not seen 2 of 3 pairs yet");
  expect(app.triage.decisions).toEqual([]);
  button("Only the 1")?.click();
  await settle();
  expect([app.triage.decisions.map((entry) => entry.item.key), title()]).toEqual([["acme/app#5"], undefined]);
  expect(text("footer .toast .text")).toBe("acme/app#5 is a duplicate of acme/app#1.");
});
