// The triage desk: the queue, the pair that is compared, and the decisions of this session.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type {
  Band, Comparison, DuplicateCandidate, DuplicatesResponse, Failure, TriageItem, TriageRequest, TriageResponse, VerdictKind,
} from "../lib/types";
import { clock } from "../lib/clock.svelte";
import type { Desk } from "../shell/desk.svelte";
import type { DeskSetting } from "../shell/shelf.svelte";
import type { Deed } from "../shell/undo.svelte";
import { words } from "../words";
import { Arrivals, type Arrival } from "./arrivals.svelte";
import { Marks } from "./marks.svelte";
import { Today, type Done } from "./today.svelte";

/** How many reports of each list are held; more come as these are decided. */
const HELD = 100;
const FEW = 15;
const QUEUE_EVERY = 2500;

/** A report and what it is compared with. */
export interface Pair {
  item: TriageItem;
  other: string;
  /** Whether it is in the second list, where its report returns to. */
  related: boolean;
}

export interface Decision extends Pair {
  kind: VerdictKind;
  /** When it was made, in milliseconds. */
  at: number;
  /** What takes it back. */
  deed: Deed | null;
}

const { decided, done: told } = words.triage;

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
  /** Several reports that a decision is to be about; some of them were not shown, so it is asked first. */
  asking = $state.raw<{ kind: VerdictKind; shown: readonly Pair[]; unseen: readonly Pair[] } | null>(null);
  /** Grows with each decision that was recorded or taken back. */
  recorded = $state(0);

  readonly marks = new Marks(() => this.rows);
  readonly today = new Today();
  readonly arrivals: Arrivals;

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
  /** All pairs that the reader has had before them. */
  #shown = new Set<string>();

  constructor(desk: Desk) {
    this.#desk = desk;
    this.arrivals = new Arrivals(desk);
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

  /** What was decided today in this casebook, the last first. */
  get done(): readonly Done[] {
    return this.today.all(this.decisions, clock.now);
  }

  /** What came since the last visit, of the source that was chosen. */
  get fresh(): readonly Arrival[] {
    const { source } = this;
    return source === null ? this.arrivals.all : this.arrivals.all.filter((one) => one.source === source);
  }

  get decidedToday(): number {
    return this.done.length;
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
    void this.today.load();
    void this.arrivals.load();
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
    this.marks.clear();
    this.arrivals.forget();
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
    this.arrivals.forget();
    void this.arrivals.load();
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

  /** Marks the report that is selected and the one this many places further, and selects that one. */
  extend(by: number): void {
    const from = this.item;
    if (!from) return;
    this.move(by);
    this.marks.extend(from.key, this.selected ?? from.key);
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
    this.#shown.add(this.#seen);
  }

  /** Records what the pair is and goes on to the next report; of several that are marked, what each of their pairs is. */
  async decide(kind: VerdictKind): Promise<void> {
    if (this.marks.any) return this.#decideMarked(kind);
    const item = this.item;
    const other = this.candidate;
    if (!item || !other || this.#seen !== `${item.key} ${other.key}`) return;
    await this.#record([{ item, other: other.key, related: this.inRelated }], kind);
  }

  /** Nobody decides about what they have not seen without being told so. */
  async #decideMarked(kind: VerdictKind): Promise<void> {
    const pairs = this.marks.items.map((item): Pair => {
      const other = (item.key === this.selected ? this.candidate : null) ?? item.candidate;
      return { item, other: other.key, related: !this.items.includes(item) };
    });
    const isShown = ({ item, other }: Pair) => this.#shown.has(`${item.key} ${other}`);
    const unseen = pairs.filter((pair) => !isShown(pair));
    if (unseen.length > 0) this.asking = { kind, shown: pairs.filter(isShown), unseen };
    else await this.#record(pairs, kind);
  }

  /** The answer to what was asked: about all of them, about those that were shown, or about none. */
  async answer(which: "all" | "shown" | "none"): Promise<void> {
    const { asking } = this;
    this.asking = null;
    if (!asking || which === "none") return;
    await this.#record(which === "all" ? [...asking.shown, ...asking.unseen] : asking.shown, asking.kind);
  }

  async #record(pairs: readonly Pair[], kind: VerdictKind): Promise<void> {
    const [first] = pairs;
    if (!first) return;
    const places = pairs.map((pair) => this.#list(pair.related).findIndex((item) => item.key === pair.item.key));
    const at = Date.now();
    const made = pairs.map((pair): Decision => ({ ...pair, kind, at, deed: null }));
    this.marks.clear();
    this.#take(pairs);
    this.decisions = [...this.decisions, ...made];
    const recordings = made.map(({ item, other }) => api.recordVerdict(item.key, other, kind));
    const said = made.length === 1 ? told.one(decided[kind](first.item.key, first.other)) : told.several[kind](made.length);
    const deed = this.#desk.undo.did(said, () => this.#takeAllBack(made, recordings));
    for (const decision of made) decision.deed = deed;
    const outcomes = await Promise.allSettled(recordings);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    if (refused.length > 0) {
      const failed = made.filter((_, index) => outcomes[index]?.status === "rejected");
      // Where it stood, without those above it that are gone for good.
      const placeOf = (decision: Decision) => {
        const place = places[made.indexOf(decision)] ?? 0;
        return place - made.filter((one, index) => one.related === decision.related && !failed.includes(one) && (places[index] ?? 0) < place).length;
      };
      if (failed.length === made.length) this.#desk.undo.forget(deed);
      this.decisions = this.decisions.filter((decision) => !failed.includes(decision));
      for (const decision of failed) this.#putBack(decision, placeOf(decision));
      this.#desk.say(refused[0]);
      if (failed.length === made.length) return;
    }
    this.recorded++;
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

  /** Takes the last decision of the day back and shows its report again. */
  async undo(): Promise<void> {
    const deed = this.decisions.at(-1)?.deed;
    if (deed) await this.#desk.undo.takeBack(deed);
    else if (this.done[0]) await this.takeBack(this.done[0]);
  }

  /** Takes one decision of the day back, also one of several that were made at once. */
  async takeBack({ key, other, kind, decision }: Done): Promise<void> {
    const deed = decision?.deed ?? null;
    const together = deed ? this.decisions.filter((one) => one.deed === deed) : [];
    if (deed && together.length === 1) {
      await this.#desk.undo.takeBack(deed);
      return;
    }
    try {
      if (decision) await this.#takeBack(decision, Promise.resolve());
      else await this.#takeStoredBack(key, other);
    } catch (thrown) {
      this.#desk.say(thrown);
      return;
    }
    this.#desk.toasts.say(told.takenBack(decided[kind](key, other)));
  }

  async #takeStoredBack(key: string, other: string): Promise<void> {
    await api.undoVerdict(key, other);
    this.today.forget(key, other);
    this.recorded++;
    this.#returnTo = key;
    await Promise.all([this.today.load(), this.load()]);
    if (this.rows.some((item) => item.key === key)) this.#select(key);
  }

  async #takeAllBack(made: readonly Decision[], recordings: readonly Promise<unknown>[]): Promise<void> {
    for (const [at, decision] of [...made.entries()].toReversed()) {
      if (this.decisions.includes(decision)) await this.#takeBack(decision, recordings[at] ?? Promise.resolve());
    }
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
    this.today.forget(decision.item.key, decision.other);
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

  #take(pairs: readonly Pair[]): void {
    const gone = new Set(pairs.map((pair) => pair.item.key));
    const [rows, place] = [this.rows, this.index];
    const isLeft = (item: TriageItem) => !gone.has(item.key);
    const next = rows.slice(place).find(isLeft) ?? rows.slice(0, Math.max(0, place)).findLast(isLeft);
    for (const related of [false, true]) {
      const taken = pairs.filter((pair) => pair.related === related).length;
      if (taken === 0) continue;
      this.#keep(related, this.#list(related).filter(isLeft));
      this.#count(related, -taken);
    }
    if (next?.key !== this.selected) this.#select(next?.key ?? null);
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
