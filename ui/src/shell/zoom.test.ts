import { beforeEach, expect, it, vi } from "vitest";
import { openWindow, setUpPage, press, settle } from "../testing/testPage";
import * as zoom from "./zoom.svelte";

setUpPage();
beforeEach(() => zoom.applyZoom(100));

const size = () => document.querySelector<HTMLSelectElement>("#zoom")?.value;

it("keys and settings change the same zoom", async () => {
  const app = await openWindow("full");
  app.go("settings");
  await settle();
  expect(size()).toBe("100");
  press("+", { ctrlKey: true });
  await settle();
  expect([size(), document.documentElement.style.fontSize]).toEqual(["115", "115%"]);
  press("0", { ctrlKey: true });
  await settle();
  expect([size(), document.documentElement.style.fontSize]).toEqual(["100", ""]);
});

it("adopts the zoom of another window", () => {
  localStorage.setItem("zoom", "150");
  zoom.restoreZoom();
  expect(zoom.zoomPercent()).toBe(150);
  localStorage.setItem("zoom", "151");
  zoom.restoreZoom();
  expect(zoom.zoomPercent()).toBe(100);
});

it("large text shows one pane", async () => {
  vi.stubGlobal("innerWidth", 1024);
  await openWindow("full");
  expect([document.querySelector(".results"), document.querySelector(".start")].map(Boolean)).toEqual([true, true]);
  zoom.applyZoom(200);
  await settle();
  expect([document.querySelector(".results"), document.querySelector(".start")].map(Boolean)).toEqual([true, false]);
});
