import { expect, it } from "vitest";
import { button, openWindow, setUpPage, settle } from "../testing/testPage";

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
