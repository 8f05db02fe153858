import { expect, it } from "vitest";
import { openWindow, press, setUpPage, settle, text } from "../testing/testPage";

setUpPage();

it("Enter waits for the results of the typed query", async () => {
  const app = await openWindow("full");
  document.getElementById("query")?.focus();
  app.search.type("certificate");
  press("Enter");
  expect(app.reader.key).toBe(null);
  await new Promise((resolve) => setTimeout(resolve, 250));
  await settle();
  expect([text(".results h2"), app.reader.key]).toEqual(["24 results", "acme/app#1"]);
});

it("Shift and arrows select text", async () => {
  const app = await openWindow("full");
  document.getElementById("query")?.focus();
  expect([press("ArrowDown", { shiftKey: true }), app.search.selected]).toEqual([false, null]);
});

it("a reply waits for the answer", async () => {
  const app = await openWindow("full");
  app.search.type("certificate renewed");
  app.commands.run("search.reply");
  await settle();
  expect(app.toasts.current?.text).toBe("The answers are still loading.");
});

it("a new window focuses the list", async () => {
  const app = await openWindow("full");
  expect(document.activeElement?.id).toBe("results");
  press("D", { shiftKey: true });
  await settle();
  expect([app.view, app.search.query, app.answer.isOpen]).toEqual(["search", "acme/app#1", true]);
});
