import { expect, it } from "vitest";
import { openWindow, setUpPage, settle, text } from "../testing/testPage";

setUpPage();

const click = (css: string, label: string) =>
  [...document.querySelectorAll<HTMLElement>(css)].find((entry) => entry.textContent.includes(label))?.click();
const selectedOrigin = () => text(".add-source [aria-pressed=true]");

it("offers a tracker, files or the sample", async () => {
  const app = await openWindow("empty");
  expect([...document.querySelectorAll(".welcome .options strong")].map((entry) => entry.textContent.trim())).toEqual([
    "Connect a tracker", "Import files", "Open the sample casebook",
  ]);
  click(".welcome button", "Import files");
  await settle();
  expect([app.view, selectedOrigin()]).toEqual(["sources", "Import files"]);
  app.go("search");
  await settle();
  click(".welcome button", "Connect a tracker");
  await settle();
  expect([app.view, selectedOrigin()]).toEqual(["sources", "Connect a tracker"]);
});

it("dropped files replace the tracker form", async () => {
  const app = await openWindow("full");
  app.sources.startAdding();
  await settle();
  expect(selectedOrigin()).toBe("Connect a tracker");
  await app.openFiles(["/home/me/export.csv"]);
  await settle();
  expect([selectedOrigin(), text(".contents h3")]).toEqual(["Import files", "export/acme-issues.csv"]);
  // The open form shows the paths of further files.
  await app.openFiles(["/home/me/more.csv"]);
  await settle();
  expect(document.querySelector<HTMLTextAreaElement>("#import-paths")?.value).toBe("/home/me/more.csv");
});

it("suggests questions about the casebook", async () => {
  const app = await openWindow("full");
  const questions = () => [...document.querySelectorAll(".questions button")].map((entry) => entry.textContent.replace(/\s+/g, " ").trim());
  expect(questions()).toEqual([
    "Was this reported before? Sync stops after the certificate is renewed",
    "Was this solved before? Sync stops after the certificate is renewed",
    "Which reports were reopened?",
  ]);
  click(".questions button", "reopened");
  await settle();
  expect(app.search.query).toBe("is:issue reason:reopened");
  app.searchFor("");
  await settle();
  click(".questions button", "solved before");
  await settle();
  expect([app.view, text(".answer h2")]).toEqual(["search", "Known problem"]);
});
