// The triage desk: the queue, the pair that is compared, and the decisions of this session.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type {
  Band, Comparison, DuplicateCandidate, DuplicatesResponse, Failure, Notice, TriageItem, TriageRequest, TriageResponse, VerdictKind,
} from "../lib/types";
import { clock } from "../lib/clock.svelte";
import type { Desk } from "../shell/desk.svelte";
import type { DeskSetting } from "../shell/shelf.svelte";
import type { Deed } from "../shell/undo.svelte";
import { words } from "../words";
import { Arrivals, type Arrival } from "./arrivals.svelte";
import { Marks } from "./marks.svelte";
import { startOfDay, Today, type Done } from "./today.svelte";

/** How many reports of each list are held; more come as these are decided. */
const HELD = 100;
const FEW = 15;
/** Long enough to lie in the next day, whatever the clocks do. */
const DAY_AND_MORE = 30 * 3_600_000;
const QUEUE_EVERY = 2500;

/** The engine's last answer, and the decisions that it knew of. */
interface Answer {
  response: TriageResponse;
  known: ReadonlySet<Decision>;
}

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
  /** Whether the engine has it. */
  stored: boolean;
}

const { decided, done: told } = words.triage;

export class Triage {
  source = $state<string | null>(null);
  includeClosed = $state(true);
  band = $state<Band>("possible");

  /** Whether the second list is shown; what is not shown cannot be selected. */
  relatedOpen = $state(false);
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

  #answer = $state.raw<Answer | null>(null);
  /** Decisions that were taken back after the answer, of reports that it does not hold. */
  #returned = $state.raw<readonly Decision[]>([]);
  /** In the order in which they were skipped. */
  #skipped = $state.raw<readonly string[]>([]);
  /** The report that was read when an answer came without it; it stays until another one is selected. */
  #kept = $state.raw<Pair | null>(null);

