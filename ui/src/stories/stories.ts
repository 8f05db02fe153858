// Every presentational component in the states that a person may meet it in.

import type { Component, ComponentProps } from "svelte";
import Avatar from "../lib/Avatar.svelte";
import Choice from "../lib/Choice.svelte";
import Code from "../lib/Code.svelte";
import Comment from "../lib/Comment.svelte";
import FromThread from "../lib/FromThread.svelte";
import Loading from "../lib/Loading.svelte";
import Marked from "../lib/Marked.svelte";
import Notices from "../lib/Notices.svelte";
import Prose from "../lib/Prose.svelte";
import { referenceContext } from "../lib/references";
import SourceSelect from "../lib/SourceSelect.svelte";
import StateIcon from "../lib/StateIcon.svelte";
import Time from "../lib/Time.svelte";
import MonthChart from "../problems/MonthChart.svelte";
import Chips from "../search/Chips.svelte";
import ReaderBar from "../search/ReaderBar.svelte";
import Result from "../search/Result.svelte";
import ThreadHead from "../search/ThreadHead.svelte";
import PartLines from "../prompt/PartLines.svelte";
import PromptView from "../prompt/PromptView.svelte";
import { Prompt, type Part, type PartName } from "../prompt/prompt.svelte";
import { recognise } from "../prompt/recognise";
import { first, known, solved as solvedLine, wiki } from "../prompt/words";
import Banner from "../shell/Banner.svelte";
import Rail from "../shell/Rail.svelte";
import Toasts from "../shell/Toasts.svelte";
import { Toasts as Messages } from "../shell/toasts.svelte";
import Figures from "../sources/Figures.svelte";
import ImportFiles from "../sources/ImportFiles.svelte";
import { Importing } from "../sources/importing.svelte";
import Appearance from "../settings/Appearance.svelte";
import ShortcutField from "../settings/ShortcutField.svelte";
import Confidence from "../triage/Confidence.svelte";
import Facts from "../triage/Facts.svelte";
import Side from "../triage/Side.svelte";
import CaseCard from "../answer/CaseCard.svelte";
import LogView from "../answer/LogView.svelte";
import Told from "../answer/Told.svelte";
import { Logs } from "../answer/logs.svelte";
import PlainText from "../lib/PlainText.svelte";
import { AppState } from "../shell/desk.svelte";
import { Jobs } from "../shell/jobs.svelte";
import { Answer } from "../answer/answer.svelte";
import { answered, BODIES, candidate, FACTS, hit, LOG, logs, MONTHS, solved, thread, TITLES, understood, type Sort } from "./samples";

/** What a component stands in, where its meaning comes from that. */
export type Around = "listbox" | "window" | "prompt";

export interface Story {
  component: string;
  state: string;
  view: Component;
  props: Record<string, unknown>;
  around?: Around;
}

const SORTS: readonly Sort[] = ["plain", "long", "chinese", "arabic", "hostile"];
const none = (): void => {};

/** The states of one component, told with what the component itself takes. */
function told<V extends Component<any>>(name: string, view: V, states: Record<string, ComponentProps<V>>, around?: Around): Story[] {
  return Object.entries(states).map(([state, props]) => ({ component: name, state, view, props, ...(around ? { around } : {}) }));
}

/** One state for each sort of text. */
function each<P>(props: (sort: Sort) => P): Record<Sort, P> {
  return Object.fromEntries(SORTS.map((sort) => [sort, props(sort)])) as Record<Sort, P>;
}

function toasts(text: string | null, undo = false): { toasts: Messages } {
  const messages = new Messages();
  if (text !== null) messages.show(text, undo ? none : null);
  messages.pauseTimeout();
  return { toasts: messages };
}

/** The lines of the prompt about a report. */
function lines(sort: Sort): Record<PartName, Part> {
  const part = (lines: Part["lines"]): Part => ({ lines, pending: false, failure: null, silence: "" });
  const answer = answered(sort);
  return { known: part(known(answer)), solved: part(solvedLine(answer)), wiki: part(wiki(answer)) };
}

