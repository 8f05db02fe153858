// A mock engine that returns samples, nothing or an error, or never responds.

import { mockIPC } from "@tauri-apps/api/mocks";
import type { Insights, PromptSettings, SearchResponse, SourceView, Status, TriageResponse, Verdict } from "../lib/types";
import { sampleAnswer, article, BODIES, brief, candidate, comparison, countedDuplicate, hit, LOG, logs, MONTHS, note, EMPTY_ANSWER, problem, REDACTIONS, thread, TITLES, previewedFiles, triageItem, type SampleKind } from "./samples";

export const SCENARIOS = ["full", "empty", "loading", "failing", "long", "chinese", "arabic", "hostile"] as const;
export type Scenario = (typeof SCENARIOS)[number];

const TOTAL = 400;
const STATES = ["open", "closed"] as const;

const SOURCE: SourceView = {
  key: "acme/app", kind: "github", issues: 310, pull_requests: 80, pages: 10, comments: 1204, added_at: "2026-01-01T00:00:00Z", changed_at: "2026-03-05T00:00:00Z",
  calibrated_on: 41, known_duplicates: 41, missing_comments: 0, orphan_comments: 0,
};

const status = (isEmpty: boolean): Status => ({
  casebook: "/home/me/casebook", coverage: { chunks: 900, documents: 400, embedded: 900, full_text: 400, unread: 0 }, database_bytes: 4_100_000,
  full_text_bytes: 900_000, vector_bytes: 1_400_000, model: { name: "all-minilm-l6-v2", next: null, problem: null }, read_only: null, sources: isEmpty ? [] : [SOURCE],
});

const INSIGHTS: Insights = {
  months: MONTHS.map((month, index) => ({ month, opened: 14 + (index * 7) % 11, closed: 9 + (index * 5) % 13, duplicates: index % 5 })),
  sources: [{ source: "acme/app", issues: 310, open: 84, duplicates: 41, median_days: 6.4 }],
};

function search(kind: SampleKind, request: Record<string, unknown>, isEmpty: boolean): SearchResponse {
  const [query, offset, limit] = [String(request["query"]), Number(request["offset"]), Number(request["limit"])];
  const isBrowsing = query.split(/\s+/).every((word) => word === "" || word.includes(":"));
  const browsedTotal = query.includes("reason:reopened") ? 3 : query.includes("created:<") ? 61 : TOTAL;
  const total = isEmpty ? 0 : isBrowsing ? browsedTotal : 24;
  const hits = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, index) => hit(kind, offset + index + 1, STATES[index % 2]));
  // New reports were created within the last hours.
  const isNew = query.includes("created:>=");
  if (isNew) hits.length = Math.min(9, hits.length);
  for (const [index, entry] of isNew ? hits.entries() : []) entry.created_at = new Date(Date.now() - (index + 1) * 3_600_000).toISOString();
  return {
    query, mode: "hybrid", arms: ["lexical", "semantic"], notices: [], conclusive: true, hits: isBrowsing ? hits.map((entry) => ({ ...entry, passages: [], why: "" })) : hits,
    total: isBrowsing ? total : null, took_ms: 7, coverage: status(false).coverage,
  };
}

/** A decision made earlier today. */
const verdict = (number: number): Verdict => ({
  first: "acme/app#1", second: `acme/app#${number}`, kind: number % 2 ? "duplicate" : "not_duplicate", canonical: number % 2 ? "acme/app#1" : null, reason: null,
  actor: "jane", decided_at: new Date(Math.max(new Date().setHours(0, 0, 0, 0), Date.now() - number * 60_000)).toISOString(),
});

function queue(kind: SampleKind, isEmpty: boolean): TriageResponse {
  const items = isEmpty ? [] : Array.from({ length: 30 }, (_, index) => triageItem(index + 5, kind));
  return {
    queue: items, related: [], waiting: items.length, related_waiting: 0, closed_left_out: 12, unscanned: 0, scanned: 0, expected: 9, notices: [], conclusive: true, took_ms: 3,
  };
}

