import { mockIPC } from "@tauri-apps/api/mocks";
import { expect, it } from "vitest";
import { openWindow, page, rest, show, text } from "../stories/page";
import Banner from "./Banner.svelte";

page();

it("shows a command in a hint as one", () => {
  show(Banner, { failure: { code: "io", message: "it is broken", hint: "Run `precedent doctor`, then try again." } });
  expect(text("code")).toBe("precedent doctor");
  expect(text(".words span")).toBe("Run precedent doctor, then try again.");
});

it("offers to search again", async () => {
  await openWindow("failing");
  const asked: string[] = [];
  mockIPC((command) => void asked.push(command));
  [...document.querySelectorAll<HTMLElement>(".results button")].find((one) => one.textContent.trim() === "Retry")?.click();
  await rest();
  expect(asked).toContain("search");
});

it("does not say that nothing waits where the queue could not be read", async () => {
  const desk = await openWindow("failing");
  desk.go("triage");
  await rest();
  expect(text(".triage header .end")).toBe("Check again");
});

it("shows where results will be while the first are awaited", async () => {
  await openWindow("loading");
  await new Promise((resolve) => setTimeout(resolve, 170));
  expect(document.querySelector(".results .bones")).not.toBe(null);
});
