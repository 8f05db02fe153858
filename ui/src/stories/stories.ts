// Stories for every presentational component, one per visible state.

import type { Component, ComponentProps } from "svelte";
import Avatar from "../lib/Avatar.svelte";
import Choice from "../lib/Choice.svelte";
import Code from "../lib/Code.svelte";
import Comment from "../lib/Comment.svelte";
import ThreadExcerpt from "../lib/ThreadExcerpt.svelte";
import Loading from "../lib/Loading.svelte";
import HighlightedText from "../lib/HighlightedText.svelte";
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
import { Prompt, type AnswerPart, type PartName } from "../prompt/prompt.svelte";
import { classifyInput } from "../prompt/classify";
import { resultLines, knownLines, solvedLines, wikiLines } from "../prompt/lines";
import Banner from "../shell/Banner.svelte";
import Rail from "../shell/Rail.svelte";
import Toasts from "../shell/Toasts.svelte";
import { Toasts as Messages } from "../shell/toasts.svelte";
import Figures from "../sources/Figures.svelte";
import ImportFiles from "../sources/ImportFiles.svelte";
import { FileImport } from "../sources/fileImport.svelte";
import Appearance from "../settings/Appearance.svelte";
import ShortcutField from "../settings/ShortcutField.svelte";
import Confidence from "../triage/Confidence.svelte";
import Facts from "../triage/Facts.svelte";
import ComparedReport from "../triage/ComparedReport.svelte";
import CaseCard from "../answer/CaseCard.svelte";
import LogView from "../answer/LogView.svelte";
import SolutionComment from "../answer/SolutionComment.svelte";
import { Logs } from "../answer/logs.svelte";
import PlainText from "../lib/PlainText.svelte";
import { AppState } from "../shell/appState.svelte";
import { Jobs } from "../shell/jobs.svelte";
import { Answer } from "../answer/answer.svelte";
import { sampleAnswer, BODIES, candidate, FACTS, hit, LOG, logs, MONTHS, solvedCase, thread, TITLES, previewedFiles, type SampleKind } from "./samples";

/** The container that a component needs for its role or layout. */
export type StoryContainer = "listbox" | "window" | "prompt";

export interface Story {
  component: string;
  state: string;
  view: Component;
  props: Record<string, unknown>;
  around?: StoryContainer;
}

const SAMPLE_KINDS: readonly SampleKind[] = ["plain", "long", "chinese", "arabic", "hostile"];
const noop = (): void => {};

/** Creates a story for each state of a component. */
function storiesOf<V extends Component<any>>(name: string, view: V, states: Record<string, ComponentProps<V>>, around?: StoryContainer): Story[] {
  return Object.entries(states).map(([state, props]) => ({ component: name, state, view, props, ...(around ? { around } : {}) }));
}

/** Creates one state for each kind of sample text. */
function forEachKind<P>(props: (kind: SampleKind) => P): Record<SampleKind, P> {
  return Object.fromEntries(SAMPLE_KINDS.map((kind) => [kind, props(kind)])) as Record<SampleKind, P>;
}

function toasts(text: string | null, undo = false): { toasts: Messages } {
  const messages = new Messages();
  if (text !== null) messages.show(text, undo ? noop : null);
  messages.pauseTimeout();
  return { toasts: messages };
}

/** Returns the prompt's lines about a report. */
function promptLines(kind: SampleKind): Record<PartName, AnswerPart> {
  const part = (lines: AnswerPart["lines"]): AnswerPart => ({ lines, pending: false, failure: null, emptyText: "" });
  const answer = sampleAnswer(kind);
  return { known: part(knownLines(answer)), solved: part(solvedLines(answer)), wiki: part(wikiLines(answer)) };
}

const EMPTY_PART: AnswerPart = { lines: [], pending: false, failure: null, emptyText: "No known report matches." };

const partProps = { name: "known" as const, lineCount: 1, current: "known 0", idOf: (row: string) => row.replace(" ", "-"), onHover: noop, open: noop };

