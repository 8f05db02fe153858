import { mount, unmount } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import Appearance from "../settings/Appearance.svelte";
import { appearance } from "./appearance.svelte";

const root = document.documentElement;
const press = (name: string) =>
  [...document.querySelectorAll("button")].find((entry) => entry.textContent.trim() === name)?.click();
let component: Record<string, unknown>;
let prefersContrast = false;

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: prefersContrast }));
  localStorage.clear();
  appearance.restore();
  component = mount(Appearance, { target: document.body });
});
afterEach(() => void unmount(component));

it("compact density survives a restart", () => {
  expect([root.dataset["density"], appearance.rowHeights.document]).toEqual(["comfortable", 3.5]);
  press("Compact");
  expect([root.dataset["density"], appearance.rowHeights.document]).toEqual(["compact", 2.75]);
  root.dataset["density"] = "";
  appearance.restore();
  expect([root.dataset["density"], appearance.choices.density]).toEqual(["compact", "compact"]);
  press("Comfortable");
  appearance.restore();
  expect(root.dataset["density"]).toBe("comfortable");
});

it("row heights are multiples of 4 px", () => {
  for (const density of ["comfortable", "compact"] as const) {
    appearance.choose({ density });
    for (const height of Object.values(appearance.rowHeights)) expect((height * 16) % 4).toBe(0);
  }
});

it("contrast follows the system unless it is chosen", () => {
  expect(root.dataset["contrast"]).toBe("system");
  prefersContrast = true;
  appearance.restore();
  expect([root.dataset["contrast"], appearance.choices.contrast]).toEqual(["more", "system"]);
  prefersContrast = false;
});

it("ignores an unknown density", () => {
  localStorage.setItem("density", "tight");
  appearance.restore();
  expect(appearance.choices.density).toBe("comfortable");
});
