import { mockIPC } from "@tauri-apps/api/mocks";
import { expect, it } from "vitest";
import { button, openWindow, setUpPage, settle, text } from "../testing/testPage";

setUpPage();

it("a status update keeps the focus in a confirmation", async () => {
  const app = await openWindow("full");
  app.go("sources");
  await settle();
  button("Remove…")?.click();
  await settle();
  expect(document.activeElement?.textContent).toBe("Keep");
  document.querySelector<HTMLElement>(".confirm .danger")?.focus();
  await app.refresh();
  await settle();
  expect(document.activeElement?.textContent).toBe("Remove");
});

it("removing a source updates the reports to review", async () => {
  const app = await openWindow("full");
  await app.triage.load();
  expect(text("#view-triage .count")).toBe("30 waiting");
  mockIPC((command) => {
    if (command === "triage_queue") return { queue: [], related: [], waiting: 0, related_waiting: 0, closed_left_out: 0, unscanned: 0, notices: [] };
    if (command === "update_index") return { busy_elsewhere: false, calibrated: [] };
    if (command === "search") return { hits: [], total: 0, notices: [] };
    return command === "status" ? app.status : [];
  });
  await app.sources.remove("acme/app");
  await settle();
  expect(text("#view-triage .count")).toBe(undefined);
});

it("sets and resets a source's interval", async () => {
  const app = await openWindow("full");
  app.store.update({ syncEvery: 60 });
  app.go("sources");
  await settle();
  const field = () => document.querySelector<HTMLSelectElement>("#sync-this");
  const options = () => [...(field()?.options ?? [])].map((entry) => entry.textContent);
  expect(options()).toEqual(["As in Settings (every hour)", "Every 15 minutes", "Every hour", "Every 4 hours", "Every day", "Manually"]);
  const choose = (value: string) => {
    const select = field()!;
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  };
  choose("1440");
  expect([app.store.state.syncEach["acme/app"], app.autosync.interval("acme/app")]).toEqual([1440, 1440]);
  choose("");
  expect([app.store.state.syncEach["acme/app"], app.autosync.interval("acme/app")]).toEqual([undefined, 60]);
});
