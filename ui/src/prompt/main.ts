// The page of the quick prompt, a window that is hidden and shown again.

import "../app.css";
import { mount } from "svelte";
import * as api from "../lib/api";
import { appearance } from "../shell/appearance.svelte";
import * as zoom from "../shell/zoom.svelte";
import { Prompt } from "./prompt.svelte";
import PromptView from "./PromptView.svelte";

/** Applies appearance settings that were changed in the main window. */
function applyAppearance(): void {
  appearance.restore();
  zoom.restoreZoom();
}

applyAppearance();
const prompt = new Prompt();
const target = document.getElementById("app");
if (target) mount(PromptView, { target, props: { prompt } });
void api.watchPromptShown(() => {
  applyAppearance();
  void prompt.prepare();
});
