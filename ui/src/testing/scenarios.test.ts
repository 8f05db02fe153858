import axe from "axe-core";
import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import PromptView from "../prompt/PromptView.svelte";
import { Prompt } from "../prompt/prompt.svelte";
import { VIEWS } from "../shell/keys";
import { SCENARIOS, mockEngine } from "./engine";
import { openWindow, setUpPage, settle, mountComponent } from "./testPage";

/** The timeout for pages that take seconds to check, in milliseconds. */
const SLOW_TIMEOUT = 30_000;

setUpPage();

/** Returns the violations that axe finds without a layout. */
async function violations(): Promise<string[]> {
  const rules = Object.fromEntries(["color-contrast", "region", "page-has-heading-one", "landmark-one-main"].map((rule) => [rule, { enabled: false }]));
  const { violations } = await axe.run(document.body, { rules, resultTypes: ["violations"] });
  return violations.flatMap((entry) => entry.nodes.map((node) => `${entry.id}: ${node.html.slice(0, 160)}`));
}

/** Checks that the page is accessible and does not run code in texts. */
async function checkPage(): Promise<void> {
  expect(await violations()).toEqual([]);
  expect(document.querySelector("script, form:not([class]), img[src^=x], [onerror], [style*=fixed]")).toBe(null);
  expect((globalThis as { owned?: number }).owned).toBe(undefined);
}

it.each(SCENARIOS.flatMap((scenario) => VIEWS.map((view) => [scenario, view.id] as const)))("the window %s: %s", async (scenario, view) => {
  const app = await openWindow(scenario);
  app.go(view);
  await settle();
  expect(document.getElementById("main")).not.toBe(null);
  expect(document.querySelector(`#view-${view}`)?.getAttribute("aria-current")).toBe("page");
  await checkPage();
});

it.each(SCENARIOS)("a document and its evidence %s", async (scenario) => {
  const app = await openWindow(scenario);
  void app.openDocument("acme/app#1");
  await settle();
  await checkPage();
  void app.lookUp("acme/app#1", "problem");
  await settle();
  await checkPage();
}, SLOW_TIMEOUT);

it.each(SCENARIOS)("logs and files %s", async (scenario) => {
  const app = await openWindow(scenario);
  void app.openFiles(["/home/me/agent.log"]);
  await settle();
  await checkPage();
  void app.openFiles(["/home/me/export.csv"]);
  await settle();
  await checkPage();
});

it.each(SCENARIOS)("the prompt %s", async (scenario) => {
  mockEngine(scenario);
  const prompt = new Prompt();
  mountComponent(PromptView, { prompt });
  void prompt.prepare();
  await settle();
  await checkPage();
});

it("the window shows two items side by side", async () => {
  const app = await openWindow("full");
  await app.openDocument("acme/app#1");
  await app.splitPane.open("acme/app#2");
  await settle();
  expect(document.querySelectorAll(".reader").length).toBe(2);
  await checkPage();
});

it("the product does not include the test helpers", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:ts|svelte)$/.test(name) && !name.endsWith(".test.ts") && !name.startsWith("testing"));
  expect(files.filter((name) => /from "[^"]*\btesting\//.test(readFileSync(`src/${name}`, "utf8")))).toEqual([]);
});
