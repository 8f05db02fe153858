import { expect, it } from "vitest";
import { openWindow, page, rest, text } from "../stories/page";

page();

const click = (css: string, words: string) =>
  [...document.querySelectorAll<HTMLElement>(css)].find((one) => one.textContent.includes(words))?.click();
const pressed = () => text(".adding [aria-pressed=true]");

it("leads from the first start to a tracker, to files or to the sample", async () => {
  const app = await openWindow("empty");
  expect([...document.querySelectorAll(".welcome .ways strong")].map((one) => one.textContent.trim())).toEqual([
    "Connect a tracker", "Import files", "Open the sample casebook",
  ]);
  click(".welcome button", "Import files");
  await rest();
  expect([app.view, pressed()]).toEqual(["sources", "Import files"]);
  app.go("search");
  await rest();
  click(".welcome button", "Connect a tracker");
  await rest();
  expect([app.view, pressed()]).toEqual(["sources", "Connect a tracker"]);
});

it("turns to files where some are dropped while a tracker is being added", async () => {
  const app = await openWindow("full");
  app.sources.startAdding();
  await rest();
  expect(pressed()).toBe("Connect a tracker");
  await app.openFiles(["/home/me/export.csv"]);
  await rest();
  expect([pressed(), text(".found h3")]).toEqual(["Import files", "export/acme-issues.csv"]);
});

it("asks questions of what is there", async () => {
  const app = await openWindow("full");
  const asked = () => [...document.querySelectorAll(".questions button")].map((one) => one.textContent.replace(/\s+/g, " ").trim());
  expect(asked()).toEqual([
    "Was this reported before? Sync stops after the certificate is renewed",
    "Was this solved before? Sync stops after the certificate is renewed",
    "Which reports were reopened?",
  ]);
  click(".questions button", "reopened");
  await rest();
  expect(app.search.query).toBe("is:issue reason:reopened");
  app.searchFor("");
  await rest();
  click(".questions button", "solved before");
  await rest();
  expect([app.view, text(".answer h2")]).toEqual(["search", "Known problem"]);
});
