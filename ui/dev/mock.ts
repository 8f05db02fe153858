// An invented engine for `npm run dev` in a plain browser, over the records of the sample. Its search only counts words;
// it exists so that the window can be worked on without building the program. `?empty`, `?closed` and `?nomodel` in the
// address show the states of the same names.

import { mockIPC } from "@tauri-apps/api/mocks";
import commentLines from "../../samples/ferrywire/comments.jsonl?raw";
import issueLines from "../../samples/ferrywire/issues.jsonl?raw";
import type { Coverage, Failure, Hit, Launch, Progress, SearchResponse, Span, Status, Thread } from "../src/lib/types";

interface User { login: string; type: string }
interface Issue {
  html_url: string; number: number; title: string; user: User | null; labels: { name: string }[];
  state: "open" | "closed"; state_reason: string | null; milestone: { title: string } | null; created_at: string;
  updated_at: string; closed_at: string | null; author_association: string; body: string | null;
  pull_request?: { merged_at: string | null };
}
interface Comment {
  html_url: string; issue_url: string; id: number; user: User | null; created_at: string; updated_at: string;
  author_association: string; body: string;
}

const SOURCE = "ferrywire/ferrywire";
const lines = <T>(text: string) => text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as T);
const issues = lines<Issue>(issueLines);
const comments = lines<Comment>(commentLines);
const options = new URLSearchParams(location.search);
const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

let imported = !options.has("empty");
let closed = options.has("closed");
let cancelled = false;
const full: Coverage = { documents: issues.length, full_text: issues.length, chunks: 310, embedded: 310 };
let coverage: Coverage = options.has("partial") ? { ...full, embedded: 40 } : { ...full };

const of = (issue: Issue) => comments.filter((c) => c.issue_url.endsWith(`/${issue.number}`));
const stateOf = (issue: Issue) => (issue.pull_request?.merged_at ? "merged" : issue.state);

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function toHtml(markdown: string): string {
  return markdown
    .split(/(```[\s\S]*?(?:```|$))/)
    .map((part) => {
      if (part.startsWith("```")) {
        return `<pre><code>${escaped(part.replace(/^```.*\n?/, "").replace(/```$/, ""))}</code></pre>`;
      }
      return part
        .split(/\n{2,}/)
        .filter((block) => block.trim())
        .map((block) => {
          const inline = escaped(block.trim())
            .replace(/!\[([^\]]*)\]\(([^)]+)\)/g, '<span class="remote-image" data-src="$2">$1</span>')
            .replace(/`([^`]+)`/g, "<code>$1</code>")
            .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
            .replace(/(https?:\/\/[^\s<)]+)/g, '<a href="$1">$1</a>');
          if (/^#+ /.test(inline)) return `<h2>${inline.replace(/^#+ /, "")}</h2>`;
          if (/^&gt; /.test(inline)) return `<blockquote><p>${inline.replace(/^&gt; ?/gm, "")}</p></blockquote>`;
          if (/^[-*] /.test(inline)) {
            return `<ul>${inline.split(/\n(?=[-*] )/).map((i) => `<li>${i.replace(/^[-*] /, "")}</li>`).join("")}</ul>`;
          }
          return `<p>${inline.replace(/\n/g, "<br>")}</p>`;
        })
        .join("");
    })
    .join("");
}

function marked(text: string, words: readonly string[]): Span[] {
  if (words.length === 0) return [{ text, hit: false }];
  const pattern = new RegExp(`(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  return text.split(pattern).map((part, at) => ({ text: part, hit: at % 2 === 1 }));
}

function excerpt(text: string, words: readonly string[]): string {
  const at = Math.max(0, Math.min(...words.map((w) => text.toLowerCase().indexOf(w)).filter((i) => i >= 0), text.length));
  const from = at === text.length ? 0 : Math.max(0, at - 60);
  return (from > 0 ? "…" : "") + text.slice(from, from + 260).replace(/```\w*/g, "").trim();
}

