// Sample texts: plain, long, in other scripts, and hostile.

import type {
  Article, AskResponse, Brief, CaseComment, Comparison, CountedDuplicate, DetectedFiles, Disposition, DuplicateCandidate, Fact, Hit, KnownProblem, LinkView, ListedProblem, LogError, LogResponse, Note, ProblemReport, RedactionPreview, SolvedCase, State,
  Thread, ThreadComment, TriageItem, WikiPassage,
} from "../lib/types";

export type SampleKind = "plain" | "long" | "chinese" | "arabic" | "hostile";

export const LOG = Array.from(
  { length: 120 },
  (_, index) => `2026-03-02T08:${String(index % 60).padStart(2, "0")}:11Z ERROR sync: cannot renew the certificate chain (attempt ${index + 1}), retry in ${index * 2} s`,
).join("\n");

const QUOTE = Array.from({ length: 9 }, (_, index) => `<p>Line ${index + 1} of what was written before.</p>`).join("");

export const TITLES: Record<SampleKind, string> = {
  plain: "Sync stops after the certificate is renewed",
  long: "The agent does not come back after a renewal of the certificate chain if the intermediate was replaced at the same time, and the log only repeats “certificate signed by unknown authority” until somebody restarts the service by hand on every single machine",
  chinese: "更新证书后同步停止:日志反复显示“证书由未知机构签发”",
  arabic: "توقف المزامنة بعد تجديد الشهادة على build-agent-17 (‏2.3.1)",
  hostile: "<img src=x onerror=alert(1)>\u202Egnp.exe <script>alert(2)</script>",
};

export const BODIES: Record<SampleKind, string> = {
  plain:
    "<p>After the chain was renewed, the agent <strong>never reads it again</strong>. It affects <code>2.3.1</code>; <code>2.2.0</code> is fine. See <a href=\"https://tracker.example/acme/app/issues/2\">#2</a>, and #40.</p><ul><li>renew the chain</li><li>wait for an hour</li></ul><pre><code class=\"language-rust\">// Read once, at start.\nfn chain() -&gt; Result&lt;Chain&gt; {\n    read(\"/etc/agent/chain.pem\", 0o600)\n}\n</code></pre>",
  long: `<p>It happened again, here is what was said last time:</p><blockquote>${QUOTE}</blockquote><p>And the log:</p><pre><code>${LOG}</code></pre><table><tr><th>Version</th><th>Host</th><th>Result</th></tr><tr><td>2.3.1</td><td>build-agent-0017.internal.example</td><td>stops</td></tr></table>`,
  chinese: "<p>更新证书链之后,代理程序不再读取新的证书。版本 2.3.1 有此问题,2.2.0 正常。😀</p><p dir=\"rtl\">توقف المزامنة بعد تجديد الشهادة.</p>",
  arabic: "<p>بعد تجديد سلسلة الشهادات لا يقرأ الوكيل <code>agent 2.3.1</code> الشهادة الجديدة. الإصدار 2.2.0 يعمل.</p><ol><li>افتح التطبيق</li><li>اضغط دخول</li></ol><p>Seen on Debian 12.</p>",
  hostile:
    "<script>window.owned = 1</script><img src=x onerror=\"window.owned=1\"><a href=\"javascript:window.owned=1\">click</a><p style=\"position:fixed;inset:0\">over everything</p><form><button>Sign in</button></form><div class=\"fold\"><p>not folded by the window</p></div><pre><code class=\"language-javascript\">const a = '&lt;img src=x onerror=\"window.owned=1\"&gt;&lt;script&gt;window.owned = 1&lt;/script&gt;';\n</code></pre>",
};

const DATES = { created_at: "2026-02-03T08:00:00Z", updated_at: "2026-03-04T10:30:00Z", closed_at: "2026-03-04T10:30:00Z" };

export const comment = (number: number, change: Partial<ThreadComment> = {}): ThreadComment => ({
  anchor: `comment-${number}`, association: null, author: ["jane.doe", "王小明", "octo-bot", null][number % 4] ?? null, bot: false,
  created_at: DATES.created_at, html: "<p>I can confirm this, also on 2.3.1.</p>", markdown: "I can confirm this, also on 2.3.1.", updated_at: null, url: null, ...change,
});

export const link = (kind: string, change: Partial<LinkView> = {}): LinkView => ({
  kind, outgoing: false, key: "acme/app#9", document: "pull_request", title: "Read the chain again when it changes", state: "merged", ...change,
});

