import { beforeEach, expect, it } from "vitest";
import { LocalStore, type Item } from "./localStore.svelte";

const item = (key: string, title = key): Item => ({ key, title, kind: "issue", state: "open", state_reason: null });
const keys = (items: readonly Item[]) => items.map((entry) => entry.key);

function openStore(casebook = "/a"): LocalStore {
  const store = new LocalStore();
  store.open(casebook);
  return store;
}

beforeEach(() => localStorage.clear());

it("keeps recent items per casebook", () => {
  const store = openStore();
  for (const key of ["x", "y", "x"]) store.recordRead(item(key));
  expect(keys(openStore().state.recent)).toEqual(["x", "y"]);
  expect(keys(openStore("/b").state.recent)).toEqual([]);
  for (let n = 0; n < 30; n++) store.recordRead(item(`k${n}`));
  expect(store.state.recent.length).toBe(12);
});

it("updates the title of pinned items", () => {
  const store = openStore();
  expect([store.togglePin(item("x", "old")), store.togglePin(item("y")), store.isPinned("x")]).toEqual([true, true, true]);
  store.recordRead(item("x", "new"));
  expect(openStore().state.pinned.map((entry) => entry.title)).toEqual(["y", "new"]);
  expect([store.togglePin(item("y")), keys(openStore().state.pinned)]).toEqual([false, ["x"]]);
});

it("saves a trimmed search once", () => {
  const store = openStore();
  expect([store.toggleSearch(" tls is:open "), openStore().state.searches]).toEqual([true, ["tls is:open"]]);
  expect([store.toggleSearch("tls is:open"), openStore().state.searches]).toEqual([false, []]);
});

it("measures new reports from the previous visit", () => {
  const [day, hour] = [86_400_000, 3_600_000];
  const first = openStore();
  first.recordVisit(10 * day, { "acme/app": 9 * day });
  // The first visit covers the last day.
  expect(first.previousVisit).toEqual({ at: 9 * day, upTo: {} });
  openStore().recordVisit(10 * day + hour, { "acme/app": 10 * day });
  expect(openStore().previousVisit).toEqual({ at: 9 * day, upTo: {} });
  const next = openStore();
  next.recordVisit(11 * day, { "acme/app": 11 * day });
  expect(next.previousVisit).toEqual({ at: 10 * day + hour, upTo: { "acme/app": 10 * day } });
});

it("keeps sync intervals per source", () => {
  const store = openStore();
  store.setSyncInterval("acme/app", 15);
  store.setSyncInterval("acme/mill", 0);
  store.setSyncInterval("acme/app", null);
  expect([openStore().state.syncEach, openStore().state.syncMetered]).toEqual([{ "acme/mill": 0 }, true]);
});

it("ignores invalid storage", () => {
  for (const text of ["{", "7", '{"recent":[3,{"key":1}],"triage":{"band":"sure"},"visit":{"last":null},"sort":"odd"}']) {
    localStorage.setItem("shelf:/a", text);
    const store = openStore();
    expect([store.state.recent, store.state.triage, store.state.sort]).toEqual([[], null, "best"]);
  }
});