/** Mocks the engine. */
export function mockEngine(scenario: Scenario): void {
  const isEmpty = scenario === "empty";
  const kind: SampleKind = scenario === "chinese" || scenario === "arabic" || scenario === "hostile" || scenario === "long" ? scenario : "plain";
  mockIPC((command, payload) => {
    const args = (payload ?? {}) as Record<string, unknown>;
    const request = (args["request"] ?? {}) as Record<string, unknown>;
    if (command === "launch") return { casebook: "/home/me/casebook", sample: false, version: "0.0.0", wrong_settings: null };
    if (command === "status") return status(isEmpty);
    if (command === "update_index") return { busy_elsewhere: false, calibrated: [], documents: 0, embedded: 0, full_text_seconds: 0, model_problem: null, vector_seconds: 0 };
    if (scenario === "loading") return new Promise(() => {});
    if (scenario === "failing") throw { code: "corrupt", message: "the casebook cannot be read", hint: "A repair shows what is wrong." };
    switch (command) {
      case "search":
        return search(kind, request, isEmpty);
      case "thread":
        return thread(kind, Number(String(args["key"]).split("#")[1] ?? 1));
      case "triage_queue":
      case "triage":
        return queue(kind, isEmpty);
      case "compare":
        return comparison(kind, Number(String(args["key"]).split("#")[1] ?? 5));
      case "duplicates":
        return { band: "likely", calibrated_on: 41, candidates: isEmpty ? [] : [candidate("open", kind)], circle: [], compared: 310, conclusive: true, key: null, known: null, known_duplicates: [], notices: [], rejected: [], took_ms: 9 };
      case "prose":
        return (args["texts"] as string[]).map(() => BODIES[kind]);
      case "ask":
        return isEmpty ? EMPTY_ANSWER : sampleAnswer(kind, request["key"] as string | null);
      case "completions":
        return ["bug", "area: sync", "needs a test"].filter((entry) => entry.includes(String(args["typed"])));
      case "read_logs":
        return isEmpty ? { ...logs(kind), distinct: 0, errors: [], known: 0, new: 0, solved: 0 } : logs(kind);
      case "understand_files":
        return isEmpty ? { left_out: [], understood: [] } : previewedFiles(kind);
      case "article":
        return article(kind);
      case "brief":
        return brief(kind);
      case "preview_redaction":
        return REDACTIONS;
      case "set_prompt": {
        const { shortcut, tray } = args["settings"] as PromptSettings;
        return { shortcut, shortcut_keys: null, tray, shortcut_problem: shortcut === "Ctrl+Alt+P" ? "another program holds Ctrl+Alt+P" : null, tray_problem: null, default_shortcut: "Ctrl+Alt+Space" };
      }
      case "copy_text":
        return null;
      case "prompt_text":
        return isEmpty ? null : `${TITLES[kind]}\n${LOG}`;
      case "insights":
        return isEmpty ? { months: [], sources: [] } : INSIGHTS;
      case "known_duplicates":
        return isEmpty ? [] : Array.from({ length: args["month"] ? 2 : 41 }, (_, index) => countedDuplicate(index + 10, kind));
      case "verdicts_since":
        return isEmpty ? [] : [31, 32, 33].map(verdict);
      case "is_metered":
        return false;
      case "choose_file":
        return "/home/me/case.md";
      case "repair":
        return { casebook: "/home/me/casebook", checked: [], findings: [] };
      case "problems": {
        // Unordered, because the window sorts the problems.
        const problems = isEmpty ? [] : [5, 14, 9, 3, 2, 7, 4, 12].map((size) => problem(size, kind));
        return {
          list: request["list"], problems, total: problems.length && 31, open: problems.length * 4, unscanned: isEmpty ? 0 : 12,
          without_releases: isEmpty ? [] : ["acme/app"], took_ms: 4,
        };
      }
      case "notes":
        return isEmpty ? [] : [1, 2, 3].map((number) => note(number, kind));
      case "mirrors":
        return isEmpty ? [] : [{ gaps: [], host: "github.com", progress: null, project: "acme/app", running: false, source: "acme/app", streams: [], swept_at: null, synced_at: "2026-03-05T00:00:00Z" }];
      case "hosts":
        return isEmpty ? [] : [{ address: "https://api.github.com", host: "github.com", sources: ["acme/app"], token: "the keyring", kept: true }];
      case "models":
        return [{ answers: true, bytes: 90_000_000, dimensions: 384, embedded: 900, max_tokens: 256, name: "all-minilm-l6-v2", next: false, problem: null, vector_bytes: 1_400_000 }];
      case "catalog":
        return { host: "models.example", models: [] };
      case "closures":
        return [];
      default:
        return null;
    }
  });
}
