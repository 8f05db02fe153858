// The triage desk: the queue, the pair that is compared, and the decisions of this session.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Band, Comparison, DuplicateCandidate, DuplicatesResponse, Failure, TriageItem, TriageRequest, VerdictKind } from "../lib/types";
import type { Desk } from "../shell/desk.svelte";

/** How many reports of the queue are held; more come as these are decided. */
const HELD = 100;
const FEW = 15;
const QUEUE_EVERY = 2500;

export interface Decision {
  item: TriageItem;
  other: string;
  kind: VerdictKind;
}

const DONE: Record<VerdictKind, string> = {
  duplicate: "is a duplicate of",
  related: "is related to",
  not_duplicate: "is no duplicate of",
};

export class Triage {
  source = $state<string | null>(null);
  includeClosed = $state(false);
  band = $state<Band>("possible");

  items = $state.raw<readonly TriageItem[]>([]);
  /** How many wait in all, those that are not held here included. */
  waiting = $state(0);
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
  #asked: string | null = null;
  /** Who has stopped a check does not want it to start again by itself. */
  #stopped = false;
  /** Grows with each choice of what is shown: a check that runs may be for another one. */
  #choice = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get index(): number {
    return this.items.findIndex((item) => item.key === this.selected);
  }

  get item(): TriageItem | null {
    return this.items[this.index] ?? null;
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
    await this.load();
    if (this.failure === null && this.unscanned > 0 && !this.#stopped) await this.scan();
  }

  choose(change: { source?: string | null; includeClosed?: boolean; band?: Band }): void {
    Object.assign(this, change);
    this.#choice++;
    this.#skipped.clear();
    this.#stopped = false;
    this.loaded = false;
    this.items = [];
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
      this.unscanned = response.unscanned;
      this.#show(response.queue);
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
    const last = this.items.length - 1;
    if (last < 0) return;
    const to = Math.min(Math.max(this.index + by, 0), last);
    this.#select(this.items[to]?.key ?? null);
  }

  select(key: string): void {
    this.#select(key);
  }

  /** Compares with another candidate of the same report. */
  turn(by: number): void {
    const n = this.candidates.length;
    if (n < 2) return;
    this.at = (this.at + by + n) % n;
    void this.#compare();
  }

  /** Records what the pair is and goes on to the next report. */
  async decide(kind: VerdictKind): Promise<void> {
    const item = this.item;
    const other = this.candidate;
    if (!item || !other) return;
    const place = this.index;
    const decision = { item, other: other.key, kind };
    this.#take(item.key);
    this.decisions = [...this.decisions, decision];
    try {
      await api.recordVerdict(item.key, other.key, kind);
    } catch (thrown) {
      this.decisions = this.decisions.filter((d) => d !== decision);
      this.#putBack(item, place);
      this.#desk.say(thrown);
      return;
    }
    this.recorded++;
    this.#desk.toasts.say(`${item.key} ${DONE[kind]} ${other.key}.`, () => void this.undo(decision));
    if (this.items.length < FEW && this.waiting > this.items.length) void this.load();
  }

  /** Puts the report at the end of the queue, for this session. */
  skip(): void {
    const item = this.item;
    if (!item || this.items.length < 2) return;
    const next = this.items[this.index + 1] ?? this.items[0];
    this.#skipped.add(item.key);
    this.items = [...this.items.filter((i) => i !== item), item];
    this.#select(next?.key ?? null);
  }

  /** Takes a decision back, the last one if not told which, and shows its report again. */
  async undo(decision: Decision | undefined = this.decisions.at(-1)): Promise<void> {
    if (!decision || !this.decisions.includes(decision)) return;
    this.decisions = this.decisions.filter((d) => d !== decision);
    try {
      await api.undoVerdict(decision.item.key, decision.other);
    } catch (thrown) {
      this.#desk.say(thrown);
      return;
    }
    this.recorded++;
    this.#putBack(decision.item, Math.max(0, this.index));
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

  #show(queue: readonly TriageItem[]): void {
    // An answer from before a decision may still hold its pair; with another candidate the report waits again.
    const isDecided = (i: TriageItem) => this.decisions.some((d) => d.item.key === i.key && d.other === i.candidate.key);
    const fresh = queue.filter((item) => !isDecided(item));
    // The report that is being read stays where it is, even if the queue has grown above it.
    const current = this.item;
    if (current && !fresh.some((item) => item.key === current.key)) fresh.unshift(current);
    this.items = [...fresh.filter((i) => !this.#skipped.has(i.key)), ...fresh.filter((i) => this.#skipped.has(i.key))];
    if (this.index < 0) this.#select(this.items[0]?.key ?? null);
  }

  #take(key: string): void {
    const place = this.index;
    this.items = this.items.filter((item) => item.key !== key);
    this.waiting = Math.max(this.items.length, this.waiting - 1);
    this.#select((this.items[place] ?? this.items.at(-1))?.key ?? null);
  }

  #putBack(item: TriageItem, place: number): void {
    if (this.items.some((i) => i.key === item.key)) return;
    this.items = [...this.items.slice(0, place), item, ...this.items.slice(place)];
    this.waiting++;
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