const EMPTY_PART: Part = { lines: [], pending: false, failure: null, silence: "No known report matches." };

const partly = { name: "known" as const, room: 1, current: "known 0", idOf: (row: string) => row.replace(" ", "-"), reach: none, open: none };

/** The prompt as somebody left it: a text, or the clipboard, and the same part three times where it is not told which. */
function asked(text: string, parts: Part | Record<PartName, Part>, change: Partial<Prompt> = {}): { prompt: Prompt } {
  const all = "known" in parts ? parts : { known: parts, solved: parts, wiki: parts };
  return { prompt: Object.assign(new Prompt(), { text, parts: all, sources: ["acme/app"] }, change) };
}

/** Files that somebody is about to import. */
function files(change: Partial<Importing>): ComponentProps<typeof ImportFiles> {
  return { importing: Object.assign(new Importing(new AppState()), { paths: ["~/export/acme-issues.csv"] }, change), busy: false, cancel: none };
}

/** Logs as they were read. */
function read(change: Partial<Logs>): ComponentProps<typeof LogView> {
  return { logs: Object.assign(new Logs(new Jobs()), { files: ["agent.log"] }, change), read: none, ask: none };
}

const bar = { pinned: false, before: null, passed: false, leave: null, other: null, close: null, back: none, open: none, follow: none, goTo: none };
const rail = { current: "search" as const, go: none, waiting: 0, trouble: false, saved: [], asked: null, searchFor: none };
const texts = { anchor: "body", author: "jane.doe", association: "MEMBER", createdAt: "2026-02-03T08:00:00Z", verb: "reported" };
const chart = { title: "Issues by month", months: MONTHS, sort: "bars" as const, format: String };
const series = (values: (number | null)[]) => [{ id: "created", name: "reported", tone: "first" as const, values }];

