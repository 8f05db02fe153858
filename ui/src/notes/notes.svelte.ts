// The notebook: the notes, the one that is read or written, and what was found when one was to be saved.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/asking.svelte";
import { hintText } from "../lib/hints";
import { LatestRequest } from "../lib/latest";
import type { Failure, Note, NoteAnswer, NoteDraft, NoteKind, NoteMatch, SimilarNotes } from "../lib/types";
import type { AppState } from "../shell/desk.svelte";
import { words } from "../words";

const texts = words.notes.done;

export interface Writing {
  /** The note that is changed; none for a new one. */
  key: string | null;
  kind: NoteKind;
  title: string;
  body: string;
  tags: string;
  attach: string[];
  /** What it was before somebody else's text was pasted into it: only that is written to disk before it is saved. */
  own: Pick<Writing, "title" | "body" | "tags"> | null;
}

/** What a draft is kept under: each note and each item has one of its own. */
function draftOf({ key, attach }: Pick<Writing, "key" | "attach">): string {
  return key ?? ["new", ...attach].join(" ");
}

export const KINDS: Record<NoteKind, { name: string; about: string }> = words.notes.kinds;

/** How near a note is to what was written. */
export function nearness(match: NoteMatch | undefined): string {
  const { muchTheSame, same, wordForWord } = words.notes.form;
  if (!match) return same;
  return match.exact ? wordForWord : muchTheSame;
}

const LOOK_AFTER = 450;
/** What is looked for before it is saved; the other kinds record moments, and moments repeat. */
export const CHECKED: ReadonlySet<NoteKind> = new Set<NoteKind>(["lesson", "curiosity", "article"]);

