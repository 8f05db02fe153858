import { beforeEach, expect, it } from "vitest";
import { LocalStore, type Item } from "./localStore.svelte";

const item = (key: string, title = key): Item => ({ key, title, kind: "issue", state: "open", state_reason: null });
const keys = (items: readonly Item[]) => items.map((one) => one.key);

function opened(casebook = "/a"): LocalStore {
  const store = new LocalStore();
  store.open(casebook);
  return store;
}

beforeEach(() => localStorage.clear());

it("keeps what was read, the latest first and each once, for its casebook alone", () => {
  const store = opened();
  for (const key of ["x", "y", "x"]) store.read(item(key));
  expect(keys(opened().state.recent)).toEqual(["x", "y"]);
  expect(keys(opened("/b").state.recent)).toEqual([]);
  for (let n = 0; n < 30; n++) store.read(item(`k${n}`));
  expect(store.state.recent.length).toBe(12);
});

it("pins and unpins, and a pinned one takes the title that it has now", () => {
  const store = opened();
  expect([store.togglePin(item("x", "old")), store.togglePin(item("y")), store.isPinned("x")]).toEqual([true, true, true]);
  store.read(item("x", "new"));
  expect(opened().state.pinned.map((one) => one.title)).toEqual(["y", "new"]);
  expect([store.togglePin(item("y")), keys(opened().state.pinned)]).toEqual([false, ["x"]]);
});

it("saves a search once, whatever blanks stand around it, and forgets it", () => {
  const store = opened();
  expect([store.toggleSearch(" tls is:open "), opened().state.searches]).toEqual([true, ["tls is:open"]]);
  expect([store.toggleSearch("tls is:open"), opened().state.searches]).toEqual([false, []]);
});

it("knows what was last searched for, unless that is saved or was a pasted text", () => {
  const store = opened();
  store.recordQuery(" tls ");
  expect(opened().lastSearch).toBe("tls");
  store.recordQuery("a log\nof two lines");
  expect(store.lastSearch).toBe("tls");
  store.toggleSearch("tls");
  expect(store.lastSearch).toBe(null);
});

it("measures what is new against the last look before this visit, also over a restart", () => {
  const [day, hour] = [86_400_000, 3_600_000];
  const first = opened();
  first.recordVisit(10 * day, { "acme/app": 9 * day });
  // The first visit shows the last day.
  expect(first.since).toEqual({ at: 9 * day, upTo: {} });
  opened().recordVisit(10 * day + hour, { "acme/app": 10 * day });
  expect(opened().since).toEqual({ at: 9 * day, upTo: {} });
  const next = opened();
  next.recordVisit(11 * day, { "acme/app": 11 * day });
  expect(next.since).toEqual({ at: 10 * day + hour, upTo: { "acme/app": 10 * day } });
});

it("keeps an interval for each source that has one of its own", () => {
  const store = opened();
  store.setSyncInterval("acme/app", 15);
  store.setSyncInterval("acme/mill", 0);
  store.setSyncInterval("acme/app", null);
  expect([opened().state.syncEach, opened().state.syncMetered]).toEqual([{ "acme/mill": 0 }, true]);
});

it("takes what cannot be read as if it was never there", () => {
  for (const text of ["{", "7", '{"recent":[3,{"key":1}],"triage":{"band":"sure"},"visit":{"last":null},"sort":"odd"}']) {
    localStorage.setItem("shelf:/a", text);
    const store = opened();
    expect([store.state.recent, store.state.triage, store.state.sort]).toEqual([[], null, "best"]);
  }
});