export const thread = (kind: SampleKind, number = 1, state: State = "closed"): Thread => ({
  key: `acme/app#${number}`, kind: "issue", source: "acme/app", number, title: TITLES[kind], url: `https://tracker.example/acme/app/issues/${number}`, state,
  state_reason: state === "closed" ? "completed" : null, author: "jane.doe", association: "MEMBER", labels: ["bug", "area: sync"],
  milestone: "2.4", locked: false, ...DATES, closed_at: state === "closed" ? DATES.closed_at : null, deleted_at: null, markdown: TITLES[kind],
  html: BODIES[kind], missing_comments: kind === "long" ? 3 : 0, links: [link("closes"), link("mentions", { key: "acme/app#40", document: "issue", state: "open" })],
  comments: [
    comment(1, { html: BODIES[kind] }),
    comment(2, { bot: true, html: "<p>This issue is stale.</p>" }),
    comment(4, { association: "ANSWER", html: "<p>Restart the agent once; 2.4 reads the chain by itself.</p>", updated_at: DATES.updated_at }),
    comment(3),
  ],
});

export const hit = (kind: SampleKind, number = 1, state: State = "open"): Hit => ({
  key: `acme/app#${number}`, kind: number % 7 === 3 ? "pull_request" : "issue", source: "acme/app", number, title: [{ text: TITLES[kind], hit: false }], url: null, state,
  state_reason: null, author: "jane.doe", labels: ["bug", "area: sync", "needs a test", "regression"], created_at: DATES.created_at, updated_at: DATES.updated_at,
  closed_at: null, comments: number % 5, scores: { bm25: 7.2, cosine: 0.61, signature: null, fused: 1 }, why: "similar meaning (0.61)",
  passages: [
    { anchor: "body", author: null, code: false, cosine: null, created_at: null, part: "body", spans: [{ text: "It repeats “", hit: false }, { text: "certificate signed by unknown authority", hit: true }, { text: "” until somebody restarts the service by hand.", hit: false }] },
    { anchor: "comment-1", author: "bob", code: true, cosine: null, created_at: null, part: "comment", spans: [{ text: "x509: ", hit: false }, { text: "certificate", hit: true }, { text: " != chain[1]", hit: false }] },
  ],
});

export const candidate = (disposition: Disposition = "open", kind: SampleKind = "plain"): DuplicateCandidate => ({
  key: "acme/app#1", number: 1, title: TITLES[kind], url: null, state: "closed", state_reason: "completed", created_at: DATES.created_at,
  similarity: { title: 0.4, body: 0.7, semantic: 0.8, combined: 0.8 }, confidence: 0.72, worth: 0.9, band: "likely",
  outcome: { read: 120, same: 88, related: 14 }, disposition, canonical: null, verdict: null,
  reasons: ["similar meaning (0.81)", "both mention x509", "both mention the function sync::renew"],
});

export const triageItem = (number: number, kind: SampleKind = "plain"): TriageItem => ({
  key: `acme/app#${number}`, title: TITLES[kind], url: null, created_at: DATES.created_at,
  candidate: candidate(number % 2 ? "open" : { possible_regression: "2.4" }),
});

export const FACTS: Fact[] = [
  { kind: "message", shared: ["certificate signed by unknown authority"], report: [], candidate: [] },
  { kind: "version", shared: [], report: ["2.3.1"], candidate: ["2.2.0", "2.3.0"] },
  { kind: "frame", shared: ["sync::renew", "tls::verify"], report: ["main::loop"], candidate: [] },
];

export const comparison = (kind: SampleKind, number = 5): Comparison => ({
  report: thread(kind, number, "open"), candidate: thread("plain", 1), facts: FACTS,
  report_marks: [{ text: "2.3.1", kind: "differs" }, { text: "certificate", kind: "same" }], candidate_marks: [{ text: "2.3.1", kind: "differs" }],
});

