import axe from "axe-core";
import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { VIEWS } from "../shell/keys";
import { SCENARIOS } from "./engine";
import { openWindow, setUpPage, settle, mountComponent } from "./testPage";
import StoryFrame from "./StoryFrame.svelte";
import { STORIES } from "./stories";

setUpPage();

/** Returns the violations that axe finds without a layout. */
async function violations(): Promise<string[]> {
  const rules = Object.fromEntries(["color-contrast", "region", "page-has-heading-one", "landmark-one-main"].map((rule) => [rule, { enabled: false }]));
  const { violations } = await axe.run(document.body, { rules, resultTypes: ["violations"] });
  return violations.flatMap((entry) => entry.nodes.map((node) => `${entry.id}: ${node.html.slice(0, 160)}`));
}

it.each(STORIES.map((story) => [`${story.component}, ${story.state}`, story] as const))("%s", async (_, story) => {
  mountComponent(StoryFrame, { story });
  expect(await violations()).toEqual([]);
  expect(document.querySelector("script, form:not([class]), img[src^=x], [onerror], [style*=fixed]")).toBe(null);
  expect((globalThis as { owned?: number }).owned).toBe(undefined);
});

it.each(SCENARIOS.flatMap((scenario) => VIEWS.map((view) => [scenario, view.id] as const)))("the window %s: %s", async (scenario, view) => {
  const app = await openWindow(scenario);
  app.go(view);
  await settle();
  expect(document.getElementById("main")).not.toBe(null);
  expect(document.querySelector(`#view-${view}`)?.getAttribute("aria-current")).toBe("page");
  expect(await violations()).toEqual([]);
  expect((globalThis as { owned?: number }).owned).toBe(undefined);
});

it("the window shows two items side by side", async () => {
  const app = await openWindow("full");
  await app.openDocument("acme/app#1");
  await app.splitPane.open("acme/app#2");
  await settle();
  expect(document.querySelectorAll(".reader").length).toBe(2);
  expect(await violations()).toEqual([]);
});

it("the product does not include the stories", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:ts|svelte)$/.test(name) && !name.endsWith(".test.ts") && !name.startsWith("stories"));
  expect(files.filter((name) => /from "[^"]*\bstories\//.test(readFileSync(`src/${name}`, "utf8")))).toEqual([]);
  for (const page of ["index.html", "prompt.html"]) expect(readFileSync(page, "utf8")).not.toContain("stories");
  expect(/input: \[(.*)\]/.exec(readFileSync("vite.config.ts", "utf8"))?.[1]).toBe('"index.html", "prompt.html"');
});

it("every presentational component has a story", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".svelte") && !name.startsWith("stories"));
  const named = new Set(STORIES.map((story) => `${story.component}.svelte`));
  const missing = files.filter((name) => {
    const source = readFileSync(`src/${name}`, "utf8");
    return !/\btype [^"]* from "[^"]+\.svelte"|Snippet|<dialog/.test(source) && !named.has(name.split("/").at(-1) ?? "");
  });
  expect(missing).toEqual([]);
});
