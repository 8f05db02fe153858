import { beforeEach, expect, it } from "vitest";
import { Shelf, type Item } from "./shelf.svelte";

const item = (key: string, title = key): Item => ({ key, title, kind: "issue", state: "open", state_reason: null });
const keys = (items: readonly Item[]) => items.map((one) => one.key);

function opened(casebook = "/a"): Shelf {
  const shelf = new Shelf();
  shelf.open(casebook);
  return shelf;
}

beforeEach(() => localStorage.clear());

it("keeps what was read, the latest first and each once, for its casebook alone", () => {
  const shelf = opened();
  for (const key of ["x", "y", "x"]) shelf.read(item(key));
  expect(keys(opened().kept.recent)).toEqual(["x", "y"]);
  expect(keys(opened("/b").kept.recent)).toEqual([]);
  for (let n = 0; n < 30; n++) shelf.read(item(`k${n}`));
  expect(shelf.kept.recent.length).toBe(12);
});

it("pins and unpins, and a pinned one takes the title that it has now", () => {
  const shelf = opened();
  expect([shelf.pin(item("x", "old")), shelf.pin(item("y")), shelf.isPinned("x")]).toEqual([true, true, true]);
  shelf.read(item("x", "new"));
  expect(opened().kept.pinned.map((one) => one.title)).toEqual(["y", "new"]);
  expect([shelf.pin(item("y")), keys(opened().kept.pinned)]).toEqual([false, ["x"]]);
});

it("saves a search once, whatever blanks stand around it, and forgets it", () => {
  const shelf = opened();
  expect([shelf.saveSearch(" tls is:open "), opened().kept.searches]).toEqual([true, ["tls is:open"]]);
  expect([shelf.saveSearch("tls is:open"), opened().kept.searches]).toEqual([false, []]);
});

it("knows what was last searched for, unless that is saved or was a pasted text", () => {
  const shelf = opened();
  shelf.asked(" tls ");
  expect(opened().lastSearch).toBe("tls");
  shelf.asked("a log\nof two lines");
  expect(shelf.lastSearch).toBe("tls");
  shelf.saveSearch("tls");
  expect(shelf.lastSearch).toBe(null);
});

it("measures what is new against the last look before this visit, also over a restart", () => {
  const [day, hour] = [86_400_000, 3_600_000];
  const first = opened();
  first.look(10 * day, { "acme/app": 9 * day });
  // The first visit shows the last day.
  expect(first.since).toEqual({ at: 9 * day, upTo: {} });
  opened().look(10 * day + hour, { "acme/app": 10 * day });
  expect(opened().since).toEqual({ at: 9 * day, upTo: {} });
  const next = opened();
  next.look(11 * day, { "acme/app": 11 * day });
  expect(next.since).toEqual({ at: 10 * day + hour, upTo: { "acme/app": 10 * day } });
});

it("keeps an interval for each source that has one of its own", () => {
  const shelf = opened();
  shelf.setSyncOf("acme/app", 15);
  shelf.setSyncOf("acme/mill", 0);
  shelf.setSyncOf("acme/app", null);
  expect([opened().kept.syncEach, opened().kept.syncMetered]).toEqual([{ "acme/mill": 0 }, true]);
});

it("takes what cannot be read as if it was never there", () => {
  for (const text of ["{", "7", '{"recent":[3,{"key":1}],"triage":{"band":"sure"},"visit":{"last":null},"sort":"odd"}']) {
    localStorage.setItem("shelf:/a", text);
    const shelf = opened();
    expect([shelf.kept.recent, shelf.kept.triage, shelf.kept.sort]).toEqual([[], null, "best"]);
  }
});
