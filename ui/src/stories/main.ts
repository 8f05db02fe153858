// The story page: every component in its states, and the whole window with a mock engine. Not part
// of the product.

import "../app.css";
import { mount } from "svelte";
import App from "../App.svelte";
import { AppState } from "../shell/appState.svelte";
import PromptView from "../prompt/PromptView.svelte";
import { Prompt } from "../prompt/prompt.svelte";
import { appearance, type AppearanceChoices } from "../shell/appearance.svelte";
import type { ViewId } from "../shell/keys";
import * as zoom from "../shell/zoom.svelte";
import { SCENARIOS, mockEngine, type Scenario } from "./engine";
import Stories from "./Stories.svelte";

const parameters = new URLSearchParams(location.search);
const target = document.getElementById("app");
const scenario = SCENARIOS.find((entry) => entry === parameters.get("window"));

appearance.restore();
const text = parameters.get("text");
for (const part of ["theme", "density"]) if (parameters.get(part)) appearance.choose({ [part]: parameters.get(part) } as Partial<AppearanceChoices>);
if (text) zoom.applyZoom(Number(text));

/** Opens the window with a view, query or document from the address. */
async function open(scenario: Scenario): Promise<void> {
  mockEngine(scenario);
  const app = new AppState();
  if (target) mount(App, { target, props: { app } });
  await app.start();
  const [view, query, key, report] = [parameters.get("view"), parameters.get("query"), parameters.get("read"), parameters.get("report")];
  if (view) app.go(view as ViewId);
  if (query) app.searchFor(query);
  if (key) await app.openDocument(key);
  if (report) await app.lookUp(report, "problem");
}

/** Opens the prompt with the clipboard or a typed text. */
async function ask(scenario: Scenario): Promise<void> {
  mockEngine(scenario);
  const prompt = new Prompt();
  if (target) mount(PromptView, { target, props: { prompt } });
  await prompt.prepare();
  const text = parameters.get("report");
  if (text !== null) prompt.type(text);
}

const promptScenario = SCENARIOS.find((entry) => entry === parameters.get("prompt"));
if (promptScenario) void ask(promptScenario);
else if (scenario) void open(scenario);
else if (target) mount(Stories, { target, props: { chosen: parameters.get("component") } });
