// The answer to the query: what the engine knows about it. It follows typing after a pause, and
// other changes at once.

import { SvelteSet } from "svelte/reactivity";
import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import { wait } from "../lib/latestRequest";
import type { AskResponse } from "../lib/types";
import { formatReply, replyLines } from "../prompt/lines";
import { classifyInput, type ClassifiedInput } from "../prompt/classify";
import { parseFilters, removeFilters } from "../search/query";
import type { Jobs } from "../shell/jobs.svelte";
import { Logs, parsePaths } from "./logs.svelte";
import { listEvidence, type EvidenceItem, type EvidenceSection } from "./evidence";

/** The delay after typing before a lookup, in milliseconds. */
const TYPING_DELAY = 350;
const MIN_LENGTH = 3;

/** A classified query and the source that its filters name. */
type Question = ClassifiedInput & { source: string | null };

/** Returns the item or the text that a query asks about; `null` if it only lists documents. */
function parseQuestion(query: string, sources: readonly string[]): Question | null {
  const subject = classifyInput(query, sources);
  if (subject === null || subject.key !== null || subject.kind !== "words") return subject && { ...subject, source: null };
  const sourceName = parseFilters(query).find((entry) => entry.name === "source" && !entry.negated)?.value ?? null;
  const text = removeFilters(query).trim();
  return text.length < MIN_LENGTH ? null : { ...subject, text, source: sources.find((entry) => entry.toLowerCase() === sourceName?.toLowerCase()) ?? null };
}

export class Answer extends EngineRequest {
  response = $state.raw<AskResponse | null>(null);
  /** `null` if the query only lists documents. */
  question = $state.raw<Question | null>(null);
  /** The files that the query names. */
  files = $state.raw<readonly string[]>([]);
  /** Whether the evidence replaces the document. */
  isOpen = $state(false);
  /** The index of the current piece of evidence. */
  currentIndex = $state(-1);
  /** The ids of the evidence included in the brief. */
  selectedIds = $state.raw(new SvelteSet<string>());
  /** Whether the evidence gets the focus once it is rendered. */
  wantsFocus = $state(false);

  readonly logs: Logs;

  readonly evidence: readonly EvidenceItem[] = $derived(listEvidence(this.response));

  #findSelection: ((items: readonly EvidenceItem[]) => EvidenceItem | undefined) | null = null;
  #lookup: Promise<void> = Promise.resolve();

  constructor(jobs: Jobs, private readonly sources: () => readonly string[]) {
    super();
    this.logs = new Logs(jobs);
  }

  get currentItem(): EvidenceItem | null {
    return this.evidence[this.currentIndex] ?? null;
  }

  /** The subject of a brief: the key, the text or the log files. */
  get subject(): string {
    return this.question?.key ?? this.question?.text ?? this.files.join("\n");
  }

  /** Follows a new query. A path that is being typed is read only on request. */
  follow(query: string, isTyping: boolean): void {
    this.files = parsePaths(query);
    if (this.files.length > 0) {
      if (this.files.join("\n") === this.logs.files.join("\n")) return;
      this.#begin(null);
      if (!isTyping) this.#readLogs();
      return;
    }
    const question = parseQuestion(query, this.sources());
    if (JSON.stringify(question) === JSON.stringify(this.question) && !this.logs.isActive) return;
    const wasOpen = this.isOpen;
    this.#begin(question);
    if (question === null) return;
    // Multi-line text opens the evidence, and a log opens its errors.
    if (question.kind === "log") {
      this.isOpen = true;
      return void this.logs.read([], question.text);
    }
    this.isOpen = question.text.includes("\n") && (!isTyping || wasOpen);
    this.#lookup = this.#ask(question, isTyping ? TYPING_DELAY : 0);
  }

  /** Repeats the lookup after the casebook has changed. */
  refresh(): void {
    if (this.question !== null && !this.logs.isActive) this.#lookup = this.#ask(this.question, 0);
  }

  async #ask({ key, text, source }: Question, delay: number): Promise<void> {
    const lookUp = async (isCurrent: () => boolean) => {
      await wait(delay);
      // A newer question ignores this error.
      if (!isCurrent()) throw new Error("superseded");
      return api.ask({ key, text: key === null ? text : "", source });
    };
    const isAnswered = await this.run(lookUp, (response) => {
      const previousId = this.currentItem?.id;
      this.response = response;
      const selected = this.#findSelection?.(this.evidence) ?? this.evidence.find((entry) => entry.id === previousId) ?? this.evidence[0];
      this.#findSelection = null;
      this.currentIndex = selected ? this.evidence.indexOf(selected) : -1;
      this.selectedIds = new SvelteSet(this.evidence.map((piece) => piece.id));
    });
    if (!isAnswered && this.failure !== null) this.response = null;
  }

  #begin(question: Question | null): void {
    this.cancel();
    this.logs.clear();
    this.question = question;
    this.isOpen = false;
    this.failure = null;
    this.currentIndex = -1;
    if (question === null) this.response = null;
  }

  /** Shows the evidence and selects the first item of a section once it is loaded. */
  async show(section: EvidenceSection | null = null): Promise<void> {
    if (this.files.length > 0 && !this.logs.isActive) this.#readLogs();
    this.isOpen = true;
    this.wantsFocus = true;
    if (section === null) return;
    this.#findSelection = (items) => items.find((entry) => entry.section === section);
    await this.#lookup;
    const first = this.evidence.find((entry) => entry.section === section);
    if (first) this.select(first.id);
    this.#findSelection = null;
  }

  #readLogs(): void {
    this.isOpen = true;
    void this.logs.read(this.files);
  }

  move(delta: number): void {
    if (this.logs.isActive) this.logs.move(delta);
    else this.currentIndex = Math.min(Math.max(this.currentIndex + delta, 0), this.evidence.length - 1);
  }

  /** Selects a piece of evidence if it exists, also in a pending answer. */
  select(id: string | null): void {
    if (this.pending) this.#findSelection = (items) => items.find((entry) => entry.id === id);
    const index = this.evidence.findIndex((piece) => piece.id === id);
    if (index >= 0) this.currentIndex = index;
  }

  toggleInBrief(id: string): void {
    if (!this.selectedIds.delete(id)) this.selectedIds.add(id);
  }

  /** Copies a reply that cites the answer. Returns the number of cited items. */
  async copyReply(): Promise<number> {
    const lines = this.response === null ? [] : replyLines(this.response);
    if (lines.length > 0) await api.copyText(formatReply(lines));
    return lines.length;
  }
}
