// The triage desk: the queue, the pair that is compared, and the decisions of this session.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type {
  Band, Comparison, DuplicateCandidate, DuplicatesResponse, Failure, TriageItem, TriageRequest, TriageResponse, VerdictKind,
} from "../lib/types";
import type { Desk } from "../shell/desk.svelte";
import type { DeskSetting } from "../shell/shelf.svelte";
import type { Deed } from "../shell/undo.svelte";

/** How many reports of each list are held; more come as these are decided. */
const HELD = 100;
const FEW = 15;
const QUEUE_EVERY = 2500;

export interface Decision {
  item: TriageItem;
  other: string;
  kind: VerdictKind;
  /** Whether it was made in the second list, where its report returns to. */
  related: boolean;
  /** What takes it back. */
  deed: Deed | null;
}

export const DONE: Record<VerdictKind, string> = {
  duplicate: "is a duplicate of",
  related: "is related to",
  not_duplicate: "is not a duplicate of",
};

export class Triage {
  source = $state<string | null>(null);
  includeClosed = $state(false);
  band = $state<Band>("possible");

  items = $state.raw<readonly TriageItem[]>([]);
  /** How many wait in all, those that are not held here included. */
  waiting = $state(0);
  /** The second list: reports with nothing that is surely the same, and something worth reading. */
  related = $state.raw<readonly TriageItem[]>([]);
  relatedWaiting = $state(0);
  /** Whether the second list is shown; what is not shown cannot be selected. */
  relatedOpen = $state(false);
  /** Closed reports that nothing was compared with, as only open ones were. */
  closedLeftOut = $state(0);
  /** Open reports that nobody has looked at yet. */
  unscanned = $state(0);
  loaded = $state(false);
  failure = $state.raw<Failure | null>(null);

  selected = $state<string | null>(null);
  found = $state.raw<DuplicatesResponse | null>(null);
  comparison = $state.raw<Comparison | null>(null);
  pairFailure = $state.raw<Failure | null>(null);
  /** Which candidate of the report is compared. */
  at = $state(0);
  decisions = $state.raw<readonly Decision[]>([]);
  /** Grows with each decision that was recorded or taken back. */
  recorded = $state(0);

  #desk: Desk;
  #queue = new Latest();
  #pair = new Latest();
  #skipped = new Set<string>();
  /** The report that was being read when the window was last open. */
  #returnTo: string | null = null;
  #asked: string | null = null;
  /** Who has stopped a check does not want it to start again by itself. */
  #stopped = false;
  /** Grows with each choice of what is shown: a check that runs may be for another one. */
  #choice = 0;
  /** The pair that the reader has before them. */
  #seen = "";

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** What can be selected, in the order in which it is shown. */
  get rows(): readonly TriageItem[] {
    return this.relatedOpen ? [...this.items, ...this.related] : this.items;
  }

  get index(): number {
    return this.rows.findIndex((item) => item.key === this.selected);
  }

  get item(): TriageItem | null {
    return this.rows[this.index] ?? null;
  }

  /** Whether what is selected is in the second list. */
  get inRelated(): boolean {
    return this.relatedOpen && this.related.some((item) => item.key === this.selected);
  }

  /**
   * How many of the queue are expected to be the same. The engine says so of the queue that it answers with; decisions take
   * reports out of it, and what is left has the same sum.
   */
  get expected(): number {
    return this.items.reduce((sum, item) => sum + item.candidate.confidence, 0);
  }

  /** Closed reports that could be compared with too. */
  get closedToAdd(): number {
    return this.includeClosed ? 0 : this.closedLeftOut;
  }

  /** How many were decided today, in this casebook. */
  get decidedToday(): number {
    return this.#desk.shelf.decidedToday;
  }

  get canSkip(): boolean {
    return this.item !== null && this.#list(this.inRelated).length > 1;
  }

  /** The candidates of the report that is shown: at first the one of the queue, then all that the check finds. */
  get candidates(): readonly DuplicateCandidate[] {
    const item = this.item;
    if (!item) return [];
    const open = this.found?.key === item.key ? this.found.candidates.filter((c) => c.verdict === null) : [];
    return open.length > 0 ? open : [item.candidate];
  }

  get candidate(): DuplicateCandidate | null {
    return this.candidates[this.at] ?? null;
  }

  get scanning(): boolean {
    return this.#desk.jobs.get("triage") !== null;
  }