/** Tags as typed, separated by commas. */
export function tags(typed: string): string[] {
  return [...new Set(typed.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

export class Notes extends EngineRequest {
  kind = $state<NoteKind | null>(null);
  all = $state.raw<readonly Note[]>([]);
  loaded = $state(false);
  selected = $state<string | null>(null);
  writing = $state<Writing | null>(null);
  /** Notes like the one that is being written. */
  similar = $state.raw<SimilarNotes | null>(null);
  /** Why the note was not saved: it is there already. */
  blocked = $state.raw<NoteAnswer | null>(null);
  formFailure = $state.raw<Failure | null>(null);
  /** What was begun and not saved. */
  drafts = $state.raw<ReadonlyMap<string, Writing>>(new Map());

  #app: AppState;
  #look = new LatestRequest();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(app: AppState) {
    super();
    this.#app = app;
  }

  get note(): Note | null {
    return this.all.find((note) => note.key === this.selected) ?? this.all[0] ?? null;
  }

  async load(): Promise<void> {
    await this.run(api.notes(this.kind), (all) => (this.all = all));
    if (!this.pending) this.loaded = true;
  }

  show(kind: NoteKind | null): void {
    this.kind = kind;
    void this.load();
  }

  move(by: number): void {
    const at = this.all.findIndex((note) => note.key === this.note?.key);
    this.selected = this.all[Math.min(Math.max(at + by, 0), this.all.length - 1)]?.key ?? null;
  }

  /** Opens the form for a new note, with the draft of it if there is one. */
  startWriting(start: Partial<Writing> = {}): void {
    this.#open({ key: null, kind: "lesson", title: "", body: "", tags: "", attach: [], own: null, ...start });
  }

  startEditing(note: Note): void {
    const { key, kind, title, body } = note;
    this.#open({ key, kind, title, body, tags: note.tags.join(", "), attach: [], own: null });
  }

  /** Whether a new note about nothing else was begun. */
  get isBegun(): boolean {
    return this.drafts.has(draftOf({ key: null, attach: [] }));
  }

  /** What was begun and may be kept over a restart, the oldest first: without any text that was pasted. */
  get ownDrafts(): readonly Writing[] {
    const all = [...this.drafts.values(), ...(this.writing ? [$state.snapshot(this.writing)] : [])];
    return all.map((one) => ({ ...one, ...one.own, own: null })).filter((one) => this.#isWorthKeeping(one));
  }

  /** Drafts of an earlier session. */
  takeDrafts(drafts: readonly Writing[]): void {
    this.drafts = new Map(drafts.map((one) => [draftOf(one), one]));
  }

  /** A text is about to be pasted into the form. */
  pasting(): void {
    if (!this.writing || this.writing.own) return;
    const { title, body, tags } = this.writing;
    this.writing.own = { title, body, tags };
  }

  #open(writing: Writing): void {
    this.#app.go("notes");
    this.stopWriting();
    const name = draftOf(writing);
    this.writing = { ...(this.drafts.get(name) ?? writing) };
    this.drafts = new Map([...this.drafts].filter(([other]) => other !== name));
  }

  /** Closes the form; what was written stays as a draft. Whether there is one now. */
  stopWriting(): boolean {
    const writing = this.writing;
    this.#forget();
    this.writing = null;
    if (!writing || !this.#isWorthKeeping(writing)) return false;
    this.drafts = new Map([...this.drafts, [draftOf(writing), $state.snapshot(writing)]]);
    return true;
  }

  /** Closes the form as Esc does: says where what was written is. */
  leaveWriting(): void {
    if (this.stopWriting()) this.#app.toasts.show(texts.kept);
  }

  /** Throws away what was written; that can be taken back. */
  discard(): void {
    const writing = this.writing && $state.snapshot(this.writing);
    this.#forget();
    this.writing = null;
    if (!writing || !this.#isWorthKeeping(writing)) return;
    const what = writing.key === null ? texts.draftDiscarded : texts.changesDiscarded(writing.key);
    this.#app.undo.record(what, () => this.#open(writing));
  }

  #isWorthKeeping(writing: Writing): boolean {
    const note = this.all.find((one) => one.key === writing.key);
    const before = note ? [note.title, note.body, note.tags.join(", ")] : ["", "", ""];
    return [writing.title, writing.body, writing.tags].some((text, at) => text.trim() !== before[at]?.trim());
  }

  /** The text has changed: looks a moment later whether the same is there. */
  changed(): void {
    this.blocked = null;
    this.formFailure = null;
    const writing = this.writing;
    const isCurrent = this.#look.begin();
    clearTimeout(this.#timer);
    if (!writing || writing.key !== null || !CHECKED.has(writing.kind) || !writing.title.trim() || !writing.body.trim()) {
      this.similar = null;
      return;
    }
    const { kind, title, body } = writing;
    this.#timer = setTimeout(async () => {
      try {
        const similar = await api.similarNotes(kind, title, body);
        if (isCurrent()) this.similar = similar;
      } catch {
        // Half a note may be refused; only the last word on it counts.
      }
    }, LOOK_AFTER);
  }

  /** Saves what is written, or says why not. */
  async store(force = false): Promise<void> {
    const writing = this.writing;
    if (!writing) return;
    this.formFailure = null;
    try {
      if (writing.key !== null) {
        const note = await api.editNote(writing.key, {
          title: writing.title, body: writing.body, tags: tags(writing.tags), attach: writing.attach,
        });
        await this.#stored(note, texts.saved(note.key));
        return;
      }
      const draft: NoteDraft = {
        kind: writing.kind, title: writing.title, body: writing.body, tags: tags(writing.tags), attach: writing.attach, force,
      };
      const answer = await api.addNote(draft);
      if (answer.outcome === "duplicate") {
        this.blocked = answer;
        this.similar = null;
        return;
      }
      const { key } = answer.note;
      const others = words.shared.list(answer.matches.map((match) => match.id));
      const saved = answer.outcome === "connected" && others ? texts.savedConnected(key, others) : texts.saved(key);
      await this.#stored(answer.note, answer.warning ? words.shared.sentences([saved, hintText(answer.warning)]) : saved);
    } catch (thrown) {
      this.formFailure = api.toFailure(thrown);
    }
  }

  /** Writes what was to be a new note into the one that is there. */
  async updateExisting(): Promise<void> {
    const existing = this.blocked?.note;
    if (!existing || !this.writing) return;
    this.writing = { ...this.writing, key: existing.key };
    await this.store();
  }

  async archive(note: Note): Promise<void> {
    const lifecycle = note.lifecycle === "active" ? "archived" : "active";
    try {
      await api.editNote(note.key, { lifecycle });
      this.#app.undo.record(lifecycle === "active" ? texts.inUse(note.key) : texts.archived(note.key), async () => {
        await api.editNote(note.key, { lifecycle: note.lifecycle });
        await this.load();
      });
    } catch (thrown) {
      this.#app.showError(thrown);
    }
    await this.load();
  }

  async remove(note: Note): Promise<void> {
    try {
      await api.removeNote(note.key);
      this.#app.toasts.show(texts.removed(note.key));
    } catch (thrown) {
      this.#app.showError(thrown);
    }
    this.selected = null;
    this.#app.refreshShown();
    await this.load();
  }

  async #stored(note: Note, message: string): Promise<void> {
    this.#forget();
    // It must be seen, whatever kind was shown; the form goes once the list that takes the focus is there.
    if (this.kind !== null && this.kind !== note.kind) this.kind = null;
    this.selected = note.key;
    await this.load();
    this.writing = null;
    // An item that it is attached to shows it.
    this.#app.refreshShown();
    this.#app.toasts.show(message);
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#look.invalidate();
    this.similar = null;
    this.blocked = null;
    this.formFailure = null;
  }
}
