import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync } from "svelte";
import { expect, it } from "vitest";
import { AppState } from "../shell/appState.svelte";
import { setUpPage, settle, mountComponent, text } from "../testing/testPage";
import AddSource from "./AddSource.svelte";

setUpPage();

it("an unreachable host adds no source", async () => {
  mockIPC((command, payload) => {
    if (command === "add_mirror") throw { code: "network", message: "the host does not answer", hint: "Progress is saved; run sync again to continue." };
    return command === "parse_source" ? { tracker: "", place: (payload as { text: string }).text, host: null, key: null, wiki: false } : null;
  });
  mountComponent(AddSource, { app: new AppState() });
  const project = document.querySelector<HTMLInputElement>("#add-project")!;
  const type = (value: string) => {
    project.value = value;
    project.dispatchEvent(new InputEvent("input", { bubbles: true }));
    flushSync();
  };
  type("acme/app");
  document.querySelector("form")?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
  await settle();
  expect(text("[role=alert] span")).toBe("Check the host and your network. Nothing was added.");
  type("acme/pump");
  expect(document.querySelector("[role=alert]")).toBe(null);
});

it("a double click adds a source once", async () => {
  const calls: string[] = [];
  mockIPC((command) => {
    calls.push(command);
    if (command === "parse_source") return { tracker: "", place: "acme/app", host: null, key: null, wiki: false };
    return command === "add_mirror" ? new Promise(() => {}) : null;
  });
  mountComponent(AddSource, { app: new AppState() });
  const project = document.querySelector<HTMLInputElement>("#add-project")!;
  project.value = "acme/app";
  project.dispatchEvent(new InputEvent("input", { bubbles: true }));
  for (let click = 0; click < 2; click++) document.querySelector("form")?.dispatchEvent(new SubmitEvent("submit", { cancelable: true }));
  await settle();
  expect(calls.filter((command) => command === "add_mirror").length).toBe(1);
});