  /** The view is shown: what waits already stands there at once, then what is new is checked. */
  async enter(): Promise<void> {
    const { status } = this.#desk;
    // It may be gone since the desk was last open.
    if (status && !status.sources.some((source) => source.key === this.source)) this.source = null;
    await this.load();
    if (this.failure === null && this.unscanned > 0 && !this.#stopped) await this.scan();
  }

  /** Shows what was shown when the window was last open. */
  restore(): void {
    const kept = this.#desk.shelf.triage;
    if (kept) Object.assign(this, { source: kept.source, includeClosed: kept.includeClosed, band: kept.band });
  }

  /** The report that is being read, or will be once its list is here. */
  get reading(): string | null {
    return this.selected ?? this.#returnTo;
  }

  /** Shows this report again once it is there, and the second list as it was. */
  returnTo(selected: string | null, relatedOpen: boolean): void {
    this.#returnTo = selected;
    this.relatedOpen = relatedOpen;
  }

  /** Shows a report that waits under these settings, whatever was shown before. */
  open(key: string, setting: DeskSetting): void {
    this.#returnTo = key;
    const isSet = this.source === setting.source && this.includeClosed === setting.includeClosed && this.band === setting.band;
    if (!isSet) this.choose(setting);
    else if (this.rows.some((item) => item.key === key)) this.select(key);
  }

  choose(change: Partial<DeskSetting>): void {
    Object.assign(this, change);
    this.#desk.shelf.setTriage({ source: this.source, includeClosed: this.includeClosed, band: this.band });
    this.#choice++;
    this.#skipped.clear();
    this.#stopped = false;
    this.loaded = false;
    this.items = [];
    this.waiting = 0;
    this.related = [];
    this.relatedWaiting = 0;
    this.closedLeftOut = 0;
    this.#select(null);
    void this.enter();
  }

  /** Shows what waits already. */
  async load(): Promise<void> {
    const isCurrent = this.#queue.begin();
    try {
      const response = await api.triageQueue(this.#request(false));
      if (!isCurrent()) return;
      this.failure = null;
      this.waiting = response.waiting;
      this.relatedWaiting = response.related_waiting;
      this.closedLeftOut = response.closed_left_out;
      this.unscanned = response.unscanned;
      this.#show(response);
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    }
    if (isCurrent()) this.loaded = true;
  }

  /** Checks the open reports that are new or changed, or all of them. */
  async scan(again = false): Promise<void> {
    if (this.scanning) return;
    this.#stopped = false;
    const choice = this.#choice;
    let looked = Date.now();
    try {
      await this.#desk.jobs.run(
        "triage",
        (onProgress) => api.triage(this.#request(again), onProgress),
        () => {
          if (Date.now() - looked < QUEUE_EVERY) return;
          looked = Date.now();
          void this.load();
        },
      );
    } catch (thrown) {
      this.#stopped = true;
      this.#desk.say(thrown);
    }
    // What the check found is not here yet: nothing is not the answer.
    if (this.items.length === 0) this.loaded = false;
    if (choice === this.#choice) await this.load();
    else await this.enter();
  }

  /** Selects the report this many places further. */
  move(by: number): void {
    const last = this.rows.length - 1;
    if (last < 0) return;
    const to = Math.min(Math.max(this.index + by, 0), last);
    this.#select(this.rows[to]?.key ?? null);
  }

  /** Goes to a report; a step back leads to the one before. */
  jump(key: string): void {
    if (key !== this.selected) this.#desk.leave();
    this.#select(key);
  }

  select(key: string): void {
    this.#select(key);
  }

  /** Shows the second list, or hides it; the pair that is read stays as long as its report is shown. */
  toggleRelated(): void {
    this.relatedOpen = !this.relatedOpen;
    if (this.index < 0) this.#select(this.rows[0]?.key ?? null);
  }

  /** Goes to the second list, and back to the queue from there. */
  turnToRelated(): void {
    if (this.inRelated) {
      this.toggleRelated();
      return;
    }
    const first = this.related[0];
    if (!first) return;
    this.relatedOpen = true;
    this.jump(first.key);
  }

  /** Compares with another candidate of the same report. */
  turn(by: number): void {
    const n = this.candidates.length;
    if (n < 2) return;
    this.at = (this.at + by + n) % n;
    void this.#compare();
  }

  /** A pair stands on the screen: only such a one can be decided. */
  saw(report: string, candidate: string): void {
    this.#seen = `${report} ${candidate}`;
  }

  /** Records what the pair is and goes on to the next report. */
  async decide(kind: VerdictKind): Promise<void> {
    const item = this.item;
    const other = this.candidate;
    if (!item || !other || this.#seen !== `${item.key} ${other.key}`) return;
    const related = this.inRelated;
    const place = this.#place(related);
    const decision: Decision = { item, other: other.key, kind, related, deed: null };
    this.#take(item.key);
    this.decisions = [...this.decisions, decision];
    const recording = api.recordVerdict(item.key, other.key, kind);
    decision.deed = this.#desk.undo.did(`${item.key} ${DONE[kind]} ${other.key}.`, () => this.#takeBack(decision, recording));
    try {
      await recording;
    } catch (thrown) {
      this.#desk.undo.forget(decision.deed);
      this.decisions = this.decisions.filter((d) => d !== decision);
      this.#putBack(decision, place);
      this.#desk.say(thrown);
      return;
    }
    this.recorded++;
    this.#desk.shelf.decided(1);
    const runsOut = (list: readonly TriageItem[], waiting: number) => list.length < FEW && waiting > list.length;
    if (runsOut(this.items, this.waiting) || runsOut(this.related, this.relatedWaiting)) void this.load();
  }

  /** Puts the report at the end of its list, for this session. */
  skip(): void {
    const item = this.item;
    if (!item || !this.canSkip) return;
    const related = this.inRelated;
    const list = this.#list(related);
    const next = list[this.#place(related) + 1] ?? list[0];
    this.#skipped.add(item.key);
    this.#keep(related, [...list.filter((i) => i !== item), item]);
    this.#select(next?.key ?? null);
  }

  /** Takes the last decision back and shows its report again. */
  async undo(): Promise<void> {
    await this.#desk.undo.takeBack(this.decisions.at(-1)?.deed ?? null);
  }

  async #takeBack(decision: Decision, recording: Promise<unknown>): Promise<void> {
    this.decisions = this.decisions.filter((d) => d !== decision);
    // One that could not be recorded is back in its list already.
    if (!(await recording.then(() => true, () => false))) return;
    try {
      await api.undoVerdict(decision.item.key, decision.other);
    } catch (thrown) {
      this.decisions = [...this.decisions, decision];
      throw thrown;
    }
    this.recorded++;
    this.#desk.shelf.decided(-1);
    this.#putBack(decision, Math.max(0, this.#place(decision.related)));
  }

  #list(related: boolean): readonly TriageItem[] {
    return related ? this.related : this.items;
  }

  #keep(related: boolean, list: readonly TriageItem[]): void {
    if (related) this.related = list;
    else this.items = list;
  }

  /** Where in a list what is selected stands. */
  #place(related: boolean): number {
    return this.#list(related).findIndex((item) => item.key === this.selected);
  }

  #count(related: boolean, by: number): void {
    const least = this.#list(related).length;
    if (related) this.relatedWaiting = Math.max(least, this.relatedWaiting + by);
    else this.waiting = Math.max(least, this.waiting + by);
  }

