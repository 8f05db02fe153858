// The state of triage: the queue, the compared pair and this session's decisions.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import { LatestRequest } from "../lib/latestRequest";
import type {
  Band, Comparison, DuplicateCandidate, DuplicatesResponse, Failure, Notice, TriageItem, TriageRequest, TriageResponse, VerdictKind,
} from "../lib/types";
import { clock } from "../lib/clock.svelte";
import type { AppState } from "../shell/appState.svelte";
import type { TriageSettings } from "../shell/localStore.svelte";
import type { UndoEntry } from "../shell/undo.svelte";
import { words } from "../words";
import { Arrivals, type Arrival } from "./arrivals.svelte";
import { ReportSelection } from "./selection.svelte";
import { startOfDay, TodayDecisions, type DecidedPair } from "./decisions.svelte";

const LIST_LIMIT = 100;
/** The number of reports in a list below which more are loaded. */
const RELOAD_BELOW = 15;
/** Long enough to reach the next day despite clock changes. */
const OVER_A_DAY = 30 * 3_600_000;
const QUEUE_INTERVAL = 2500;

/** A response, and the decisions that were recorded before it. */
interface KnownResponse {
  response: TriageResponse;
  known: ReadonlySet<Decision>;
}

interface Pair {
  item: TriageItem;
  other: string;
  /** Whether it is in the list of related reports. */
  related: boolean;
}

export interface Decision extends Pair {
  kind: VerdictKind;
  /** In Unix milliseconds. */
  decidedAt: number;
  undoEntry: UndoEntry | null;
  stored: boolean;
}

const { decisions, toasts: texts } = words.triage;

export class Triage extends EngineRequest {
  source = $state<string | null>(null);
  includeClosed = $state(true);
  band = $state<Band>("possible");

  /** Whether only the reports assigned to the user are shown. */
  onlyMine = $state(false);
  /** Whether the related reports are shown; hidden ones cannot be selected. */
  isRelatedOpen = $state(false);
  loaded = $state(false);

  selected = $state<string | null>(null);
  check = $state.raw<DuplicatesResponse | null>(null);
  comparison = $state.raw<Comparison | null>(null);
  pairFailure = $state.raw<Failure | null>(null);
  candidateIndex = $state(0);
  decisions = $state.raw<readonly Decision[]>([]);
  /** A decision that awaits confirmation, because some of its pairs were not seen. */
  confirmation = $state.raw<{ kind: VerdictKind; seen: readonly Pair[]; unseen: readonly Pair[] } | null>(null);
  /** Incremented when a decision is recorded or undone. */
  changes = $state(0);

  readonly selection = new ReportSelection(() => this.rows);
  readonly today = new TodayDecisions();
  readonly arrivals: Arrivals;

  #lastResponse = $state.raw<KnownResponse | null>(null);
  /** Decisions undone after the response, for reports that it lacks. */
  #restoredDecisions = $state.raw<readonly Decision[]>([]);
  /** In the order of skipping. */
  #skipped = $state.raw<readonly string[]>([]);
  /** The open report that the last response lacks; it stays until another one is selected. */
  #keptPair = $state.raw<Pair | null>(null);

