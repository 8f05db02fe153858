// The prompt: a text, and what is known of it, each answer as soon as it is there. Nothing of it is ever written to disk.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latest";
import type { Failure, Lack, Notice, PromptTarget } from "../lib/types";
import { parseFilters, removeFilters } from "../search/query";
import { copyText } from "../shell/clipboard";
import { words } from "../words";
import { described, recognise, type Recognised } from "./recognise";
import { first, known, reply, solved, wiki, wikiSilence, type Line } from "./words";

const texts = words.prompt;

export type PartName = keyof typeof texts.parts;

/** In this order, whichever is answered first: nothing on the screen may jump. */
export const PARTS: readonly PartName[] = ["known", "solved", "wiki"];

export interface Part {
  /** Where it is pending, those of the question before. */
  lines: readonly Line[];
  pending: boolean;
  failure: Failure | null;
  /** What is said where it is answered with no line. */
  silence: string;
}

/** Something else that can be opened. */
export interface Way {
  id: string;
  words: string;
  target: PromptTarget;
}

/** Typing waits for the next key; what comes as a whole is asked at once. */
const TYPED_AFTER = 120;
/** How many results of a search are shown. */
export const RESULTS = 3;
/** How long a text that was left by a click elsewhere is kept in memory. */
const KEPT_FOR = 90_000;
export const OFFER = "offer";
/** What keeps something from being found. What else an answer remarks is for a view with room for it. */
const HIDES: readonly Lack[] = ["full_text", "some_vectors", "all_vectors", "model"];

const NONE: Record<PartName, Part> = Object.fromEntries(
  PARTS.map((name) => [name, { lines: [], pending: false, failure: null, silence: "" }]),
) as unknown as Record<PartName, Part>;

export class Prompt {
  text = $state("");
  /** What was on the clipboard when it was shown. */
  clipboard = $state.raw<Recognised | null>(null);
  parts = $state.raw<Readonly<Record<PartName, Part>>>(NONE);
  /** The row that the person went to. */
  chosen = $state<string | null>(null);
  /** What was done, for everybody to read and hear. */
  message = $state("");
  /** What may have kept an answer from being found, each once: the silence of half an index is not the last word. */
  notices = $state.raw<readonly Notice[]>([]);
  /** Why nothing can be asked. */
  closed = $state.raw<Failure | null>(null);
  /** The sources of the casebook; nothing until they are known. */
  sources = $state.raw<readonly string[] | null>(null);
  /** Grows each time that it is shown as new. */
  shows = $state(0);

  #latest = new LatestRequest();
  #showing = new LatestRequest();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #forgetting: ReturnType<typeof setTimeout> | undefined;
  #coming: Partial<Record<PartName, Promise<void>>> = {};
  #copied: string | null = null;
  #question = "";
  /** The clipboard as it is written. */
  #clipped = "";
  #isShown = false;
  /** Whether it is hidden with a text in it that may be wanted again. */
  #isKept = false;

  /** What is asked about: what is typed, else what is on the clipboard. */
  readonly asked: Recognised | null = $derived(recognise(this.text, this.sources ?? []) ?? this.clipboard);

  /** The clipboard, while nothing is typed. */
  readonly offer: string | null = $derived(this.text.trim() === "" && this.clipboard ? described(this.clipboard) : null);

  get isEmpty(): boolean {
    return this.sources?.length === 0;
  }

  get isPending(): boolean {
    return PARTS.some((name) => this.parts[name].pending);
  }

  /** Why there is no answer at all: nothing can be asked, or all of it failed alike. */
  get refused(): Failure | null {
    if (this.closed) return this.closed;
    const [first, ...others] = PARTS.map((name) => this.parts[name].failure);
    return first && others.every((one) => one?.message === first.message) ? first : null;
  }

  /** How many lines a part has room for, whatever its answer will be. */
  room(name: PartName): number {
    return name === "known" && this.asked?.sort === "words" ? RESULTS : 1;
  }

  readonly ways: readonly Way[] = $derived.by((): Way[] => {
    const asked = this.asked;
    if (this.closed || this.isEmpty) return [{ id: "search", words: texts.ways.open, target: { view: "search", query: "" } }];
    if (!asked) return [];
    const isMissing = this.refused?.code === "not_found";
    if (asked.key !== null && !isMissing) {
      return [
        { id: "item", words: texts.ways.item(asked.key), target: { view: "item", key: asked.key, anchor: null } },
        { id: "triage", words: texts.ways.triage(asked.key), target: { view: "triage", text: asked.key } },
      ];
    }
    if (asked.sort === "words" || isMissing) {
      return [{ id: "search", words: texts.ways.search(asked.text), target: { view: "search", query: asked.text } }];
    }
    return [{ id: "ask", words: texts.ways.ask, target: { view: "ask", text: asked.text } }];
  });

