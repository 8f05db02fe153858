import { expect, it } from "vitest";
import { button, openWindow, setUpPage, press, settle, text } from "../testing/testPage";

setUpPage();

const rows = () => document.querySelectorAll(".known [role=option]").length;

it("lists known duplicates and opens one", async () => {
  const app = await openWindow("full");
  app.problems.show("numbers");
  app.go("problems");
  await settle();
  button("Known duplicates: 41")?.click();
  await settle();
  expect([text(".known h2"), text(".known header .quiet")]).toEqual(["Known duplicates", "41"]);
  expect(rows()).toBeGreaterThan(5);
  expect(document.activeElement?.getAttribute("role")).toBe("listbox");
  expect(text("#known-1 .keys")).toBe("acme/app#11 → acme/app#1");
  press("j");
  // Shortcuts with j do not move the selection.
  press("j", { ctrlKey: true });
  press("Enter");
  await settle();
  expect([app.view, app.reader.position?.key]).toEqual(["search", "acme/app#11"]);
});

it("lists duplicates of a source or month", async () => {
  const app = await openWindow("full");
  app.problems.show("numbers");
  app.go("problems");
  await settle();
  const tables = [...document.querySelectorAll<HTMLDetailsElement>("figure details")];
  for (const entry of tables) entry.open = true;
  await settle();
  document.querySelector<HTMLElement>("[aria-label*='known duplicates,']")?.click();
  await settle();
  expect(text(".known h2")).toMatch(/^Known duplicates: \p{L}+ 202\d$/u);
  expect(rows()).toBe(2);
  document.querySelector<HTMLElement>("tbody td:nth-child(4) .link")?.click();
  await settle();
  expect(text(".known h2")).toBe("Known duplicates: acme/app");
});