  readonly items: readonly TriageItem[] = $derived.by(() => this.#visibleList(false));
  /** Reports without a likely duplicate, but with something worth reading. */
  readonly related: readonly TriageItem[] = $derived.by(() => this.#visibleList(true));
  /** The number of waiting reports, including those not loaded. */
  readonly allWaiting: number = $derived.by(() => this.#count(false));
  /** The number of waiting reports that the filter shows. */
  readonly waiting: number = $derived(this.onlyMine ? this.items.length : this.allWaiting);
  readonly relatedWaiting: number = $derived.by(() => (this.onlyMine ? this.related.length : this.#count(true)));
  /** The number of closed reports left out of the comparison. */
  readonly closedLeftOut: number = $derived(this.#lastResponse?.response.closed_left_out ?? 0);
  readonly notices: readonly Notice[] = $derived(this.#lastResponse?.response.notices ?? []);
  readonly unscanned: number = $derived(this.#lastResponse?.response.unscanned ?? 0);

  #pairRequest = new LatestRequest();
  /** The report that was open at the end of the last session. */
  #selectionToRestore: string | null = null;
  #checkedReport: string | null = null;
  /** A check that the user stopped does not restart automatically. */
  #isCheckStopped = false;
  /** Incremented when the settings change; a running check may be for older ones. */
  #settingsVersion = 0;
  /** The pair on screen. */
  #currentPair = "";
  /** All pairs that were on screen. */
  #seenPairs = new Set<string>();

  constructor(private readonly app: AppState) {
    super();
    this.arrivals = new Arrivals(app);
  }

  /** The selectable reports in display order. */
  get rows(): readonly TriageItem[] {
    return this.isRelatedOpen ? [...this.items, ...this.related] : this.items;
  }

  get index(): number {
    return this.rows.findIndex((item) => item.key === this.selected);
  }

  get item(): TriageItem | null {
    return this.rows[this.index] ?? null;
  }

  /** Whether the selected report is in the list of related reports. */
  get isInRelated(): boolean {
    return this.isRelatedOpen && this.related.some((item) => item.key === this.selected);
  }

  get expected(): number {
    return this.items.reduce((sum, item) => sum + item.candidate.confidence, 0);
  }

  /** The number of closed reports that could be included in the comparison. */
  get closedAvailable(): number {
    return this.includeClosed ? 0 : this.closedLeftOut;
  }

  /** Today's decisions in this casebook, newest first. */
  get decidedPairs(): readonly DecidedPair[] {
    return this.today.all(this.decisions, clock.now);
  }

  /** Reports since the last visit, in the chosen source. */
  get newReports(): readonly Arrival[] {
    const { source } = this;
    return source === null ? this.arrivals.list : this.arrivals.list.filter((entry) => entry.source === source);
  }

  get decidedToday(): number {
    return this.decidedPairs.length;
  }

  /** The number of snoozed reports among the loaded ones. */
  get snoozedCount(): number {
    return [...this.#loadedList(false), ...this.#loadedList(true)].filter((item) => this.#isSnoozed(item)).length;
  }

  /** The number of waiting reports assigned to the user, among the loaded ones. */
  get assignedCount(): number {
    return [false, true].flatMap((related) => this.#waitingList(related)).filter(({ key }) => this.isMine(key)).length;
  }

  get #currentList(): readonly TriageItem[] {
    return this.isInRelated ? this.related : this.items;
  }

  get canSkip(): boolean {
    return this.item !== null && this.#currentList.length > 1;
  }

  /** The open report's candidates: first the queue's, then all that the check finds. */
  get candidates(): readonly DuplicateCandidate[] {
    const item = this.item;
    if (!item) return [];
    const undecided = this.check?.key === item.key ? this.check.candidates.filter((c) => c.verdict === null) : [];
    return undecided.length > 0 ? undecided : [item.candidate];
  }

  get candidate(): DuplicateCandidate | null {
    return this.candidates[this.candidateIndex] ?? null;
  }

  get scanning(): boolean {
    return this.app.jobs.get("triage") !== null;
  }

  /** Shows the current queue, then checks new reports. */
  async enter(): Promise<void> {
    const { status } = this.app;
    // The source may have been removed since the last visit.
    if (status && !status.sources.some((source) => source.key === this.source)) this.source = null;
    void this.today.load();
    void this.arrivals.load();
    await this.load();
    if (this.failure === null && this.unscanned > 0 && !this.#isCheckStopped) await this.scan();
  }

  restore(): void {
    const stored = this.app.store.state.triage;
    if (stored) Object.assign(this, { source: stored.source, includeClosed: stored.includeClosed, band: stored.band });
  }

  /** The open report, or the one to open once its list is loaded. */
  get openKey(): string | null {
    return this.selected ?? this.#selectionToRestore;
  }

  /** Reopens a report once it is loaded, and restores the second list. */
  restoreSelection(selected: string | null, relatedOpen: boolean): void {
    this.#selectionToRestore = selected;
    this.isRelatedOpen = relatedOpen;
  }

  /** Opens a report that waits under these settings. */
  open(key: string, settings: TriageSettings): void {
    this.#selectionToRestore = key;
    this.onlyMine = false;
    const isCurrent = this.source === settings.source && this.includeClosed === settings.includeClosed && this.band === settings.band;
    if (!isCurrent) this.choose(settings);
    else if (this.rows.some((item) => item.key === key)) this.select(key);
  }

  choose(change: Partial<TriageSettings>): void {
    Object.assign(this, change);
    this.app.store.update({ triage: { source: this.source, includeClosed: this.includeClosed, band: this.band } });
    this.#settingsVersion++;
    this.#skipped = [];
    this.selection.clear();
    this.arrivals.reset();
    this.#isCheckStopped = false;
    this.loaded = false;
    this.#lastResponse = null;
    this.#restoredDecisions = [];
    this.select(null);
    void this.enter();
  }

  async load(): Promise<void> {
    const known = new Set(this.decisions.filter((entry) => entry.stored));
    const restored = this.#restoredDecisions;
    await this.run(api.triageQueue(this.#request(false)), (response) => this.#show({ response, known }, restored));
    if (!this.pending) this.loaded = true;
  }

  /** Checks new and changed reports, or all open ones. */
  async scan(rescan = false): Promise<void> {
    if (this.scanning) return;
    this.#isCheckStopped = false;
    const settingsVersion = this.#settingsVersion;
    const previousUnscanned = rescan ? Infinity : this.unscanned;
    let refreshTime = Date.now();
    try {
      await this.app.jobs.run(
        "triage",
        (onProgress) => api.triage(this.#request(rescan), onProgress),
        () => {
          if (Date.now() - refreshTime < QUEUE_INTERVAL) return;
          refreshTime = Date.now();
          void this.load();
        },
      );
    } catch (error) {
      this.#isCheckStopped = true;
      this.app.showError(error);
    }
    // Until the queue is reloaded, an empty list does not mean that nothing was found.
    if (this.items.length === 0) this.loaded = false;
    this.arrivals.reset();
    void this.arrivals.load();
    if (settingsVersion !== this.#settingsVersion) return this.enter();
    await this.load();
    // The index may have grown during the check; check the rest.
    if (!this.#isCheckStopped && this.unscanned > 0 && this.unscanned < previousUnscanned) await this.scan();
  }

  move(delta: number): void {
    const last = this.rows.length - 1;
    if (last < 0) return;
    const index = Math.min(Math.max(this.index + delta, 0), last);
    this.select(this.rows[index]?.key ?? null);
  }

  /** Selects the current row and the one this many rows further, which becomes current. */
  extend(delta: number): void {
    const item = this.item;
    if (!item) return;
    this.move(delta);
    this.selection.extend(item.key, this.selected ?? item.key);
  }

  /** Opens a report and adds the current one to the history. */
  jump(key: string): void {
    if (key !== this.selected) this.app.recordPlace();
    this.select(key);
  }

  /** Shows or hides the second list; the open pair stays while its report is visible. */
  toggleRelated(): void {
    this.isRelatedOpen = !this.isRelatedOpen;
    if (this.index < 0) this.select(this.rows[0]?.key ?? null);
  }

  /** Goes to the second list, or back to the queue. */
  switchLists(): void {
    if (this.isInRelated) {
      this.toggleRelated();
      return;
    }
    const first = this.related[0];
    if (!first) return;
    this.isRelatedOpen = true;
    this.jump(first.key);
  }

  nextCandidate(delta: number): void {
    const count = this.candidates.length;
    if (count < 2) return;
    this.candidateIndex = (this.candidateIndex + delta + count) % count;
    void this.#compare();
  }

  /** Records that a pair is on screen; only such pairs can be decided. */
  markSeen(report: string, candidate: string): void {
    this.#currentPair = `${report} ${candidate}`;
    this.#seenPairs.add(this.#currentPair);
  }

  /** Records a decision about the pair or all selected pairs, and opens the next report. */
  async decide(kind: VerdictKind): Promise<void> {
    if (this.selection.isActive) return this.#decideSelected(kind);
    const item = this.item;
    const other = this.candidate;
    if (!item || !other || this.#currentPair !== `${item.key} ${other.key}`) return;
    await this.#record([{ item, other: other.key, related: this.isInRelated }], kind);
  }

  /** Asks for confirmation if some of the selected pairs were never seen. */
  async #decideSelected(kind: VerdictKind): Promise<void> {
    const pairs = this.selection.items.map((item): Pair => {
      const other = (item.key === this.selected ? this.candidate : null) ?? item.candidate;
      return { item, other: other.key, related: !this.items.includes(item) };
    });
    const isSeen = ({ item, other }: Pair) => this.#seenPairs.has(`${item.key} ${other}`);
    const unseen = pairs.filter((pair) => !isSeen(pair));
    if (unseen.length > 0) this.confirmation = { kind, seen: pairs.filter(isSeen), unseen };
    else await this.#record(pairs, kind);
  }

  /** Decides all pairs, only those seen, or none, after the confirmation. */
  async confirm(choice: "all" | "seen" | "none"): Promise<void> {
    const { confirmation } = this;
    this.confirmation = null;
    if (!confirmation || choice === "none") return;
    await this.#record(choice === "all" ? [...confirmation.seen, ...confirmation.unseen] : confirmation.seen, confirmation.kind);
  }

  async #record(pairs: readonly Pair[], kind: VerdictKind): Promise<void> {
    const [first] = pairs;
    if (!first) return;
    const decidedAt = Date.now();
    const newDecisions = pairs.map((pair): Decision => ({ ...pair, kind, decidedAt, undoEntry: null, stored: false }));
    const next = this.#nextReport(pairs.map((pair) => pair.item));
    this.selection.clear();
    this.decisions = [...this.decisions, ...newDecisions];
    if (next !== this.selected) this.select(next);
    const recordings = newDecisions.map(({ item, other }) => api.recordVerdict(item.key, other, kind));
    const message = newDecisions.length === 1 ? texts.one(decisions[kind](first.item.key, first.other)) : texts.several[kind](newDecisions.length);
    const undoEntry = this.app.undo.record(message, () => this.#undoDecisions(newDecisions, recordings));
    for (const decision of newDecisions) decision.undoEntry = undoEntry;
    const outcomes = await Promise.allSettled(recordings);
    const errors = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
    const [failed, stored] = [newDecisions.filter((_, index) => outcomes[index]?.status === "rejected"), newDecisions.filter((_, index) => outcomes[index]?.status === "fulfilled")];
    for (const decision of stored) decision.stored = true;
    if (errors.length > 0) {
      if (stored.length === 0) this.app.undo.remove(undoEntry);
      for (const decision of failed) this.#restoreReport(decision);
      this.app.showError(errors[0]);
      if (stored.length === 0) return;
    }
    this.changes++;
    const runsOut = (list: readonly TriageItem[], waiting: number) => list.length < RELOAD_BELOW && waiting > list.length;
    if (runsOut(this.items, this.waiting) || runsOut(this.related, this.relatedWaiting)) void this.load();
  }

  /** Moves the report to the end of its list for this session. */
  skip(): void {
    const item = this.item;
    if (!item || !this.canSkip) return;
    const list = this.#currentList;
    const next = list[list.indexOf(item) + 1] ?? list[0];
    this.#skipped = [...this.#skipped.filter((key) => key !== item.key), item.key];
    this.select(next?.key ?? null);
  }

  /** Snoozes the report until tomorrow. */
  snooze(): void {
    const { item } = this;
    if (!item) return;
    const { store, undo } = this.app;
    const next = this.#nextReport([item]);
    store.snooze(item.key, startOfDay(startOfDay(Date.now()) + OVER_A_DAY));
    this.select(next);
    undo.record(texts.snoozed(item.key), () => {
      store.snooze(item.key, null);
      this.select(item.key);
    });
  }

  isMine(key: string): boolean {
    return this.app.store.state.assigned.includes(key);
  }

  /** The reports that an assignment applies to: the selected ones, or the open one. */
  get #assignable(): readonly TriageItem[] {
    return this.selection.isActive ? this.selection.items : this.item ? [this.item] : [];
  }

  /** Whether all of them are assigned to the user. */
  get isAssigned(): boolean {
    return this.#assignable.length > 0 && this.#assignable.every(({ key }) => this.isMine(key));
  }

  /** Assigns the selected reports or the open one to the user, or ends their assignment. */
  assign(): void {
    const reports = this.#assignable;
    const [first] = reports;
    if (!first) return;
    const { store, undo } = this.app;
    const isMine = !this.isAssigned;
    const keys = reports.map(({ key }) => key).filter((key) => this.isMine(key) !== isMine);
    const next = this.onlyMine ? this.#nextReport(reports) : this.selected;
    this.selection.clear();
    store.assign(keys, isMine);
    if (next !== this.selected) this.select(next);
    undo.record((isMine ? texts.assigned : texts.unassigned)(keys[0] ?? first.key, keys.length), () => {
      store.assign(keys, !isMine);
      if (this.rows.some(({ key }) => key === first.key)) this.select(first.key);
    });
  }

  toggleMine(): void {
    this.onlyMine = !this.onlyMine;
    this.selection.clear();
    if (this.index < 0) this.select(this.rows[0]?.key ?? null);
  }

  async undo(): Promise<void> {
    const undoEntry = this.decisions.at(-1)?.undoEntry;
    if (undoEntry) await this.app.undo.undo(undoEntry);
    else if (this.decidedPairs[0]) await this.undoDecision(this.decidedPairs[0]);
  }

  /** Undoes one of today's decisions, even if it was made together with others. */
  async undoDecision({ key, other, kind, decision }: DecidedPair): Promise<void> {
    const undoEntry = decision?.undoEntry ?? null;
    const group = undoEntry ? this.decisions.filter((entry) => entry.undoEntry === undoEntry) : [];
    if (undoEntry && group.length === 1) {
      await this.app.undo.undo(undoEntry);
      return;
    }
    try {
      if (decision) await this.#undoRecorded(decision, Promise.resolve());
      else await this.#undoStored(key, other);
    } catch (error) {
      this.app.showError(error);
      return;
    }
    this.app.toasts.show(texts.undone(decisions[kind](key, other)));
  }

  async #undoStored(key: string, other: string): Promise<void> {
    await api.undoVerdict(key, other);
    this.today.forget(key, other);
    this.changes++;
    this.#selectionToRestore = key;
    await Promise.all([this.today.load(), this.load()]);
    if (this.rows.some((item) => item.key === key)) this.select(key);
  }

  async #undoDecisions(decisions: readonly Decision[], recordings: readonly Promise<unknown>[]): Promise<void> {
    for (const [index, decision] of [...decisions.entries()].toReversed()) {
      if (this.decisions.includes(decision)) await this.#undoRecorded(decision, recordings[index] ?? Promise.resolve());
    }
  }

  async #undoRecorded(decision: Decision, recording: Promise<unknown>): Promise<void> {
    this.decisions = this.decisions.filter((d) => d !== decision);
    // A decision that could not be recorded is already back in its list.
    if (!(await recording.then(() => true, () => false))) return;
    try {
      await api.undoVerdict(decision.item.key, decision.other);
    } catch (error) {
      this.decisions = [...this.decisions, decision];
      throw error;
    }
    this.changes++;
    this.today.forget(decision.item.key, decision.other);
    this.#restoreReport(decision);
  }

  #loadedList(related: boolean): readonly TriageItem[] {
    const response = this.#lastResponse?.response;
    return (related ? response?.related : response?.queue) ?? [];
  }

  #isSnoozed({ key }: TriageItem): boolean {
    return (this.app.store.state.snoozed[key] ?? 0) > clock.now;
  }

  /** Returns whether a report was decided for this candidate or after the response. */
  #isDecided(item: TriageItem): boolean {
    return this.decisions.some((d) => d.item.key === item.key && (d.other === item.candidate.key || !this.#lastResponse?.known.has(d)));
  }

  /** Returns reports that wait again but are missing from the response. */
  #restoredItems(related: boolean): readonly TriageItem[] {
    const restored = this.#restoredDecisions.filter((entry) => entry.related === related).map((entry) => entry.item);
    return restored.filter((item) => !this.#isDecided(item));
  }

  /** Returns the loaded reports of a list that wait for a decision. */
  #waitingList(related: boolean): readonly TriageItem[] {
    return [...this.#loadedList(related).filter((item) => !this.#isSnoozed(item) && !this.#isDecided(item)), ...this.#restoredItems(related)];
  }

  #count(related: boolean): number {
    const total = (related ? this.#lastResponse?.response.related_waiting : this.#lastResponse?.response.waiting) ?? 0;
    const removed = this.#loadedList(related).filter((item) => this.#isDecided(item) || this.#isSnoozed(item));
    return total - removed.length + this.#restoredItems(related).length;
  }

  #visibleList(related: boolean): readonly TriageItem[] {
    const field = related ? "worth" : "confidence";
    const waiting = this.#waitingList(related).filter(({ key }) => !this.onlyMine || this.isMine(key));
    if (this.#restoredDecisions.length > 0) waiting.sort((a, b) => b.candidate[field] - a.candidate[field]);
    const pair = this.#keptPair;
    if (pair?.related === related && pair.item.key === this.selected && (!this.onlyMine || this.isMine(pair.item.key)) && !this.#isDecided(pair.item)) waiting.unshift(pair.item);
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
      limit: LIST_LIMIT,
    };
  }

  /** Shows a response that already reflects these undone decisions. */
  #show(response: KnownResponse, restored: readonly Decision[]): void {
    const current = this.item;
    const related = this.isInRelated;
    this.#lastResponse = response;
    this.#restoredDecisions = this.#restoredDecisions.filter((entry) => !restored.includes(entry));
    this.#keptPair = null;
    // The open report stays even if the response lacks it.
    if (current && !this.#has(current.key)) this.#keptPair = { item: current, other: current.candidate.key, related };
    if (this.index < 0) this.select((this.rows.find((item) => item.key === this.#selectionToRestore) ?? this.rows[0])?.key ?? null);
    this.#selectionToRestore = null;
  }

  #has(key: string): boolean {
    return [...this.items, ...this.related].some((item) => item.key === key);
  }

  /** Returns the report to open after these are decided. */
  #nextReport(reports: readonly TriageItem[]): string | null {
    const removed = new Set(reports.map((item) => item.key));
    const remains = (item: TriageItem) => !removed.has(item.key);
    const index = Math.max(0, this.index);
    return (this.rows.slice(index).find(remains) ?? this.rows.slice(0, index).findLast(remains))?.key ?? null;
  }

  /** Returns a report to its list after its decision failed or was undone. */
  #restoreReport(decision: Decision): void {
    this.decisions = this.decisions.filter((entry) => entry !== decision);
    if (!this.#has(decision.item.key)) this.#restoredDecisions = [...this.#restoredDecisions, decision];
    if (decision.related) this.isRelatedOpen = true;
    if (!this.isMine(decision.item.key)) this.onlyMine = false;
    this.select(decision.item.key);
  }

  select(key: string | null): void {
    this.selected = key;
    this.candidateIndex = 0;
    void this.#compare();
  }

  async #compare(): Promise<void> {
    const isCurrent = this.#pairRequest.begin();
    const item = this.item;
    const candidate = this.candidate;
    if (!item || !candidate) {
      this.comparison = null;
      this.check = null;
      this.#checkedReport = null;
      return;
    }
    this.pairFailure = null;
    try {
      const comparison = await api.compare(item.key, candidate.key);
      if (!isCurrent()) return;
      this.comparison = comparison;
      // The other candidates are requested once per report, after the pair is shown.
      const checkId = `${item.key} ${this.includeClosed}`;
      if (this.#checkedReport === checkId) return;
      const check = await api.duplicates({ key: item.key, include_closed: this.includeClosed });
      if (!isCurrent()) return;
      this.#checkedReport = checkId;
      this.check = check;
      this.candidateIndex = Math.max(0, this.candidates.findIndex((c) => c.key === candidate.key));
    } catch (error) {
      if (isCurrent()) this.pairFailure = api.toFailure(error);
    }
  }
}