  /** The rows that can be chosen, from top to bottom. A part that is asked has the row of its answer. */
  readonly rows: readonly string[] = $derived.by(() => {
    const lines = PARTS.flatMap((name) => {
      const { lines, pending } = this.parts[name];
      return pending && lines.length === 0 ? [`${name} 0`] : lines.slice(0, this.room(name)).map((_, at) => `${name} ${at}`);
    });
    return [...(this.offer === null ? [] : [OFFER]), ...lines, ...this.ways.map((way) => way.id)];
  });

  /** The row that Enter takes: the first one, until the person goes to another. */
  get current(): string | null {
    const { rows, chosen } = this;
    return chosen !== null && rows.includes(chosen) ? chosen : (rows[0] ?? null);
  }

  /** Everything that was answered, from top to bottom. */
  get answers(): readonly Line[] {
    return PARTS.flatMap((name) => (this.parts[name].pending ? [] : this.parts[name].lines));
  }

  /** It is shown: with the clipboard, or as it was when a click elsewhere hid it. */
  async shown(): Promise<void> {
    clearTimeout(this.#forgetting);
    const isCurrent = this.#showing.begin();
    const open = this.#open();
    // Which source a link is of can be told only once the sources are known; after the first time they are.
    const [text] = await Promise.all([api.promptText().catch(() => null), this.sources?.length ? null : open]);
    if (!isCurrent()) return;
    this.#isShown = true;
    // Who copied something else meanwhile comes with a new question.
    const isSame = this.#isKept && this.#clipped === (text ?? "");
    this.#isKept = false;
    this.#clipped = text ?? "";
    if (!isSame) {
      this.#clear();
      // The reply that was just copied from here is no question.
      this.clipboard = text === null || text === this.#copied ? null : recognise(text, this.sources ?? []);
      // Nothing leaves this machine by being asked, so that the answer need not wait for a key.
      this.#ask(0);
    }
    this.shows++;
  }

  async #open(): Promise<void> {
    try {
      this.sources = (await api.status()).sources.map((source) => source.key);
      this.closed = null;
    } catch (thrown) {
      this.closed = api.toFailure(thrown);
    }
  }

  /** The text was edited: by a key, or as a whole by what was pasted. */
  type(text: string, isPasted = false): void {
    this.text = text;
    this.#ask(isPasted ? 0 : TYPED_AFTER);
  }

  /** Takes the clipboard as the text. */
  take(): void {
    if (this.offer !== null) this.text = this.clipboard?.text ?? "";
    this.chosen = null;
  }

  move(by: 1 | -1): void {
    const { rows } = this;
    if (rows.length > 0) this.chosen = rows[(rows.indexOf(this.current ?? "") + by + rows.length) % rows.length] ?? null;
  }

