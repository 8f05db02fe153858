import { mockIPC } from "@tauri-apps/api/mocks";
import { beforeEach, expect, it } from "vitest";
import Rail from "../shell/Rail.svelte";
import { AppState } from "../shell/appState.svelte";
import { LocalStore } from "../shell/localStore.svelte";
import { setUpPage, press, settle, mountComponent } from "../testing/testPage";
import { SavedSearches } from "./saved.svelte";

let requests: string[];
let totals: Record<string, number | null>;
let saved: SavedSearches;
let store: LocalStore;

const rail = () => [...document.querySelectorAll(".saved button")].map((entry) => entry.textContent.replace(/\s+/g, " ").trim());

setUpPage();
beforeEach(() => {
  requests = [];
  totals = { "is:open label:bug": 12 };
  mockIPC((command, payload) => {
    if (command !== "search") return null;
    const { query, mode, limit } = (payload as { request: { query: string; mode: string | null; limit: number } }).request;
    requests.push(`${query} (${mode ?? "as a search"})`);
    if (query === '"half') throw { code: "invalid_input", message: "a quote is never closed", hint: null };
    const total = totals[query] ?? null;
    return { hits: Array.from({ length: query === "rare" ? 3 : limit }, () => ({})), total };
  });
  store = new LocalStore();
  store.open("/casebook");
  saved = new SavedSearches(store);
});

function mountRail(view: string, query: string, searchFor: (query: string) => void = () => {}): void {
  const app = { view, search: { query }, savedSearches: saved, triage: { allWaiting: 0 }, sources: { hasProblem: false } };
  mountComponent(Rail, { app: app as unknown as AppState, go: () => {}, searchFor });
}

it("counts saved searches up to one page", async () => {
  for (const query of ["is:open label:bug", "tls", "rare", "mode:semantic slow", '"half']) store.toggleSearch(query);
  await saved.refresh();
  mountRail("search", "tls");
  // An invalid search is listed without a count.
  expect(rail()).toEqual(['"half', "mode:semantic slow 50+ documents", "rare 3 documents", "tls 50+ documents", "is:open label:bug 12 documents"]);
  // The same request as for the search, so that both show the same number.
  expect(requests).toContain("tls (as a search)");
  const labels = [...document.querySelectorAll(".saved button")].map((entry) => [entry.getAttribute("title"), entry.getAttribute("aria-current")]);
  expect(labels.slice(3)).toEqual([["tls: 50 documents or more", "true"], ["is:open label:bug: 12 documents", null]]);
});

it("counts a search once it is saved", async () => {
  expect(saved.toggle(" rare ")).toBe(true);
  await settle();
  expect(saved.list).toEqual([{ query: "rare", tally: { total: 3, hasMore: false } }]);
  expect([saved.toggle("rare"), saved.list]).toEqual([false, []]);
});

it("opens a saved search from the rail", async () => {
  store.toggleSearch("tls");
  const queries: string[] = [];
  mountRail("triage", "", (query) => queries.push(query));
  document.getElementById("view-problems")?.focus();
  press("ArrowDown");
  expect(document.activeElement?.textContent.trim()).toBe("tls");
  (document.activeElement as HTMLElement).click();
  expect(queries).toEqual(["tls"]);
});

it("recounts saved searches after a change", async () => {
  const app = new AppState();
  app.store.open("/casebook");
  app.store.toggleSearch("is:open label:bug");
  mockIPC((command, payload) => {
    if (command === "update_index") return { busy_elsewhere: false, calibrated: [] };
    if (command === "mirrors") return [];
    if (command !== "search") return null;
    return { hits: [], total: (payload as { request: { query: string } }).request.query === "" ? 0 : 14, notices: [] };
  });
  await app.reloadAll();
  await settle();
  expect(app.savedSearches.list[0]?.tally?.total).toBe(14);
});
