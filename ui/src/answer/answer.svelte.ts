// The answer to what stands in the box: what is known of it, as the engine's one pipeline says. It follows the words of a search
// after a pause; what comes as a whole it answers at once.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latest";
import type { AskResponse, Failure } from "../lib/types";
import { reply, repliesTo } from "../prompt/words";
import { recognise, type Recognised } from "../prompt/recognise";
import { parseFilters, removeFilters } from "../search/query";
import { copyText } from "../shell/clipboard";
import type { Jobs } from "../shell/jobs.svelte";
import { Logs, paths } from "./logs.svelte";
import { pieces, type Piece, type Section } from "./pieces";

/** Typing has to stop for so long. */
const TYPED_AFTER = 350;
const SHORTEST = 3;

/** A question, and the source that it names. */
type Question = Recognised & { source: string | null };

/** What a query asks about: an item, or a text without its filters; nothing where it only lists. */
function questionOf(query: string, sources: readonly string[]): Question | null {
  const asked = recognise(query, sources);
  if (asked === null || asked.key !== null || asked.sort !== "words") return asked && { ...asked, source: null };
  const named = parseFilters(query).find((one) => one.name === "source" && !one.negated)?.value ?? null;
  const text = removeFilters(query).trim();
  return text.length < SHORTEST ? null : { ...asked, text, source: sources.find((one) => one.toLowerCase() === named?.toLowerCase()) ?? null };
}

export class Answer {
  response = $state.raw<AskResponse | null>(null);
  failure = $state.raw<Failure | null>(null);
  pending = $state(false);
  /** What is asked about; nothing where the box only lists. */
  question = $state.raw<Question | null>(null);
  /** The files that are named. */
  files = $state.raw<readonly string[]>([]);
  /** Whether its evidence takes the place of what is read. */
  open = $state(false);
  /** The piece that the keys act on. */
  at = $state(-1);
  /** The ids of the pieces that go into the brief. */
  picked = $state.raw<ReadonlySet<string>>(new Set());
  /** Whether the evidence is to have the focus as soon as it is there. */
  wanted = $state(false);

  /** Logs, while they are what is asked about. */
  readonly logs: Logs;

  readonly pieces: readonly Piece[] = $derived(pieces(this.response));

  #latest = new LatestRequest();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sources: () => readonly string[];
  #mark: ((pieces: readonly Piece[]) => Piece | undefined) | null = null;
  #answered: Promise<void> = Promise.resolve();

  constructor(jobs: Jobs, sources: () => readonly string[]) {
    this.logs = new Logs(jobs);
    this.#sources = sources;
  }

  get piece(): Piece | null {
    return this.pieces[this.at] ?? null;
  }

  /** What a brief is about: the text, else the logs. */
  get asked(): string {
    return this.question?.key ?? this.question?.text ?? this.files.join("\n");
  }

  /** Another query stands in the box. A path that is being typed is read once somebody asks for it. */
  follow(query: string, typed: boolean): void {
    this.files = paths(query);
    if (this.files.length > 0) {
      if (this.files.join("\n") === this.logs.files.join("\n")) return;
      this.#begin(null);
      if (!typed) this.#readLogs();
      return;
    }
    const question = questionOf(query, this.#sources());
    if (JSON.stringify(question) === JSON.stringify(this.question) && !this.logs.active) return;
    const wasOpen = this.open;
    this.#begin(question);
    if (question === null) return;
    // A whole text has nothing else to show; a log is more than a text.
    if (question.sort === "log") {
      this.open = true;
      return void this.logs.read([], question.text);
    }
    this.open = question.text.includes("\n") && (!typed || wasOpen);
    this.pending = true;
    const isCurrent = this.#latest.begin();
    this.#answered = new Promise<void>((resolve) => (this.#timer = setTimeout(resolve, typed ? TYPED_AFTER : 0))).then(() => this.#ask(isCurrent));
  }

  /** The casebook has changed. */
  refresh(): void {
    if (this.question === null || this.logs.active) return;
    this.#answered = this.#ask(this.#latest.begin());
  }

  async #ask(isCurrent: () => boolean): Promise<void> {
    const { question } = this;
    if (question === null || !isCurrent()) return;
    try {
      const response = await api.ask({ key: question.key, text: question.key === null ? question.text : "", source: question.source });
      if (!isCurrent()) return;
      const stood = this.piece?.id;
      this.response = response;
      this.failure = null;
      const marked = this.#mark?.(this.pieces) ?? this.pieces.find((one) => one.id === stood) ?? this.pieces[0];
      this.#mark = null;
      this.at = marked ? this.pieces.indexOf(marked) : -1;
      this.picked = new Set(this.pieces.map((piece) => piece.id));
    } catch (thrown) {
      if (!isCurrent()) return;
      this.response = null;
      this.failure = api.toFailure(thrown);
    }
    this.pending = false;
  }

  #begin(question: Question | null): void {
    clearTimeout(this.#timer);
    this.#latest.invalidate();
    this.logs.clear();
    this.question = question;
    this.open = false;
    this.pending = false;
    this.failure = null;
    this.at = -1;
    if (question === null) this.response = null;
  }

  /** Shows the evidence, with the first piece of a section marked as soon as it is there. */
  async show(section: Section | null = null): Promise<void> {
    if (this.files.length > 0 && !this.logs.active) this.#readLogs();
    this.open = true;
    this.wanted = true;
    if (section === null) return;
    this.#mark = (pieces) => pieces.find((one) => one.section === section);
    await this.#answered;
    const first = this.pieces.find((one) => one.section === section);
    if (first) this.mark(first.id);
    this.#mark = null;
  }

  #readLogs(): void {
    this.open = true;
    void this.logs.read(this.files);
  }

  move(by: number): void {
    if (this.logs.active) this.logs.move(by);
    else this.at = Math.min(Math.max(this.at + by, 0), this.pieces.length - 1);
  }

  /** Goes to a piece, if it is among the answer. */
  mark(id: string | null): void {
    if (this.pending) this.#mark = (pieces) => pieces.find((one) => one.id === id);
    const at = this.pieces.findIndex((piece) => piece.id === id);
    if (at >= 0) this.at = at;
  }

  toggle(id: string): void {
    const picked = new Set(this.picked);
    if (!picked.delete(id)) picked.add(id);
    this.picked = picked;
  }

  /** Puts a reply onto the clipboard that cites what is known. How many items it cites. */
  async copyReply(): Promise<number> {
    const lines = this.response === null || this.pending ? [] : repliesTo(this.response);
    if (lines.length > 0) await copyText(reply(lines));
    return lines.length;
  }
}