export const solvedCase = (kind: SampleKind): SolvedCase => ({
  key: "acme/app#1", kind: "issue", title: TITLES[kind], url: null, state: "closed", state_reason: "completed", closed_at: DATES.closed_at, body: "The agent never reads the chain again.",
  body_excerpt: false, chars: 400, citation: "acme/app#1", environment: ["Debian 12"], fix: "comment-4", fixed_by: [{ key: "acme/app#9", title: "Read the chain again", url: null, text: "The chain is read again when its file changes, and at least once an hour." }],
  fixed_in: "2.4", asked_version: { version: "2.4.1", has_fix: true }, relevance: 0.81, omitted: 0, agreeing: 0, relation: null, reported_on: ["2.3.1"], same_signature: true, similarity: 0.8, via: null, words: 0.6, fix_documented: true,
  comments: [
    { anchor: "comment-1", association: null, author: "王小明", created_at: DATES.created_at, excerpt: false, role: "reproduction", text: `Renew the chain and wait.\n\n\`\`\`\n${LOG}\n\`\`\``, url: null },
    { anchor: "comment-4", association: "MEMBER", author: "jane.doe", created_at: DATES.updated_at, excerpt: true, role: "fix", text: "Restart the agent once; 2.4 reads the chain by itself.", url: null },
  ],
});

export const wikiPage = (kind: SampleKind): WikiPassage => ({
  citation: "[Wiki: TLS]", key: "acme/app:TLS", similarity: 0.5, text: kind === "long" ? LOG : "How certificates are renewed, and what the agent reads then.",
  title: kind === "plain" ? "TLS" : TITLES[kind], url: "https://tracker.example/acme/app/wiki/TLS",
});

const caseComment = (anchor: string, role: CaseComment["role"], text: string): CaseComment => ({
  anchor, association: "MEMBER", author: "jane.doe", created_at: DATES.updated_at, excerpt: false, role, text, url: null,
});

export const EMPTY_ANSWER: AskResponse = { key: null, problem: null, related: [], closest: [], cases: [], wiki: [], articles: [], notes: [], next: ["File a new report."], notices: [], conclusive: true, took_ms: 11 };

export const knownProblem = (kind: SampleKind): KnownProblem => ({
  key: "acme/app#1", title: TITLES[kind], url: "https://tracker.example/acme/app/issues/1", status: "unreleased", confidence: 0.72, reasons: ["both mention x509"], reports: ["acme/app#5", "acme/app#7"],
  fixed_in: "2.4", fixed_at: null, closed_at: null, update_to: null, came_back_in: null, asked_version: { version: "2.3.1", has_fix: false },
  fix: caseComment("comment-4", "fix", "Restart the agent once; 2.4 reads the chain by itself."), workaround: caseComment("comment-2", "workaround", "Restart the agent after each renewal."),
  fixed_by: [{ key: "acme/app#9", title: "Read the chain again", url: null, text: "" }],
});

/** Returns the answer about a text or an item. */
export const sampleAnswer = (kind: SampleKind, key: string | null = null): AskResponse => ({
  ...EMPTY_ANSWER, key, problem: knownProblem(kind), cases: [], wiki: [wikiPage("plain")], next: ["Use the workaround.", "Fixed, not released yet."],
  related: [{ key: "acme/app#6", title: TITLES[kind], url: null, state: "open", state_reason: null, band: "possible", confidence: 0.31, status: "open", key_comment: null }],
  closest: [],
});

const report = (number: number, title: string, month: number): ProblemReport => ({
  key: `acme/app#${number}`, title, url: null, open: number % 3 > 0, created_at: `2025-${String(month).padStart(2, "0")}-14T08:00:00Z`, known: number % 2 > 0,
  confidence: 0.7, via: null, version: ["2.2.0", "2.3.1", null][number % 3] ?? null,
});

const STATUSES = ["open", "solved", "unreleased", "came_back", "declined", "closed_without_fix"] as const;

/** Returns a problem with `size` reports; its status depends on the size. */
export const problem = (size: number, kind: SampleKind): ListedProblem => {
  const [head, ...members] = Array.from({ length: size }, (_, index) => report(size * 20 + index, TITLES[kind], 1 + (index % 6)));
  const all = [head!, ...members];
  const status = STATUSES[size % 6]!;
  const isFixed = status === "solved" || status === "unreleased" || status === "came_back";
  return {
    head: head!, members, size, open: all.filter((entry) => entry.open).length, status, fixed_in: isFixed ? "2.3.0" : null,
    came_back_in: status === "came_back" ? "2.3.1" : null, recent: size % 5, before: size % 4, articles: size % 4 ? [] : ["note#3"],
    months: [1, 2, 3, 4, 5, 6].map((month) => ({ month: `2025-0${month}`, reports: all.filter((entry) => entry.created_at?.startsWith(`2025-0${month}`)).length })),
    versions: ["2.2.0", "2.3.1"].map((version) => ({ version, reports: all.filter((entry) => entry.version === version).length })),
  };
};