  readonly items: readonly TriageItem[] = $derived.by(() => this.#listed(false));
  /** The second list: reports without a likely duplicate, but with something worth reading. */
  readonly related: readonly TriageItem[] = $derived.by(() => this.#listed(true));
  /** How many wait in all, those that are not held here included. */
  readonly waiting: number = $derived.by(() => this.#count(false));
  readonly relatedWaiting: number = $derived.by(() => this.#count(true));
  /** Closed reports that nothing was compared with, as only open ones were. */
  readonly closedLeftOut: number = $derived(this.#answer?.response.closed_left_out ?? 0);
  /** What limits the answer. */
  readonly notices: readonly Notice[] = $derived(this.#answer?.response.notices ?? []);
  /** Open reports that were not checked yet. */
  readonly unscanned: number = $derived(this.#answer?.response.unscanned ?? 0);

  #desk: Desk;
  #queue = new Latest();
  #pair = new Latest();
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

  /** How many of the queue are expected to be duplicates. */
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

  /** How many of the reports that are held here are put off. */
  get snoozed(): number {
    return [...this.#answered(false), ...this.#answered(true)].filter((item) => this.#isSnoozed(item)).length;
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
    const kept = this.#desk.shelf.kept.triage;
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
    this.#desk.shelf.keep({ triage: { source: this.source, includeClosed: this.includeClosed, band: this.band } });
    this.#choice++;
    this.#skipped = [];
    this.marks.clear();
    this.arrivals.forget();
    this.#stopped = false;
    this.loaded = false;
    this.#answer = null;
    this.#returned = [];
    this.#select(null);
    void this.enter();
  }

  /** Shows what waits already. */
  async load(): Promise<void> {
    const isCurrent = this.#queue.begin();
    const known = new Set(this.decisions.filter((one) => one.stored));
    const returned = this.#returned;
    try {
      const response = await api.triageQueue(this.#request(false));
      if (!isCurrent()) return;
      this.failure = null;
      this.#show({ response, known }, returned);
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
    const before = again ? Infinity : this.unscanned;
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
    if (choice !== this.#choice) return this.enter();
    await this.load();
    // The index may have grown under a check: what it began with is then to be checked once more.
    if (!this.#stopped && this.unscanned > 0 && this.unscanned < before) await this.scan();
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
    const at = Date.now();
    const made = pairs.map((pair): Decision => ({ ...pair, kind, at, deed: null, stored: false }));
    const next = this.#after(pairs);
    this.marks.clear();
    this.decisions = [...this.decisions, ...made];
    if (next !== this.selected) this.#select(next);
    const recordings = made.map(({ item, other }) => api.recordVerdict(item.key, other, kind));
    const said = made.length === 1 ? told.one(decided[kind](first.item.key, first.other)) : told.several[kind](made.length);
    const deed = this.#desk.undo.did(said, () => this.#takeAllBack(made, recordings));
    for (const decision of made) decision.deed = deed;
    const outcomes = await Promise.allSettled(recordings);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    const [failed, kept] = [made.filter((_, index) => outcomes[index]?.status === "rejected"), made.filter((_, index) => outcomes[index]?.status === "fulfilled")];
    for (const decision of kept) decision.stored = true;
    if (refused.length > 0) {
      if (kept.length === 0) this.#desk.undo.forget(deed);
      for (const decision of failed) this.#return(decision);
      this.#desk.say(refused[0]);
      if (kept.length === 0) return;
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
    const next = list[list.indexOf(item) + 1] ?? list[0];
    this.#skipped = [...this.#skipped.filter((key) => key !== item.key), item.key];
    this.#select(next?.key ?? null);
  }

  /** Puts the report off until tomorrow. */
  snooze(): void {
    const { item } = this;
    if (!item) return;
    const { shelf, undo } = this.#desk;
    const next = this.#after([{ item, other: item.candidate.key, related: this.inRelated }]);
    shelf.snooze(item.key, startOfDay(startOfDay(Date.now()) + DAY_AND_MORE));
    this.#select(next);
    undo.did(told.snoozed(item.key), () => {
      shelf.snooze(item.key, null);
      this.#select(item.key);
    });
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
    this.#return(decision);
  }

  #list(related: boolean): readonly TriageItem[] {
    return related ? this.related : this.items;
  }

  /** What the engine's answer holds of a list. */
  #answered(related: boolean): readonly TriageItem[] {
    const response = this.#answer?.response;
    return (related ? response?.related : response?.queue) ?? [];
  }

  #isSnoozed({ key }: TriageItem): boolean {
    return (this.#desk.shelf.kept.snoozed[key] ?? 0) > clock.now;
  }

  /** What the engine's answer holds of a list, without what is put off. */
  #held(related: boolean): readonly TriageItem[] {
    return this.#answered(related).filter((item) => !this.#isSnoozed(item));
  }

  /** Whether a report was decided about after the answer, or the answer came from before the decision. */
  #isDecided(item: TriageItem): boolean {
    return this.decisions.some((d) => d.item.key === item.key && (d.other === item.candidate.key || !this.#answer?.known.has(d)));
  }

  /** Reports that wait again since the answer, which lacks them. */
  #back(related: boolean): readonly TriageItem[] {
    const back = this.#returned.filter((one) => one.related === related).map((one) => one.item);
    return back.filter((item) => !this.#isDecided(item));
  }

  #count(related: boolean): number {
    const all = (related ? this.#answer?.response.related_waiting : this.#answer?.response.waiting) ?? 0;
    const gone = this.#answered(related).filter((item) => this.#isDecided(item) || this.#isSnoozed(item));
    return all - gone.length + this.#back(related).length;
  }

  #listed(related: boolean): readonly TriageItem[] {
    const by = related ? "worth" : "confidence";
    const back = this.#back(related);
    const waiting = [...this.#held(related).filter((item) => !this.#isDecided(item)), ...back];
    if (back.length > 0) waiting.sort((a, b) => b.candidate[by] - a.candidate[by]);
    const kept = this.#kept;
    if (kept?.related === related && kept.item.key === this.selected && !this.#isDecided(kept.item)) waiting.unshift(kept.item);
    if (this.#skipped.length === 0) return waiting;
    return waiting.sort((a, b) => this.#skipped.indexOf(a.key) - this.#skipped.indexOf(b.key));
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

  /** Shows an answer; it knows of the decisions that were taken back before it was asked for. */
  #show(answer: Answer, returned: readonly Decision[]): void {
    const current = this.item;
    const related = this.inRelated;
    this.#answer = answer;
    this.#returned = this.#returned.filter((one) => !returned.includes(one));
    this.#kept = null;
    // The report that is being read stays, even if the answer lacks it.
    if (current && !this.#has(current.key)) this.#kept = { item: current, other: current.candidate.key, related };
    if (this.index < 0) this.#select((this.rows.find((item) => item.key === this.#returnTo) ?? this.rows[0])?.key ?? null);
    this.#returnTo = null;
  }

  #has(key: string): boolean {
    return [...this.items, ...this.related].some((item) => item.key === key);
  }

  /** The report to read after these are decided. */
  #after(pairs: readonly Pair[]): string | null {
    const gone = new Set(pairs.map((pair) => pair.item.key));
    const isLeft = (item: TriageItem) => !gone.has(item.key);
    const place = Math.max(0, this.index);
    return (this.rows.slice(place).find(isLeft) ?? this.rows.slice(0, place).findLast(isLeft))?.key ?? null;
  }

  /** A decision does not hold: its report waits again. */
  #return(decision: Decision): void {
    this.decisions = this.decisions.filter((one) => one !== decision);
    if (!this.#has(decision.item.key)) this.#returned = [...this.#returned, decision];
    if (decision.related) this.relatedOpen = true;
    this.#select(decision.item.key);
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
