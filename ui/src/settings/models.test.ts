import { mockIPC } from "@tauri-apps/api/mocks";
import { expect, it } from "vitest";
import { Jobs } from "../shell/jobs.svelte";
import type { AppState } from "../shell/appState.svelte";
import { Models } from "./models.svelte";
import { openWindow, setUpPage, press, settle, text } from "../testing/testPage";

setUpPage();

it("shows input sizes in words, details in tokens", async () => {
  const app = await openWindow("full");
  app.go("settings");
  await settle();
  expect(text("tr[data-model] td")).toBe("about 190 words per passage");
  press("i");
  await settle();
  expect(text("tr[data-model] td")).toBe("about 190 words per passage 256 tokens, 384 dimensions");
});

it("reports a canceled download without an error", async () => {
  mockIPC(() => {
    throw { code: "cancelled", message: "cancelled", hint: null };
  });
  const shown: string[] = [];
  const models = new Models({ jobs: new Jobs(), toasts: { show: (text: string) => shown.push(text) } } as unknown as AppState);
  const failures: unknown[] = [];
  Object.defineProperty(models, "failure", { get: () => failures.at(-1) ?? null, set: (failure) => failures.push(failure) });
  expect(await models.add("catalog", "gte-small")).toBe(false);
  expect(failures.filter((failure) => failure !== null)).toEqual([]);
  expect(shown).toHaveLength(1);
});
