import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";
import { Desk } from "./shell/desk.svelte";
import { appearance } from "./shell/look.svelte";
import { restore } from "./shell/zoom.svelte";

document.documentElement.classList.toggle("paints-scroll-bars-last", navigator.userAgent.includes("Linux"));
restore();
appearance.restore();
const desk = new Desk();
window.addEventListener("error", (event) => desk.say(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => desk.say(event.reason));

const target = document.getElementById("app");
if (target) mount(App, { target, props: { desk } });
void desk.start();