export const STORIES: readonly Story[] = [
  ...told("Avatar", Avatar, { full: { name: "jane.doe" }, chinese: { name: "王小明" }, bot: { name: "octo-bot", bot: true }, empty: { name: null } }),
  ...told("Banner", Banner, {
    failing: { failure: { code: "network", message: "the tracker does not answer", hint: "Check the network." }, dismiss: none },
    info: { failure: { code: "busy", message: "another process updates the index", hint: null }, tone: "info" },
    long: { failure: { code: "io", message: TITLES.long, hint: TITLES.long } },
    hostile: { failure: { code: "io", message: TITLES.hostile, hint: null } },
  }),
  ...told("CaseCard", CaseCard, each((sort) => ({ answer: new Answer(new Jobs(), () => []), solvedCase: solved(sort), selected: sort === "plain", choose: none, read: none }))),
  ...told("Chips", Chips, {
    empty: { query: "", change: none },
    full: { query: 'is:issue is:open label:"help wanted" -author:bot tls', change: none },
    pasted: { query: "a log\nof two lines", change: none },
    long: { query: `label:"${TITLES.long}"`, change: none },
  }),
  ...told("Choice", Choice, { full: { label: "Theme", options: [{ value: "light", name: "Light" }, { value: "dark", name: "Dark" }], value: "dark", choose: none } }),
  ...told("Code", Code, { short: { text: "if a != b -> c" }, coloured: { text: "# Twice, to be sure.\nsystemctl restart \"agent\" && exit 0", language: "sh" }, hostile: { text: BODIES.hostile, language: "html" }, long: { text: Array.from({ length: 80 }, (_, at) => `line ${at + 1}`).join("\n") }, empty: { text: "" } }),
  ...told("Comment", Comment, {
    ...each((sort) => ({ ...texts, html: BODIES[sort] })),
    empty: { ...texts, author: null, html: "" },
    bot: { ...texts, author: "octo-bot", bot: true, html: "<p>This issue is stale.</p>" },
    marked: { ...texts, html: BODIES.plain, marks: [{ text: "2.3.1", kind: "differs" }, { text: "agent", kind: "same" }], flash: true },
  }),
  ...told("Confidence", Confidence, {
    full: { candidate: candidate(), details: false },
    details: { candidate: candidate(), details: true },
    related: { candidate: { ...candidate(), band: "related" }, details: true },
  }),
  ...told("Facts", Facts, { full: { facts: FACTS }, empty: { facts: [] }, hostile: { facts: [{ kind: "message", shared: [TITLES.hostile], report: [TITLES.long], candidate: [] }] } }),
  ...told("Figures", Figures, { full: { figures: [["Issues", 12_345, none], ["Share of duplicates", "13%"]] }, empty: { figures: [] } }),
  ...told("Appearance", Appearance, { full: {} }),
  ...told("ImportFiles", ImportFiles, {
    ...each((sort) => files({ understood: understood(sort) })),
    empty: { ...files({}), importing: new Importing(new AppState()) },
    loading: files({ pending: true }),
    failing: files({ failure: { code: "not_found", message: "there is no file export.csv", hint: "Check the path." } }),
  }),
  ...told("LogView", LogView, {
    ...each((sort) => read({ response: logs(sort), opened: new Set([1]) })),
    empty: read({ response: { ...logs("plain"), distinct: 0, errors: [], known: 0, new: 0, solved: 0 } }),
    loading: read({ pending: true }),
    failing: read({ failure: { code: "not_found", message: "there is no file agent.log", hint: null } }),
  }),
  ...told("FromThread", FromThread, { full: { key: "acme/app#1", text: "Restart it." } }),
  ...told("Loading", Loading, { loading: {} }),
  ...told("Notices", Notices, { full: { notices: [{ lack: "model", text: "Not conclusive: keyword search only." }] }, empty: { notices: [] } }),
  ...told("Marked", Marked, { full: { spans: [{ text: "a ", hit: false }, { text: "certificate", hit: true }] }, empty: { spans: [] }, hostile: { spans: [{ text: TITLES.hostile, hit: true }] } }),
  ...told("MonthChart", MonthChart, {
    full: { ...chart, series: series(MONTHS.map((_, at) => (at * 7) % 23)), list: none },
    line: { ...chart, sort: "line", series: series(MONTHS.map((_, at) => (at % 6 === 5 ? null : (at % 5) / 10))) },
    empty: { ...chart, series: series(MONTHS.map(() => 0)) },
  }),
  ...told("Prose", Prose, { ...each((sort) => ({ html: BODIES[sort], here: referenceContext(thread(sort)) })), empty: { html: "" } }),
  ...told("PlainText", PlainText, { full: { text: "Restart it.\n\n```\nsystemctl restart agent\n```" }, chinese: { text: TITLES.chinese }, hostile: { text: BODIES.hostile }, empty: { text: "" } }),
  ...told("PartLines", PartLines, {
    full: { ...partly, part: lines("plain").known },
    several: { ...partly, room: 3, part: { ...EMPTY_PART, lines: first([1, 2].map((at) => hit("plain", at))) } },
    loading: { ...partly, part: { ...EMPTY_PART, pending: true } },
    empty: { ...partly, part: EMPTY_PART },
    failing: { ...partly, part: { ...EMPTY_PART, failure: { code: "io", message: "the disk is full", hint: null } } },
  }, "listbox"),
  ...told("PromptView", PromptView, {
    empty: asked("", EMPTY_PART),
    clipboard: asked("", lines("plain"), { clipboard: recognise(LOG, []) }),
    asking: asked(TITLES.plain, { ...EMPTY_PART, pending: true }),
    full: asked(`${TITLES.plain}\n${LOG}`, lines("plain")),
    words: asked("certificate chain", { ...lines("plain"), known: { ...EMPTY_PART, lines: first([1, 2].map((at) => hit("plain", at))) } }),
    key: asked("acme/app#12", lines("plain")),
    silent: asked(`${TITLES.plain}\nagain`, {
      known: EMPTY_PART, solved: { ...EMPTY_PART, silence: "No solved case matches." }, wiki: { ...EMPTY_PART, silence: "No wiki page matches." },
    }),
    failing: asked("acme/app#12", { ...EMPTY_PART, failure: { code: "not_found", message: "there is no acme/app#12", hint: "Sync its source first." } }),
    closed: asked("", EMPTY_PART, { closed: { code: "corrupt", message: "the casebook cannot be read", hint: "Run `precedent doctor`." } }),
    "no source": asked("", EMPTY_PART, { sources: [] }),
    notice: asked(`${TITLES.plain}\nagain`, EMPTY_PART, { notices: [{ lack: "some_vectors", text: "Not every text is searchable by meaning yet." }] }),
    copied: asked(`${TITLES.plain}\n${LOG}`, lines("plain"), { message: "Copied a reply that cites 3 items." }),
    long: asked(TITLES.long, lines("long")),
    chinese: asked(TITLES.chinese, lines("chinese")),
    hostile: asked(TITLES.hostile, lines("hostile")),
  }, "prompt"),
  ...told("Rail", Rail, {
    full: {
      ...rail, waiting: 1200, trouble: true, asked: "tls",
      saved: [
        { query: "tls", tally: { found: 50, hasMore: true } }, { query: "is:open label:bug", tally: { found: 12, hasMore: false } },
        { query: "更新证书", tally: { found: 0, hasMore: false } }, { query: TITLES.long, tally: null },
      ],
    },
    empty: rail,
  }, "window"),
  ...told("ReaderBar", ReaderBar, {
    ...each((sort) => ({ ...bar, thread: thread(sort), passed: true, before: "Triage", pinned: true })),
    second: { ...bar, thread: thread("plain"), passed: false, close: none, other: { key: "acme/app#2", go: none } },
    empty: { ...bar, thread: null, leave: none },
  }),
  ...told("Result", Result, {
    ...each((sort) => ({ hit: hit(sort), at: 0, selected: sort === "plain", details: true, choose: none })),
    row: { hit: hit("plain", 4), at: 0, of: 4, selected: false, details: false, choose: none },
    loading: { hit: undefined, at: 1, of: 4, selected: false, details: false, choose: none },
  }, "listbox"),
  ...told("ShortcutField", ShortcutField, {
    full: { shortcut: "Ctrl+Alt+P", problem: null, choose: none },
    failing: { shortcut: "Ctrl+Alt+P", problem: "Another program holds Ctrl+Alt+P.", choose: none },
  }),
  ...told("Side", Side, each((sort) => ({ role: "Report", thread: thread(sort), marks: [], read: none, hint: "o", openExternal: none }))),
  ...told("SourceSelect", SourceSelect, { full: { sources: ["acme/app", "acme/mill"], value: null, choose: none }, empty: { sources: [], value: null, choose: none } }),
  ...told("StateIcon", StateIcon, {
    open: { kind: "issue", state: "open" }, completed: { kind: "issue", state: "closed", reason: "completed" },
    "not planned": { kind: "issue", state: "closed", reason: "not_planned" }, duplicate: { kind: "issue", state: "closed", reason: "duplicate" },
    merged: { kind: "pull_request", state: "merged" }, page: { kind: "page", state: null }, note: { kind: "note", state: null },
  }),
  ...told("ThreadHead", ThreadHead, { ...each((sort) => ({ thread: thread(sort), filterBy: none, follow: none })), empty: { thread: { ...thread("plain"), title: "", labels: [], links: [] }, filterBy: none, follow: none } }),
  ...told("Time", Time, { full: { time: "2026-02-03T08:00:00Z", label: "Opened" }, narrow: { time: "2026-02-03T08:00:00Z", narrow: true }, empty: { time: null } }),
  ...told("Told", Told, each((sort) => ({ itemKey: "acme/app#1", solution: solved(sort).comments[1]!, isFix: true, read: none }))),
  ...told("Toasts", Toasts, { full: toasts("acme/app#5 is a duplicate of acme/app#1.", true), empty: toasts(null), long: toasts(TITLES.long), hostile: toasts(TITLES.hostile) }),
];
