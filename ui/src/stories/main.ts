// The story page: every component in its states, and the whole window over an engine that is only played. For development;
// the product's bundle begins at the other page and never gets here.

import "../app.css";
import { mount } from "svelte";
import App from "../App.svelte";
import { AppState } from "../shell/desk.svelte";
import PromptView from "../prompt/PromptView.svelte";
import { Prompt } from "../prompt/prompt.svelte";
import { appearance, type AppearanceChoices } from "../shell/look.svelte";
import type { ViewId } from "../shell/keys";
import * as zoom from "../shell/zoom.svelte";
import { MOODS, play, type Mood } from "./engine";
import Stories from "./Stories.svelte";

const asked = new URLSearchParams(location.search);
const target = document.getElementById("app");
const mood = MOODS.find((one) => one === asked.get("window"));

appearance.restore();
const text = asked.get("text");
for (const part of ["theme", "density"]) if (asked.get(part)) appearance.choose({ [part]: asked.get(part) } as Partial<AppearanceChoices>);
if (text) zoom.applyZoom(Number(text));

/** The window as a person would have it before them: a view, a query, a document. */
async function open(mood: Mood): Promise<void> {
  play(mood);
  const app = new AppState();
  if (target) mount(App, { target, props: { app } });
  await app.start();
  const [view, query, key, report] = [asked.get("view"), asked.get("query"), asked.get("read"), asked.get("report")];
  if (view) app.go(view as ViewId);
  if (query) app.searchFor(query);
  if (key) await app.openDocument(key);
  if (report) await app.lookUp(report, "problem");
}

/** The prompt as it is shown, with what is on the clipboard or a text that is typed. */
async function ask(mood: Mood): Promise<void> {
  play(mood);
  const prompt = new Prompt();
  if (target) mount(PromptView, { target, props: { prompt } });
  await prompt.shown();
  const text = asked.get("report");
  if (text !== null) prompt.type(text);
}

const prompted = MOODS.find((one) => one === asked.get("prompt"));
if (prompted) void ask(prompted);
else if (mood) void open(mood);
else if (target) mount(Stories, { target, props: { chosen: asked.get("component") } });
