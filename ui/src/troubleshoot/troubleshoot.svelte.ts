// A pasted report, or an item that is named: the reports that may be the same, the solved cases and the wiki pages, together.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { DuplicatesResponse, Failure, Notice, TroubleshootResponse } from "../lib/types";
import type { Jobs } from "../shell/jobs.svelte";
import { Logs, paths } from "./logs.svelte";
import { pieces, type Piece, type Section } from "./pieces";

/** What is asked: the item whose key stands there alone, else the text as a report. */
export function question(text: string): { key: string | null; text: string } {
  const pasted = text.trim();
  return /^[^\s#]+\/[^\s#]+#\d+$/.test(pasted) ? { key: pasted, text: "" } : { key: null, text: pasted };
}

/** Only what may be the same or is related; the rest is left out, here as in a brief. */
export function alike(response: DuplicatesResponse): DuplicatesResponse {
  return { ...response, candidates: response.candidates.filter((c) => c.band !== "none") };
}

export class Troubleshoot {
  text = $state("");
  source = $state<string | null>(null);
  solved = $state.raw<TroubleshootResponse | null>(null);
  duplicates = $state.raw<DuplicatesResponse | null>(null);
  failure = $state.raw<Failure | null>(null);
  pending = $state(false);
  /** The text that the answer is for. */
  asked = $state("");
  /** The piece that the keys act on. */
  at = $state(-1);
  /** The ids of the pieces that go into the brief. */
  picked = $state.raw<ReadonlySet<string>>(new Set());
  /** Grows with each question that a command asked, and not the text box. */
  lookups = $state(0);

  /** Logs that lie on this machine, while they are what is asked about. */
  readonly logs: Logs;

  #latest = new Latest();

  #leave: () => void;

  /** `leave` is told before another answer takes the place of one that stands. */
  constructor(jobs: Jobs, leave: () => void = () => {}) {
    this.logs = new Logs(jobs);
    this.#leave = leave;
  }

  get pieces(): readonly Piece[] {
    return pieces(this.solved, this.duplicates);
  }

  get piece(): Piece | null {
    return this.pieces[this.at] ?? null;
  }

  /** What the person should know about the answer, each once. */
  get notices(): readonly Notice[] {
    const all = [...(this.solved?.notices ?? []), ...(this.duplicates?.notices ?? [])];
    return all.filter((notice, at) => all.findIndex((other) => other.lack === notice.lack) === at);
  }

  async ask(): Promise<void> {
    const text = this.text.trim();
    if (!text) return;
    const files = paths(text);
    if (files.length > 0) return this.readLogs(files);
    if (this.asked !== "" && this.asked !== text) this.#leave();
    this.logs.clear();
    const asked = { ...question(text), source: this.source };
    const isCurrent = this.#latest.begin();
    this.pending = true;
    this.failure = null;
    const [solved, duplicates] = await Promise.allSettled([
      api.troubleshoot(asked),
      // Which of it is a title is for the engine to tell.
      api.duplicates({ title: "", body: asked.text, key: asked.key, source: asked.source, include_closed: true, max_candidates: 5 }),
    ]);
    if (!isCurrent()) return;
    this.pending = false;
    // Either answer is of use without the other.
    this.solved = solved.status === "fulfilled" ? solved.value : null;
    this.duplicates = duplicates.status === "fulfilled" ? alike(duplicates.value) : null;
    const refused = [solved, duplicates].find((one) => one.status === "rejected");
    this.failure = refused ? api.failure(refused.reason) : null;
    this.asked = text;
    this.at = this.pieces.length > 0 ? 0 : -1;
    this.picked = new Set(this.pieces.map((piece) => piece.id));
  }

  /** Looks up a report for a command, and marks the first answer of a section. */
  async lookUp(report: string, section: Section): Promise<void> {
    this.text = report;
    const asked = this.ask();
    this.lookups++;
    await asked;
    this.mark(this.pieces.find((piece) => piece.section === section)?.id ?? null);
  }

  /** Reads logs in place of a text. */
  async readLogs(files: readonly string[]): Promise<void> {
    this.#forget();
    this.text = files.join("\n");
    this.asked = this.text;
    await this.logs.read(files, this.source);
  }

  clear(): void {
    this.logs.clear();
    this.#forget();
    this.text = "";
  }

  #forget(): void {
    this.#latest.forget();
    this.asked = "";
    this.solved = null;
    this.duplicates = null;
    this.failure = null;
    this.pending = false;
    this.at = -1;
    this.picked = new Set();
  }

  move(by: number): void {
    this.at = Math.min(Math.max(this.at + by, 0), this.pieces.length - 1);
  }

  /** Goes to a piece, if it is among the answer. */
  mark(id: string | null): void {
    const at = this.pieces.findIndex((piece) => piece.id === id);
    if (at >= 0) this.at = at;
  }

  toggle(id: string): void {
    const picked = new Set(this.picked);
    if (!picked.delete(id)) picked.add(id);
    this.picked = picked;
  }
}