  /** Opens the chosen row in the main window. One whose answer is on its way is opened when it is there. */
  async open(): Promise<void> {
    const question = this.#question;
    for (;;) {
      const row = this.current;
      const name = PARTS.find((one) => row?.startsWith(one));
      if (!name || !this.parts[name].pending) break;
      await this.#coming[name];
      if (question !== this.#question) return;
    }
    const row = this.current;
    const way = this.ways.find((one) => one.id === row);
    const line = PARTS.flatMap((name) => this.parts[name].lines.map((line, at) => ({ id: `${name} ${at}`, line }))).find((one) => one.id === row);
    const target: PromptTarget | undefined = way?.target ?? (line && { view: "item", key: line.line.key, anchor: line.line.anchor });
    if (target) await this.#go(target);
  }

  /** Makes a brief of the text in the main window. */
  async brief(): Promise<void> {
    const asked = this.asked;
    if (asked) await this.#go({ view: "brief", text: asked.key ?? asked.text });
  }

  /** Puts a reply onto the clipboard that cites what is known. */
  async copyReply(): Promise<void> {
    const { answers } = this;
    if (answers.length === 0) {
      this.message = this.isPending ? texts.notHere : texts.nothingToCite;
      return;
    }
    const text = reply(answers);
    try {
      await copyText(text);
      this.#copied = text;
      this.message = texts.copied(answers.length);
    } catch (thrown) {
      this.message = api.toFailure(thrown).message;
    }
  }

  /** Hides it for good: the next time it begins anew. */
  async hide(): Promise<void> {
    this.#clear();
    await this.#vanish();
  }

  /**
   * Another window has the focus. As in Raycast it hides whatever was typed: a window over everything would be in the way of
   * what the person turned to. A click elsewhere may be a slip, so that what was typed is still there for a while.
   */
  async leave(): Promise<void> {
    // Hiding takes the focus away, too.
    if (!this.#isShown) return;
    if (this.text.trim() === "") return this.hide();
    this.#isKept = true;
    this.#forgetting = setTimeout(() => this.#clear(), KEPT_FOR);
    await this.#vanish();
  }

  async #vanish(): Promise<void> {
    this.#isShown = false;
    await api.hidePrompt().catch((thrown: unknown) => this.#failed(thrown));
  }

  async #go(target: PromptTarget): Promise<void> {
    this.#isShown = false;
    try {
      await api.openFromPrompt(target);
      this.#clear();
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  #failed(thrown: unknown): void {
    this.#isShown = true;
    this.message = api.toFailure(thrown).message;
  }

  #clear(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#forgetting);
    this.#latest.invalidate();
    this.#coming = {};
    this.#question = "";
    this.#isKept = false;
    this.text = "";
    this.clipboard = null;
    this.parts = NONE;
    this.notices = [];
    this.chosen = null;
    this.message = "";
  }

  #ask(after: number): void {
    const asked = this.asked;
    const question = asked?.text ?? "";
    this.message = "";
    if (question === this.#question) return;
    this.#question = question;
    this.chosen = null;
    this.notices = [];
    clearTimeout(this.#timer);
    const isCurrent = this.#latest.begin();
    if (!asked || this.closed || this.isEmpty) {
      this.parts = NONE;
      return;
    }
    for (const name of PARTS) this.#set(name, { pending: true, failure: null });
    const start = new Promise<void>((resolve) => (this.#timer = setTimeout(resolve, after)));
    const text = asked.key === null ? asked.text : "";
    const isSearch = asked.sort === "words";
    // A search is answered by its words alone; what solves it, not by its filters.
    const about = isSearch ? removeFilters(text) || text : text;
    const noted = <T extends { notices: readonly Notice[] }>(response: T): T => {
      const fresh = response.notices.filter((notice) => HIDES.includes(notice.lack) && this.notices.every((one) => one.lack !== notice.lack));
      if (isCurrent()) this.notices = [...this.notices, ...fresh];
      return response;
    };
    // What has the words is there before the model has read them. A query that names its mode means it. What this fails of, the
    // whole search tells.
    if (isSearch && parseFilters(text).every((filter) => filter.name !== "mode")) {
      void start.then(() => api.searchBest(text, RESULTS, "lexical")).then(
        ({ hits }) => isCurrent() && this.parts.known.pending && hits.length > 0 && this.#set("known", { lines: first(hits), pending: false }),
        () => {},
      );
    }
    const answer = start.then(() => api.ask({ key: asked.key, text: about, source: null })).then(noted);
    const reports = start.then(() =>
      isSearch
        ? api.searchBest(text, RESULTS, null).then(noted).then(({ hits }) => first(hits))
        : answer.then(known),
    );
    const put = (name: PartName, lines: Promise<Line[]>, silence: () => string) => {
      this.#coming[name] = lines.then(
        // The line that the person went to stays what it is.
        (lines) => isCurrent() && (this.parts[name].pending || !this.chosen?.startsWith(name)) && this.#set(name, { lines, pending: false, silence: silence() }),
        (thrown: unknown) => isCurrent() && this.parts[name].pending && this.#set(name, { lines: [], pending: false, failure: api.toFailure(thrown) }),
      ) as Promise<void>;
    };
    let answered: Awaited<typeof answer> | null = null;
    put("known", reports, () => (isSearch ? texts.nothingFound : texts.nothingKnown));
    put("solved", answer.then(solved), () => texts.nothingSolved);
    put("wiki", answer.then((found) => wiki((answered = found))), () => wikiSilence(answered));
  }

  #set(name: PartName, change: Partial<Part>): void {
    this.parts = { ...this.parts, [name]: { ...this.parts[name], ...change } };
  }
}
