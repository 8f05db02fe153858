import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { Desk } from "./shell/desk.svelte";
import { appearance } from "./shell/look.svelte";
import { restore } from "./shell/zoom";

// `npm run dev` in a browser has no engine behind it; an invented one stands in. No build contains it.
if (import.meta.env.DEV && !("__TAURI_INTERNALS__" in window)) {
  (await import("../dev/mock")).install();
}

restore();
appearance.restore();
const desk = new Desk();
window.addEventListener("error", (event) => desk.say(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => desk.say(event.reason));

const target = document.getElementById("app");
if (target) mount(App, { target, props: { desk } });
void desk.start();