  #request(rescan: boolean): TriageRequest {
    return {
      source: this.source,
      include_closed: this.includeClosed,
      rescan,
      queue_only: false,
      band: this.band,
      limit: HELD,
    };
  }

  #show(response: TriageResponse): void {
    // An answer from before a decision may still hold its pair; with another candidate the report waits again.
    const isDecided = (i: TriageItem) => this.decisions.some((d) => d.item.key === i.key && d.other === i.candidate.key);
    const queue = response.queue.filter((item) => !isDecided(item));
    const related = response.related.filter((item) => !isDecided(item));
    // The report that is being read stays where it is, even if its list has grown above it.
    const current = this.item;
    const isHere = [...queue, ...related].some((item) => item.key === current?.key);
    if (current && !isHere) (this.inRelated ? related : queue).unshift(current);
    const skippedLast = (list: readonly TriageItem[]) => [
      ...list.filter((i) => !this.#skipped.has(i.key)),
      ...list.filter((i) => this.#skipped.has(i.key)),
    ];
    this.items = skippedLast(queue);
    this.related = skippedLast(related);
    if (this.index < 0) this.#select((this.rows.find((item) => item.key === this.#returnTo) ?? this.rows[0])?.key ?? null);
    this.#returnTo = null;
  }

  #take(key: string): void {
    const related = this.inRelated;
    const place = this.index;
    this.#keep(related, this.#list(related).filter((item) => item.key !== key));
    this.#count(related, -1);
    this.#select((this.rows[place] ?? this.rows.at(-1))?.key ?? null);
  }

  #putBack({ item, related }: Decision, place: number): void {
    const list = this.#list(related);
    // An answer that came meanwhile may have brought it back already.
    if (![...this.items, ...this.related].some((i) => i.key === item.key)) {
      this.#keep(related, [...list.slice(0, place), item, ...list.slice(place)]);
      this.#count(related, 1);
    }
    if (related) this.relatedOpen = true;
    this.#select(item.key);
  }

  #select(key: string | null): void {
    this.selected = key;
    this.at = 0;
    void this.#compare();
  }

  async #compare(): Promise<void> {
    const isCurrent = this.#pair.begin();
    const item = this.item;
    const candidate = this.candidate;
    if (!item || !candidate) {
      this.comparison = null;
      this.found = null;
      this.#asked = null;
      return;
    }
    this.pairFailure = null;
    try {
      const comparison = await api.compare(item.key, candidate.key);
      if (!isCurrent()) return;
      this.comparison = comparison;
      // The other candidates are asked for once a report, after the pair is on the screen.
      const question = `${item.key} ${this.includeClosed}`;
      if (this.#asked === question) return;
      const found = await api.duplicates({ key: item.key, include_closed: this.includeClosed });
      if (!isCurrent()) return;
      this.#asked = question;
      const shown = candidate.key;
      this.found = found;
      this.at = Math.max(0, this.candidates.findIndex((c) => c.key === shown));
    } catch (thrown) {
      if (isCurrent()) this.pairFailure = api.failure(thrown);
    }
  }
}
