// The quick prompt: a text and what is known about it, shown as it arrives. Nothing is written to
// disk.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latestRequest";
import type { Failure, NoticeKind, Notice, PromptTarget } from "../lib/types";
import { parseFilters, removeFilters } from "../search/query";
import { words } from "../words";
import { describeInput, classifyInput, type ClassifiedInput } from "./classify";
import { resultLines, knownLines, formatReply, solvedLines, wikiLines, emptyWikiText, type Line } from "./lines";

const texts = words.prompt;

export type PartName = keyof typeof texts.parts;

/** A fixed order, so that nothing moves when answers arrive. */
export const PARTS: readonly PartName[] = ["known", "solved", "wiki"];

export interface AnswerPart {
  /** While pending, the lines of the previous question. */
  lines: readonly Line[];
  pending: boolean;
  failure: Failure | null;
  /** The text shown without any line. */
  emptyText: string;
}

interface PromptAction {
  id: string;
  label: string;
  target: PromptTarget;
}

/** The delay while typing, in milliseconds; pasted text is looked up at once. */
const TYPING_DELAY = 120;
/** The maximum number of search results. */
const MAX_RESULTS = 3;
/** The time that a text is kept after a click elsewhere hides the prompt, in milliseconds. */
const KEEP_DURATION = 90_000;
export const CLIPBOARD_ROW = "offer";
/** Notices that may hide answers; others need a view with more room. */
const HIDING_NOTICES: readonly NoticeKind[] = ["full_text", "some_vectors", "all_vectors", "model"];

const EMPTY_PARTS: Record<PartName, AnswerPart> = Object.fromEntries(
  PARTS.map((name) => [name, { lines: [], pending: false, failure: null, emptyText: "" }]),
) as unknown as Record<PartName, AnswerPart>;

export class Prompt {
  text = $state("");
  /** The clipboard's text at the time of showing. */
  clipboard = $state.raw<ClassifiedInput | null>(null);
  parts = $state.raw<Readonly<Record<PartName, AnswerPart>>>(EMPTY_PARTS);
  selectedRow = $state<string | null>(null);
  /** The result of an action, also announced to screen readers. */
  message = $state("");
  /** Notices about answers that may be hidden, one of each kind. */
  notices = $state.raw<readonly Notice[]>([]);
  /** The reason why the casebook is not available. */
  openFailure = $state.raw<Failure | null>(null);
  /** `null` until loaded. */
  sources = $state.raw<readonly string[] | null>(null);
  /** Incremented each time the prompt is shown with a new question. */
  showCount = $state(0);

  #latest = new LatestRequest();
  #showRequest = new LatestRequest();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #clearTimer: ReturnType<typeof setTimeout> | undefined;
  #pendingParts: Partial<Record<PartName, Promise<void>>> = {};
  #copiedReply: string | null = null;
  #question = "";
  #clipboardText = "";
  #isShown = false;
  /** Whether it was hidden with a text that may be wanted again. */
  #isKept = false;

  /** The question: the typed text, or the clipboard. */
  readonly question: ClassifiedInput | null = $derived(classifyInput(this.text, this.sources ?? []) ?? this.clipboard);

  /** The clipboard, while nothing is typed. */
  readonly clipboardLabel: string | null = $derived(this.text.trim() === "" && this.clipboard ? describeInput(this.clipboard) : null);

  get isEmpty(): boolean {
    return this.sources?.length === 0;
  }

  get isPending(): boolean {
    return PARTS.some((name) => this.parts[name].pending);
  }

  /** The error that prevents all answers: the casebook's, or one shared by all parts. */
  get failure(): Failure | null {
    if (this.openFailure) return this.openFailure;
    const [first, ...others] = PARTS.map((name) => this.parts[name].failure);
    return first && others.every((entry) => entry?.message === first.message) ? first : null;
  }

  lineCount(name: PartName): number {
    return name === "known" && this.question?.kind === "words" ? MAX_RESULTS : 1;
  }

  readonly actions: readonly PromptAction[] = $derived.by((): PromptAction[] => {
    const input = this.question;
    if (this.openFailure || this.isEmpty) return [{ id: "search", label: texts.actions.open, target: { view: "search", query: "" } }];
    if (!input) return [];
    const isMissing = this.failure?.code === "not_found";
    if (input.key !== null && !isMissing) {
      return [
        { id: "item", label: texts.actions.item(input.key), target: { view: "item", key: input.key, anchor: null } },
        { id: "triage", label: texts.actions.triage(input.key), target: { view: "triage", text: input.key } },
      ];
    }
    if (input.kind === "words" || isMissing) {
      return [{ id: "search", label: words.shell.palette.searchFor(input.text), target: { view: "search", query: input.text } }];
    }
    return [{ id: "ask", label: texts.actions.ask, target: { view: "ask", text: input.text } }];
  });