/** Creates a prompt with this text; a single part is used for all three. */
function promptStory(text: string, parts: AnswerPart | Record<PartName, AnswerPart>, change: Partial<Prompt> = {}): { prompt: Prompt } {
  const all = "known" in parts ? parts : { known: parts, solved: parts, wiki: parts };
  return { prompt: Object.assign(new Prompt(), { text, parts: all, sources: ["acme/app"] }, change) };
}

/** Creates the props of an import that is being prepared. */
function importProps(change: Partial<FileImport>): ComponentProps<typeof ImportFiles> {
  return { importing: Object.assign(new FileImport(new AppState()), { paths: ["~/export/acme-issues.csv"] }, change), busy: false, cancel: noop };
}

/** Creates the props of a log view. */
function logProps(change: Partial<Logs>): ComponentProps<typeof LogView> {
  return { logs: Object.assign(new Logs(new Jobs()), { files: ["agent.log"] }, change), read: noop, ask: noop };
}

const barProps = { pinned: false, backLabel: null, isTitleHidden: false, leave: null, other: null, close: null, back: noop, open: noop, follow: noop, goTo: noop };
const railProps = { current: "search" as const, go: noop, waiting: 0, trouble: false, saved: [], activeQuery: null, searchFor: noop };
const texts = { anchor: "body", author: "jane.doe", association: "MEMBER", createdAt: "2026-02-03T08:00:00Z", verb: "reported" };
const chartProps = { title: "Issues by month", months: MONTHS, kind: "bars" as const, format: String };
const series = (values: (number | null)[]) => [{ id: "created", name: "reported", tone: "first" as const, values }];