export const countedDuplicate = (number: number, kind: SampleKind): CountedDuplicate => ({
  key: `acme/app#${number}`, title: TITLES[kind], state: number % 2 ? "open" : "closed", state_reason: number % 2 ? null : "duplicate", created_at: DATES.created_at,
  of: number % 5 ? "acme/app#1" : null,
});

export const note = (number: number, kind: SampleKind): Note => ({
  key: `note#${number}`, kind: number % 2 ? "lesson" : "signal", title: TITLES[kind], body: `Restart the agent after a new certificate.\n\n\`\`\`\n${kind === "long" ? LOG : "systemctl restart agent"}\n\`\`\``,
  tags: ["tls", "agent"], lifecycle: number % 3 ? "active" : "archived", connected: ["acme/app#1"], created_at: DATES.created_at, updated_at: DATES.updated_at,
});

export const MONTHS = Array.from({ length: 18 }, (_, index) => `${2025 + Math.floor(index / 12)}-${String((index % 12) + 1).padStart(2, "0")}`);

const logError = (kind: SampleKind, change: Partial<LogError>): LogError => ({
  before_crash: false, case: null, count: 118, example: LOG.slice(0, 800), excerpt: true, first: { at: "2026-03-02 08:00:11", file: "agent.log", line: 12 }, known: null,
  last: { at: "2026-03-02 09:59:11", file: "support-bundle/var/log/agent/agent.log.1.gz", line: 48_211 }, message: kind === "plain" ? "cannot renew the certificate chain" : TITLES[kind],
  near_end: false, severity: "error", template: "cannot renew the certificate chain", verdict: "new", ...change,
});

export const logs = (kind: SampleKind): LogResponse => ({
  bytes: 9_400_000, distinct: 31, files: [{ lines: 88_000, name: "agent.log", skipped: null }, { lines: 0, name: "core.dump", skipped: "it is not text" }], known: 1, left_out: 0,
  lines: 88_000, new: 1, notices: [], conclusive: true, perhaps: 0, solved: 1, took_ms: 240,
  errors: [
    logError(kind, { severity: "fatal", before_crash: true, near_end: true, verdict: "solved", case: solvedCase(kind), count: 1 }),
    logError(kind, { verdict: "known", known: { band: "likely", confidence: 0.72, key: "acme/app#5", state: "open", state_reason: null, title: TITLES[kind], url: null, status: null, key_comment: null } }),
    logError(kind, { severity: "warning", count: 3 }),
  ],
});

const COLUMNS = [["Issue key", "number"], ["Summary", "title"], ["Description", "body"], ["Status", "state"], ["Custom field (Customer name)", null]] as const;

export const previewedFiles = (kind: SampleKind): DetectedFiles => ({
  left_out: [{ place: "photo.png", reason: "it is not text" }],
  understood: [{
    columns: COLUMNS.map(([column, field]) => ({ column, field })), comments: 30, doubts: [{ text: "The dates could be day first or month first; day first was taken." }], encoding: "windows-1252",
    file: "export/acme-issues.csv", first: [1, 2, 3].map((number) => ({ created_at: DATES.created_at, key: `ACME-${number}`, labels: ["bug"], state: "open", title: TITLES[kind] })), items: 12_345,
    kind: "Jira CSV", links: 4, pages: 0, releases: 0, skipped: 2, skips: [{ place: "line 17", reason: "it has no key" }], sources: [{ comments: 30, items: 12_345, source: "acme" }],
  }],
});

export const article = (kind: SampleKind): Article => ({
  key: "acme/app#12", title: TITLES[kind], sections: [], missing: ["cause"], redactions: 2, markdown: `# ${TITLES[kind]}\n`, html: "", stored: [],
});

export const brief = (kind: SampleKind): Brief => ({
  record: {} as Brief["record"], redactions: [], title: TITLES[kind],
  sections: [
    { kind: "problem", title: "The problem", entries: [{ citations: [], heading: null, quote: null, text: LOG.slice(0, 600) }] },
    { kind: "cases", title: "Solved cases", entries: [{
      citations: [], heading: TITLES[kind], quote: { author: "person-1", role: "fix", day: "2026-03-04", text: "Restart the agent once.", excerpt: true } as Brief["sections"][0]["entries"][0]["quote"], text: null,
    }] },
  ],
});

export const REDACTIONS: RedactionPreview[] = [
  { count: 3, kind: "name", original: "jane.doe", pseudonym: "person-1", sure: true },
  { count: 1, kind: "host", original: "build-agent-0017.internal.example", pseudonym: "host-1", sure: false },
];
