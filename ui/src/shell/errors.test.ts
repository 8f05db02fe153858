import { mockIPC } from "@tauri-apps/api/mocks";
import { expect, it } from "vitest";
import { button, openWindow, setUpPage, settle, mountComponent, text } from "../testing/testPage";
import type { Failure } from "../lib/types";
import Banner from "./Banner.svelte";

setUpPage();

it("hints show code but no commands", () => {
  mountComponent(Banner, { failure: { code: "io", message: "it is broken", hint: "Set `GH_TOKEN`, then try again.", command: "gh auth login" } });
  expect(text("code")).toBe("GH_TOKEN");
  expect(text(".words span")).toBe("Set GH_TOKEN, then try again.");
  expect(document.querySelector("button")).toBe(null);
});

it("an error is shown once, with a retry", async () => {
  const app = await openWindow("failing");
  for (const view of ["triage", "notes", "sources", "problems"] as const) {
    app.go(view);
    await settle();
    expect([view, [...document.querySelectorAll(".banner:not(dialog *)")].map((entry) => [...entry.querySelectorAll("button")].at(-1)?.textContent)]).toEqual([view, ["Retry"]]);
  }
});

it("hints have buttons instead of commands", async () => {
  const app = await openWindow("full");
  app.message = { code: "corrupt", message: "the vectors are damaged", hint: "A repair rebuilds them.", remedy: "repair", command: "precedent doctor --repair" };
  await settle();
  expect(text(".banner .words")).toBe("The vectors are damaged. A repair rebuilds them.");
  const calls: string[] = [];
  const finding = { id: "x", severity: "error", what: "the database is damaged", why: "It is the only one.", hint: { text: "Restore a backup.", command: "precedent restore FILE" }, repairable: false };
  let isUnrepairable = false;
  mockIPC((command) => {
    calls.push(command);
    if (command === "repair") return { casebook: "", checked: [], findings: [{ ...finding, repaired: !isUnrepairable }] };
    if (command === "status") return app.status;
    if (command === "update_index") return { busy_elsewhere: false, calibrated: [] };
    return command === "search" ? { hits: [], total: 0, notices: [] } : [];
  });
  button("Check and repair")?.click();
  await settle();
  expect([calls.includes("repair"), app.message, app.toasts.current?.text]).toEqual([true, null, "Repaired 1 problem in the casebook."]);
  isUnrepairable = true;
  app.commands.run("repair");
  await settle();
  expect(text(".banner .words")).toBe("The database is damaged. It is the only one. Restore a backup.");
});

it.each<[Partial<Failure>, string]>([
  [{ remedy: "repair" }, "Check and repair"],
  [{ remedy: "rebuild" }, "Rebuild"],
  [{ remedy: "models" }, "Settings"],
  [{ remedy: "sources" }, "Sources"],
  [{ remedy: "add" }, "Add a source"],
  [{ remedy: "notes" }, "Notes"],
  // Without a remedy, the code determines it.
  [{ code: "corrupt" }, "Check and repair"],
  [{ code: "authentication" }, "Sources"],
  [{ code: "model_unavailable" }, "Settings"],
  [{ code: "authentication", remedy: "add" }, "Add a source"],
])("%o has the button %s", async (failure, label) => {
  const app = await openWindow("full");
  app.message = { code: "io", message: "it failed", hint: null, ...failure };
  await settle();
  expect(text(".banner .button")).toBe(label);
});

it("offers a repair if the casebook is damaged", async () => {
  const app = await openWindow("full");
  app.openFailure = { code: "corrupt", message: "the casebook's database file is damaged", hint: "A repair keeps a copy." };
  await settle();
  expect(text(".closed .words span")).toBe("A repair keeps a copy.");
  button("Check and repair")?.click();
  await settle();
  expect([app.openFailure, app.toasts.current?.text]).toEqual([null, "The casebook has no problems."]);
});

it("offers to repeat a failed search", async () => {
  await openWindow("failing");
  const calls: string[] = [];
  mockIPC((command) => void calls.push(command));
  button("Retry")?.click();
  await settle();
  expect(calls).toContain("search");
});

it("a failed queue is not empty", async () => {
  const app = await openWindow("failing");
  app.go("triage");
  await settle();
  expect(text(".triage header .end")).toBe("Check again");
});

it("shows a placeholder for the first results", async () => {
  await openWindow("loading");
  await new Promise((resolve) => setTimeout(resolve, 170));
  expect(document.querySelector(".results .bones")).not.toBe(null);
});