  /** The selectable rows from top to bottom. A pending part has one row. */
  readonly rows: readonly string[] = $derived.by(() => {
    const lines = PARTS.flatMap((name) => {
      const { lines, pending } = this.parts[name];
      return pending && lines.length === 0 ? [`${name} 0`] : lines.slice(0, this.lineCount(name)).map((_, index) => `${name} ${index}`);
    });
    return [...(this.clipboardLabel === null ? [] : [CLIPBOARD_ROW]), ...lines, ...this.actions.map((action) => action.id)];
  });

  /** The row that Enter opens: the selected or the first one. */
  get current(): string | null {
    const { rows, selectedRow } = this;
    return selectedRow !== null && rows.includes(selectedRow) ? selectedRow : (rows[0] ?? null);
  }

  get answers(): readonly Line[] {
    return PARTS.flatMap((name) => (this.parts[name].pending ? [] : this.parts[name].lines));
  }

  /** Prepares the prompt for showing, with the clipboard or the kept text. */
  async prepare(): Promise<void> {
    clearTimeout(this.#clearTimer);
    const isCurrent = this.#showRequest.begin();
    const open = this.#open();
    // A link's source is known only once the sources are loaded.
    const [text] = await Promise.all([api.promptText().catch(() => null), this.sources?.length ? null : open]);
    if (!isCurrent()) return;
    this.#isShown = true;
    // A changed clipboard starts a new question.
    const isSame = this.#isKept && this.#clipboardText === (text ?? "");
    this.#isKept = false;
    this.#clipboardText = text ?? "";
    if (!isSame) {
      this.#clear();
      // A reply copied from here is not a question.
      this.clipboard = text === null || text === this.#copiedReply ? null : classifyInput(text, this.sources ?? []);
      // The lookup is local, so it need not wait for a key.
      this.#ask(0);
    }
    this.showCount++;
  }

  async #open(): Promise<void> {
    try {
      this.sources = (await api.status()).sources.map((source) => source.key);
      this.openFailure = null;
    } catch (error) {
      this.openFailure = api.toFailure(error);
    }
  }

  /** Sets the text after typing or a paste. */
  type(text: string, isPasted = false): void {
    this.text = text;
    this.#ask(isPasted ? 0 : TYPING_DELAY);
  }

  acceptClipboard(): void {
    if (this.clipboardLabel !== null) this.text = this.clipboard?.text ?? "";
    this.selectedRow = null;
  }

  move(delta: 1 | -1): void {
    const { rows } = this;
    if (rows.length > 0) this.selectedRow = rows[(rows.indexOf(this.current ?? "") + delta + rows.length) % rows.length] ?? null;
  }

  /** Opens the current row in the main window, once its answer has arrived. */
  async open(): Promise<void> {
    const question = this.#question;
    for (;;) {
      const row = this.current;
      const name = PARTS.find((entry) => row?.startsWith(entry));
      if (!name || !this.parts[name].pending) break;
      await this.#pendingParts[name];
      if (question !== this.#question) return;
    }
    const row = this.current;
    const action = this.actions.find((entry) => entry.id === row);
    const line = PARTS.flatMap((name) => this.parts[name].lines.map((line, index) => ({ id: `${name} ${index}`, line }))).find((entry) => entry.id === row);
    const target: PromptTarget | undefined = action?.target ?? (line && { view: "item", key: line.line.key, anchor: line.line.anchor });
    if (target) await this.#go(target);
  }

  async openBrief(): Promise<void> {
    const input = this.question;
    if (input) await this.#go({ view: "brief", text: input.key ?? input.text });
  }

  async copyReply(): Promise<void> {
    const { answers } = this;
    if (answers.length === 0) {
      this.message = this.isPending ? texts.stillLoading : texts.nothingToCite;
      return;
    }
    const text = formatReply(answers);
    try {
      await api.copyText(text);
      this.#copiedReply = text;
      this.message = texts.copied(answers.length);
    } catch (error) {
      this.message = api.toFailure(error).message;
    }
  }

  async hide(): Promise<void> {
    this.#clear();
    await this.#hideWindow();
  }

  /**
   * Hides the prompt when it loses the focus, as Raycast does. A click elsewhere may be a mistake,
   * so the text is kept for a while.
   */
  async hideAndKeep(): Promise<void> {
    // Hiding also removes the focus.
    if (!this.#isShown) return;
    if (this.text.trim() === "") return this.hide();
    this.#isKept = true;
    this.#clearTimer = setTimeout(() => this.#clear(), KEEP_DURATION);
    await this.#hideWindow();
  }

  async #hideWindow(): Promise<void> {
    this.#isShown = false;
    await api.hidePrompt().catch((error: unknown) => this.#showFailure(error));
  }

  async #go(target: PromptTarget): Promise<void> {
    this.#isShown = false;
    try {
      await api.openFromPrompt(target);
      this.#clear();
    } catch (error) {
      this.#showFailure(error);
    }
  }

  #showFailure(error: unknown): void {
    this.#isShown = true;
    this.message = api.toFailure(error).message;
  }