export const STORIES: readonly Story[] = [
  ...storiesOf("Avatar", Avatar, { full: { name: "jane.doe" }, chinese: { name: "王小明" }, bot: { name: "octo-bot", bot: true }, empty: { name: null } }),
  ...storiesOf("Banner", Banner, {
    failing: { failure: { code: "network", message: "cannot reach the tracker", hint: "Check the network." }, dismiss: noop },
    info: { failure: { code: "busy", message: "another process is updating the index", hint: null }, tone: "info" },
    long: { failure: { code: "io", message: TITLES.long, hint: TITLES.long } },
    hostile: { failure: { code: "io", message: TITLES.hostile, hint: null } },
  }),
  ...storiesOf("CaseCard", CaseCard, forEachKind((kind) => ({ answer: new Answer(new Jobs(), () => []), solvedCase: solvedCase(kind), selected: kind === "plain", choose: noop, read: noop }))),
  ...storiesOf("Chips", Chips, {
    empty: { query: "", change: noop },
    full: { query: 'is:issue is:open label:"help wanted" -author:bot tls', change: noop },
    pasted: { query: "a log\nof two lines", change: noop },
    long: { query: `label:"${TITLES.long}"`, change: noop },
  }),
  ...storiesOf("Choice", Choice, { full: { label: "Theme", options: [{ value: "light", name: "Light" }, { value: "dark", name: "Dark" }], value: "dark", choose: noop } }),
  ...storiesOf("Code", Code, { short: { text: "if a != b -> c" }, coloured: { text: "# Twice, to be sure.\nsystemctl restart \"agent\" && exit 0", language: "sh" }, hostile: { text: BODIES.hostile, language: "html" }, long: { text: Array.from({ length: 80 }, (_, at) => `line ${at + 1}`).join("\n") }, empty: { text: "" } }),
  ...storiesOf("Comment", Comment, {
    ...forEachKind((kind) => ({ ...texts, html: BODIES[kind] })),
    empty: { ...texts, author: null, html: "" },
    bot: { ...texts, author: "octo-bot", bot: true, html: "<p>This issue is stale.</p>" },
    marked: { ...texts, html: BODIES.plain, marks: [{ text: "2.3.1", kind: "differs" }, { text: "agent", kind: "same" }], flash: true },
  }),
  ...storiesOf("Confidence", Confidence, {
    full: { candidate: candidate(), details: false },
    details: { candidate: candidate(), details: true },
    related: { candidate: { ...candidate(), band: "related" }, details: true },
  }),
  ...storiesOf("Facts", Facts, { full: { facts: FACTS }, empty: { facts: [] }, hostile: { facts: [{ kind: "message", shared: [TITLES.hostile], report: [TITLES.long], candidate: [] }] } }),
  ...storiesOf("Figures", Figures, { full: { figures: [["Issues", 12_345, noop], ["Share of duplicates", "13%"]] }, empty: { figures: [] } }),
  ...storiesOf("Appearance", Appearance, { full: {} }),
  ...storiesOf("ImportFiles", ImportFiles, {
    ...forEachKind((kind) => importProps({ files: previewedFiles(kind) })),
    empty: { ...importProps({}), importing: new FileImport(new AppState()) },
    loading: importProps({ pending: true }),
    failing: importProps({ failure: { code: "not_found", message: "export.csv: file not found", hint: "Check the path." } }),
  }),
  ...storiesOf("LogView", LogView, {
    ...forEachKind((kind) => logProps({ response: logs(kind), expanded: new Set([1]) })),
    empty: logProps({ response: { ...logs("plain"), distinct: 0, errors: [], known: 0, new: 0, solved: 0 } }),
    loading: logProps({ pending: true }),
    failing: logProps({ failure: { code: "not_found", message: "agent.log: file not found", hint: null } }),
  }),
  ...storiesOf("ThreadExcerpt", ThreadExcerpt, { full: { key: "acme/app#1", text: "Restart it." } }),
  ...storiesOf("Loading", Loading, { loading: {} }),
  ...storiesOf("Notices", Notices, { full: { notices: [{ lack: "model", text: "Not conclusive: keyword search only." }] }, empty: { notices: [] } }),
  ...storiesOf("HighlightedText", HighlightedText, { full: { spans: [{ text: "a ", hit: false }, { text: "certificate", hit: true }] }, empty: { spans: [] }, hostile: { spans: [{ text: TITLES.hostile, hit: true }] } }),
  ...storiesOf("MonthChart", MonthChart, {
    full: { ...chartProps, series: series(MONTHS.map((_, at) => (at * 7) % 23)), list: noop },
    line: { ...chartProps, kind: "line", series: series(MONTHS.map((_, at) => (at % 6 === 5 ? null : (at % 5) / 10))) },
    empty: { ...chartProps, series: series(MONTHS.map(() => 0)) },
  }),
  ...storiesOf("Prose", Prose, { ...forEachKind((kind) => ({ html: BODIES[kind], context: referenceContext(thread(kind)) })), empty: { html: "" } }),
  ...storiesOf("PlainText", PlainText, { full: { text: "Restart it.\n\n```\nsystemctl restart agent\n```" }, chinese: { text: TITLES.chinese }, hostile: { text: BODIES.hostile }, empty: { text: "" } }),
  ...storiesOf("PartLines", PartLines, {
    full: { ...partProps, part: promptLines("plain").known },
    several: { ...partProps, lineCount: 3, part: { ...EMPTY_PART, lines: resultLines([1, 2].map((at) => hit("plain", at))) } },
    loading: { ...partProps, part: { ...EMPTY_PART, pending: true } },
    empty: { ...partProps, part: EMPTY_PART },
    failing: { ...partProps, part: { ...EMPTY_PART, failure: { code: "io", message: "the disk is full", hint: null } } },
  }, "listbox"),
  ...storiesOf("PromptView", PromptView, {
    empty: promptStory("", EMPTY_PART),
    clipboard: promptStory("", promptLines("plain"), { clipboard: classifyInput(LOG, []) }),
    asking: promptStory(TITLES.plain, { ...EMPTY_PART, pending: true }),
    full: promptStory(`${TITLES.plain}\n${LOG}`, promptLines("plain")),
    words: promptStory("certificate chain", { ...promptLines("plain"), known: { ...EMPTY_PART, lines: resultLines([1, 2].map((at) => hit("plain", at))) } }),
    key: promptStory("acme/app#12", promptLines("plain")),
    silent: promptStory(`${TITLES.plain}\nagain`, {
      known: EMPTY_PART, solved: { ...EMPTY_PART, emptyText: "No solved case matches." }, wiki: { ...EMPTY_PART, emptyText: "No wiki page matches." },
    }),
    failing: promptStory("acme/app#12", { ...EMPTY_PART, failure: { code: "not_found", message: "there is no acme/app#12", hint: "Sync its source first." } }),
    closed: promptStory("", EMPTY_PART, { openFailure: { code: "corrupt", message: "the casebook cannot be read", hint: "Run `precedent doctor`." } }),
    "no source": promptStory("", EMPTY_PART, { sources: [] }),
    notice: promptStory(`${TITLES.plain}\nagain`, EMPTY_PART, { notices: [{ lack: "some_vectors", text: "Not every text is searchable by meaning yet." }] }),
    copied: promptStory(`${TITLES.plain}\n${LOG}`, promptLines("plain"), { message: "Copied a reply that cites 3 items." }),
    long: promptStory(TITLES.long, promptLines("long")),
    chinese: promptStory(TITLES.chinese, promptLines("chinese")),
    hostile: promptStory(TITLES.hostile, promptLines("hostile")),
  }, "prompt"),
  ...storiesOf("Rail", Rail, {
    full: {
      ...railProps, waiting: 1200, trouble: true, activeQuery: "tls",
      saved: [
        { query: "tls", tally: { found: 50, hasMore: true } }, { query: "is:open label:bug", tally: { found: 12, hasMore: false } },
        { query: "更新证书", tally: { found: 0, hasMore: false } }, { query: TITLES.long, tally: null },
      ],
    },
    empty: railProps,
  }, "window"),
  ...storiesOf("ReaderBar", ReaderBar, {
    ...forEachKind((kind) => ({ ...barProps, thread: thread(kind), isTitleHidden: true, backLabel: "Triage", pinned: true })),
    second: { ...barProps, thread: thread("plain"), isTitleHidden: false, close: noop, other: { key: "acme/app#2", go: noop } },
    empty: { ...barProps, thread: null, leave: noop },
  }),
  ...storiesOf("Result", Result, {
    ...forEachKind((kind) => ({ hit: hit(kind), index: 0, selected: kind === "plain", details: true, choose: noop })),
    row: { hit: hit("plain", 4), index: 0, total: 4, selected: false, details: false, choose: noop },
    loading: { hit: undefined, index: 1, total: 4, selected: false, details: false, choose: noop },
  }, "listbox"),
  ...storiesOf("ShortcutField", ShortcutField, {
    full: { shortcut: "Ctrl+Alt+P", problem: null, choose: noop },
    failing: { shortcut: "Ctrl+Alt+P", problem: "Ctrl+Alt+P is already used by another program.", choose: noop },
  }),
  ...storiesOf("ComparedReport", ComparedReport, forEachKind((kind) => ({ role: "Report", thread: thread(kind), marks: [], read: noop, hint: "o", openExternal: noop }))),
  ...storiesOf("SourceSelect", SourceSelect, { full: { sources: ["acme/app", "acme/mill"], value: null, choose: noop }, empty: { sources: [], value: null, choose: noop } }),
  ...storiesOf("StateIcon", StateIcon, {
    open: { kind: "issue", state: "open" }, completed: { kind: "issue", state: "closed", reason: "completed" },
    "not planned": { kind: "issue", state: "closed", reason: "not_planned" }, duplicate: { kind: "issue", state: "closed", reason: "duplicate" },
    merged: { kind: "pull_request", state: "merged" }, page: { kind: "page", state: null }, note: { kind: "note", state: null },
  }),
  ...storiesOf("ThreadHead", ThreadHead, { ...forEachKind((kind) => ({ thread: thread(kind), filterBy: noop, follow: noop })), empty: { thread: { ...thread("plain"), title: "", labels: [], links: [] }, filterBy: noop, follow: noop } }),
  ...storiesOf("Time", Time, { full: { time: "2026-02-03T08:00:00Z", label: "Opened" }, narrow: { time: "2026-02-03T08:00:00Z", narrow: true }, empty: { time: null } }),
  ...storiesOf("SolutionComment", SolutionComment, forEachKind((kind) => ({ itemKey: "acme/app#1", solution: solvedCase(kind).comments[1]!, isFix: true, read: noop }))),
  ...storiesOf("Toasts", Toasts, { full: toasts("acme/app#5 is a duplicate of acme/app#1.", true), empty: toasts(null), long: toasts(TITLES.long), hostile: toasts(TITLES.hostile) }),
];
