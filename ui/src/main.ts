import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { AppState } from "./shell/appState.svelte";
import { appearance } from "./shell/appearance.svelte";
import { restoreZoom } from "./shell/zoom.svelte";

document.documentElement.classList.toggle("paints-scroll-bars-last", navigator.userAgent.includes("Linux"));
restoreZoom();
appearance.restore();
const app = new AppState();
window.addEventListener("error", (event) => app.showError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => app.showError(event.reason));

const target = document.getElementById("app");
if (target) mount(App, { target, props: { app } });
void app.start();
