// The page of the prompt: a window of its own, that is hidden and shown again as it is asked for.

import "../app.css";
import { mount } from "svelte";
import * as api from "../lib/api";
import { appearance } from "../shell/look.svelte";
import * as zoom from "../shell/zoom.svelte";
import { Prompt } from "./prompt.svelte";
import PromptView from "./PromptView.svelte";

/** As the main window looks by now: it may have been changed there since. */
function look(): void {
  appearance.restore();
  zoom.restoreZoom();
}

look();
const prompt = new Prompt();
const target = document.getElementById("app");
if (target) mount(PromptView, { target, props: { prompt } });
void api.watchPromptShown(() => {
  look();
  void prompt.shown();
});
