import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync, tick } from "svelte";
import { expect, it } from "vitest";
import { button, openWindow, setUpPage, settle } from "../testing/testPage";

setUpPage();

const MIRROR = { gaps: [], host: "github.com", progress: null, project: "acme/app", running: false, source: "acme/app", streams: [], swept_at: null, synced_at: null };
const SOURCE = { key: "acme/pump", kind: "github" };
const NEW = { tracker: "github", place: "acme/pump", host: "github.com", key: null, wiki: true } as const;

it("stores and tests a new token", async () => {
  const app = await openWindow("full");
  app.go("sources");
  await settle();
  const calls: [string, unknown][] = [];
  mockIPC((command, payload) => {
    calls.push([command, payload]);
    if (command === "test_source") throw { code: "authentication", message: "github.com refuses the token", hint: null };
    return command === "mirrors" ? [MIRROR] : null;
  });
  const opener = button("Token…");
  opener?.click();
  flushSync();
  await tick();
  const field = document.querySelector<HTMLInputElement>(".token input[type=password]");
  expect(document.activeElement).toBe(field);
  if (field) field.value = " secret ";
  field?.dispatchEvent(new InputEvent("input", { bubbles: true }));
  document.querySelector<HTMLFormElement>("form.token")?.requestSubmit();
  await settle();
  expect(calls.slice(0, 2)).toEqual([["keep_token", { host: "github.com", token: "secret" }], ["test_source", { key: "acme/app" }]]);
  expect(document.querySelector(".token")).toBe(null);
  expect(document.querySelector(".detail [role=alert]")?.textContent).toContain("refuses the token");
  expect(document.activeElement).toBe(opener);
});

it("removes a source that cannot be read", async () => {
  const app = await openWindow("full");
  app.sources.startAdding();
  await settle();
  const calls: string[] = [];
  mockIPC((command) => {
    calls.push(command);
    if (command === "add_mirror") return SOURCE;
    if (command === "test_source") throw { code: "not_found", message: "github.com has no acme/pump", hint: null };
    return null;
  });
  await expect(app.sources.addMirror(NEW, "github.com", "")).rejects.toMatchObject({ code: "not_found" });
  expect(calls).toEqual(["add_mirror", "test_source", "remove_source"]);
  expect(app.sources.isAdding).toBe(true);
});

it("syncs an added source after the current sync", async () => {
  const app = await openWindow("full");
  const syncs: unknown[] = [];
  let finishSync = () => {};
  mockIPC((command, payload) => {
    if (command === "add_mirror") return SOURCE;
    if (command === "test_source") return { limit: null, project: { archived: false, private: false }, refused: [], remaining: null, resets_at: null, user: null };
    if (command !== "sync") return null;
    syncs.push((payload as { sources: unknown }).sources);
    return syncs.length > 1 ? [] : new Promise((resolve) => (finishSync = () => resolve([])));
  });
  const first = app.sources.sync(["acme/app"]);
  await settle();
  await app.sources.addMirror(NEW, "github.com", "");
  expect(syncs).toEqual([["acme/app"]]);
  finishSync();
  await first;
  expect(syncs).toEqual([["acme/app"], ["acme/pump"]]);
});

it("a failed test keeps an existing source", async () => {
  const app = await openWindow("full");
  const calls: string[] = [];
  mockIPC((command) => {
    calls.push(command);
    if (command === "add_mirror") return { key: "acme/app", kind: "github" };
    if (command === "test_source") throw { code: "network", message: "no way there", hint: null };
    return null;
  });
  await expect(app.sources.addMirror(NEW, "github.com", "")).rejects.toMatchObject({ code: "network" });
  expect(calls).not.toContain("remove_source");
});