  #clear(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#clearTimer);
    this.#latest.invalidate();
    this.#pendingParts = {};
    this.#question = "";
    this.#isKept = false;
    this.text = "";
    this.clipboard = null;
    this.parts = EMPTY_PARTS;
    this.notices = [];
    this.selectedRow = null;
    this.message = "";
  }

  #ask(delay: number): void {
    const input = this.question;
    const question = input?.text ?? "";
    this.message = "";
    if (question === this.#question) return;
    this.#question = question;
    this.selectedRow = null;
    this.notices = [];
    clearTimeout(this.#timer);
    const isCurrent = this.#latest.begin();
    if (!input || this.openFailure || this.isEmpty) {
      this.parts = EMPTY_PARTS;
      return;
    }
    for (const name of PARTS) this.#set(name, { pending: true, failure: null });
    const start = new Promise<void>((resolve) => (this.#timer = setTimeout(resolve, delay)));
    const text = input.key === null ? input.text : "";
    const isSearch = input.kind === "words";
    // The search uses its filters; solutions are looked up without them.
    const solutionText = isSearch ? removeFilters(text) || text : text;
    const recordNotices = <T extends { notices: readonly Notice[] }>(response: T): T => {
      const newNotices = response.notices.filter((notice) => HIDING_NOTICES.includes(notice.lack) && this.notices.every((entry) => entry.lack !== notice.lack));
      if (isCurrent()) this.notices = [...this.notices, ...newNotices];
      return response;
    };
    // The lexical search is faster than the model, so it comes first unless the query sets a mode.
    // The full search reports its errors.
    if (isSearch && parseFilters(text).every((filter) => filter.name !== "mode")) {
      void start.then(() => api.searchBest(text, MAX_RESULTS, "lexical")).then(
        ({ hits }) => isCurrent() && this.parts.known.pending && hits.length > 0 && this.#set("known", { lines: resultLines(hits), pending: false }),
        () => {},
      );
    }
    const answer = start.then(() => api.ask({ key: input.key, text: solutionText, source: null })).then(recordNotices);
    const reports = start.then(() =>
      isSearch
        ? api.searchBest(text, MAX_RESULTS, null).then(recordNotices).then(({ hits }) => resultLines(hits))
        : answer.then(knownLines),
    );
    const showWhenReady = (name: PartName, lines: Promise<Line[]>, emptyText: () => string) => {
      this.#pendingParts[name] = lines.then(
        // Keeps the lines of the part with the selected row.
        (lines) => isCurrent() && (this.parts[name].pending || !this.selectedRow?.startsWith(name)) && this.#set(name, { lines, pending: false, emptyText: emptyText() }),
        (error: unknown) => isCurrent() && this.parts[name].pending && this.#set(name, { lines: [], pending: false, failure: api.toFailure(error) }),
      ) as Promise<void>;
    };
    let lastAnswer: Awaited<typeof answer> | null = null;
    showWhenReady("known", reports, () => (isSearch ? texts.nothingFound : texts.nothingKnown));
    showWhenReady("solved", answer.then(solvedLines), () => texts.nothingSolved);
    showWhenReady("wiki", answer.then((response) => wikiLines((lastAnswer = response))), () => emptyWikiText(lastAnswer));
  }

  #set(name: PartName, change: Partial<AnswerPart>): void {
    this.parts = { ...this.parts, [name]: { ...this.parts[name], ...change } };
  }
}