function search(query: string, mode: string | null): SearchResponse {
  const filters = [...query.matchAll(/(\w+):("[^"]*"|\S+)/g)].map((m) => [m[1], m[2]?.replaceAll('"', "")] as const);
  const words = query.replace(/-?\w+:("[^"]*"|\S+)/g, "").toLowerCase().split(/[^\w.]+/).filter(Boolean);
  if ((query.match(/"/g) ?? []).length % 2 === 1) {
    throw { code: "invalid_input", message: "a quote is never closed", hint: 'Add the missing ".' } satisfies Failure;
  }
  const hits: Hit[] = [];
  for (const issue of issues) {
    const labels = issue.labels.map((l) => l.name);
    const state = stateOf(issue);
    const fits = filters.every(([name, value]) =>
      name === "label" ? labels.includes(value ?? "")
      : name === "source" ? value === SOURCE
      : value === "issue" ? !issue.pull_request
      : value === "pr" ? !!issue.pull_request
      : value === "page" ? false
      : value === "open" ? state === "open"
      : value === "closed" ? state !== "open"
      : true,
    );
    if (!fits) continue;
    const parts = [
      { part: "body" as const, anchor: "body", author: issue.user?.login ?? null, at: issue.created_at, text: issue.body ?? "" },
      ...of(issue).map((c) => ({
        part: "comment" as const, anchor: `comment-${c.id}`, author: c.user?.login ?? null, at: c.created_at, text: c.body,
      })),
    ].map((p) => ({ ...p, n: words.filter((w) => p.text.toLowerCase().includes(w)).length }));
    const inTitle = words.filter((w) => issue.title.toLowerCase().includes(w)).length;
    const score = inTitle * 3 + Math.max(...parts.map((p) => p.n));
    if (words.length > 0 && score === 0) continue;
    const best = parts.sort((a, b) => b.n - a.n).slice(0, words.length > 0 ? 2 : 1);
    hits.push({
      key: `${SOURCE}#${issue.number}`, kind: issue.pull_request ? "pull_request" : "issue", source: SOURCE,
      number: issue.number, title: marked(issue.title, words), url: issue.html_url, state,
      state_reason: issue.state_reason, author: issue.user?.login ?? null, labels, created_at: issue.created_at,
      updated_at: issue.updated_at, closed_at: issue.closed_at, comments: of(issue).length,
      passages: best.filter((p) => p.text).map((p) => ({
        part: p.part, anchor: p.anchor, author: p.author, created_at: p.at, spans: marked(excerpt(p.text, words), words),
        code: /(ERROR|panic|^\s+at )/m.test(excerpt(p.text, words)), cosine: null,
      })),
      scores: {
        bm25: score, cosine: mode === "lexical" || words.length === 0 ? null : Math.min(0.83, 0.4 + score / 20),
        signature: null, fused: score,
      },
      why: words.length === 0 ? "" : inTitle > 0 ? "Found by words of its title." : "Found by words of its text.",
    });
  }
  hits.sort((a, b) => b.scores.fused - a.scores.fused || (b.updated_at ?? "").localeCompare(a.updated_at ?? ""));
  return {
    query, mode: "hybrid", arms: ["lexical", "semantic"],
    notices: options.has("nomodel") && words.length ? [{ lack: "model", text: "Search by meaning is off: the results are by words alone." }] : [],
    coverage, hits: hits.slice(0, 50), took_ms: 3.2,
  };
}

function thread(key: string): Thread {
  const issue = issues.find((i) => `${SOURCE}#${i.number}` === key);
  if (!issue) throw { code: "not_found", message: `${key} is not in this casebook`, hint: "Import it, then look again." } satisfies Failure;
  const other = issues[(issue.number + 11) % issues.length];
  return {
    key, kind: issue.pull_request ? "pull_request" : "issue", source: SOURCE, number: issue.number, title: issue.title,
    url: issue.html_url, state: stateOf(issue), state_reason: issue.state_reason, author: issue.user?.login ?? null,
    association: issue.author_association, labels: issue.labels.map((l) => l.name), milestone: issue.milestone?.title ?? null,
    locked: false, created_at: issue.created_at, updated_at: issue.updated_at, closed_at: issue.closed_at, deleted_at: null,
    markdown: issue.body ?? "", html: toHtml(issue.body ?? ""), missing_comments: issue.number % 7 === 0 ? 2 : 0,
    comments: of(issue).map((c) => ({
      anchor: `comment-${c.id}`, author: c.user?.login ?? null, bot: c.user?.type === "Bot", association: c.author_association,
      created_at: c.created_at, updated_at: null, url: c.html_url, markdown: c.body, html: toHtml(c.body),
    })),
    links: other
      ? [
          { kind: "duplicate_of", outgoing: true, key: `${SOURCE}#${other.number}`, document: "issue", title: other.title, state: stateOf(other) },
          { kind: "mentions", outgoing: false, key: `${SOURCE}#999`, document: null, title: null, state: null },
        ]
      : [],
  };
}

function status(): Status {
  if (closed) {
    closed = false;
    throw {
      code: "newer_casebook", message: "this casebook was written by a newer version of Precedent",
      hint: "Update Precedent, or choose another folder with --casebook.",
    } satisfies Failure;
  }
  const pulls = issues.filter((i) => i.pull_request).length;
  return {
    casebook: "/home/me/.local/share/net.precedent.desktop/casebook",
    sources: imported
      ? [{
          key: SOURCE, kind: "github", added_at: "2026-11-20T10:00:00Z", changed_at: "2026-11-20T10:00:00Z",
          issues: issues.length - pulls, pull_requests: pulls, comments: comments.length, pages: 0, missing_comments: 0,
          orphan_comments: 0,
        }]
      : [],
    coverage: imported ? coverage : { documents: 0, full_text: 0, chunks: 0, embedded: 0 },
    model: options.has("nomodel")
      ? { name: null, problem: "The ONNX runtime was not found. Put libonnxruntime.so beside the program, or set PRECEDENT_ONNXRUNTIME." }
      : { name: "precedent-mini", problem: null },
    database_bytes: 2_000_000, full_text_bytes: 400_000, vector_bytes: 500_000,
  };
}

async function job(report: (progress: Progress) => void, steps: readonly (readonly [Progress["phase"], number, string])[]) {
  cancelled = false;
  for (const [phase, total, unit] of steps) {
    for (let done = 0; done <= total; done += Math.max(1, Math.round(total / 25))) {
      if (cancelled) throw { code: "cancelled", message: "cancelled", hint: "What was done so far is kept; run it again to go on." } satisfies Failure;
      report({ phase, done, total, unit });
      if (phase === "embed") coverage = { ...full, embedded: done };
      await wait(60);
    }
  }
}

export function install(): void {
  mockIPC(async (command, payload) => {
    const args = payload as Record<string, never>;
    const progress = args["progress"] as unknown as { onmessage: (p: Progress) => void } | undefined;
    await wait(command === "search" ? 15 : 5);
    switch (command) {
      case "launch":
        return { version: "0.1.0", casebook: "/home/me/casebook", sample: false } satisfies Launch;
      case "status":
        return status();
      case "search": {
        const request = args["request"] as unknown as { query: string; mode: string | null };
        return search(request.query, request.mode);
      }
      case "thread":
        return thread(args["key"] as unknown as string);
      case "import_sample":
        await job((p) => progress?.onmessage(p), [["import", issues.length, "documents"]]);
        imported = true;
        coverage = { ...full, full_text: 0, embedded: 0 };
        return { source: SOURCE, files: 2, new: issues.length, updated: 0, unchanged: 0, stale: 0, skipped: 0, skips: [], items: 95, comments: 313, pages: 0 };
      case "update_index": {
        if (coverage.embedded < full.embedded || coverage.full_text < full.full_text) {
          await job((p) => progress?.onmessage(p), [["full_text", 95, "documents"], ["embed", 310, "chunks"]]);
        }
        coverage = { ...full };
        return { documents: 95, embedded: 310, full_text_seconds: 0.2, vector_seconds: 3, model_problem: null, busy_elsewhere: false };
      }
      case "cancel":
        cancelled = true;
        return true;
      case "open_external":
        console.info("open", args["url"]);
        return null;
      default:
        throw new Error(`no command ${command}`);
    }
  });
}
