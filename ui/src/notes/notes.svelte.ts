// The notebook: the notes, the one that is read or written, and what was found when one was to be stored.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Failure, Note, NoteAnswer, NoteDraft, NoteKind, SimilarNotes } from "../lib/types";
import type { Desk } from "../shell/desk.svelte";

export interface Writing {
  /** The note that is changed; none for a new one. */
  key: string | null;
  kind: NoteKind;
  title: string;
  body: string;
  tags: string;
  attach: string[];
}

const LOOK_AFTER = 450;
/** What is looked for before it is stored; the other kinds record moments, and moments repeat. */
export const CHECKED: ReadonlySet<NoteKind> = new Set<NoteKind>(["lesson", "curiosity"]);

/** Tags as typed: apart by commas. */
export function tags(typed: string): string[] {
  return [...new Set(typed.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

export class Notes {
  kind = $state<NoteKind | null>(null);
  all = $state.raw<readonly Note[]>([]);
  loaded = $state(false);
  failure = $state.raw<Failure | null>(null);
  selected = $state<string | null>(null);
  writing = $state<Writing | null>(null);
  /** Notes like the one that is being written. */
  similar = $state.raw<SimilarNotes | null>(null);
  /** Why the note was not stored: it is there already. */
  blocked = $state.raw<NoteAnswer | null>(null);
  formFailure = $state.raw<Failure | null>(null);

  #desk: Desk;
  #list = new Latest();
  #look = new Latest();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get note(): Note | null {
    return this.all.find((note) => note.key === this.selected) ?? this.all[0] ?? null;
  }

  async load(): Promise<void> {
    const isCurrent = this.#list.begin();
    try {
      const all = await api.notes(this.kind);
      if (!isCurrent()) return;
      this.all = all;
      this.failure = null;
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    }
    if (isCurrent()) this.loaded = true;
  }

  show(kind: NoteKind | null): void {
    this.kind = kind;
    void this.load();
  }

  move(by: number): void {
    const at = this.all.findIndex((note) => note.key === this.note?.key);
    this.selected = this.all[Math.min(Math.max(at + by, 0), this.all.length - 1)]?.key ?? null;
  }

  startWriting(start: Partial<Writing> = {}): void {
    this.#desk.go("notes");
    this.#forget();
    this.writing = { key: null, kind: "lesson", title: "", body: "", tags: "", attach: [], ...start };
  }

  startEditing(note: Note): void {
    this.startWriting({ key: note.key, kind: note.kind, title: note.title, body: note.body, tags: note.tags.join(", ") });
  }

  stopWriting(): void {
    this.#forget();
    this.writing = null;
  }

  /** The text has changed: looks a moment later whether the same is there. */
  changed(): void {
    this.blocked = null;
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

  /** Stores what is written, or says why not. */
  async store(force = false): Promise<void> {
    const writing = this.writing;
    if (!writing) return;
    this.formFailure = null;
    try {
      if (writing.key !== null) {
        const note = await api.editNote(writing.key, {
          title: writing.title, body: writing.body, tags: tags(writing.tags), attach: writing.attach,
        });
        await this.#stored(note, `${note.key} is changed.`);
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
      const others = answer.matches.map((match) => match.id).join(", ");
      const how = answer.outcome === "connected" && others ? ` and connected with ${others}` : "";
      await this.#stored(answer.note, `${answer.note.key} is stored${how}.${answer.warning ? ` ${answer.warning}` : ""}`);
    } catch (thrown) {
      this.formFailure = api.failure(thrown);
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
      this.#desk.toasts.say(`${note.key} is ${lifecycle === "active" ? "in use again" : "archived"}.`, () => {
        void this.archive({ ...note, lifecycle });
      });
    } catch (thrown) {
      this.#desk.say(thrown);
    }
    await this.load();
  }

  async remove(note: Note): Promise<void> {
    try {
      await api.removeNote(note.key);
      this.#desk.toasts.say(`${note.key} is removed.`);
    } catch (thrown) {
      this.#desk.say(thrown);
    }
    this.selected = null;
    await this.load();
  }

  async #stored(note: Note, words: string): Promise<void> {
    this.stopWriting();
    // It must be seen, whatever kind was shown.
    if (this.kind !== null && this.kind !== note.kind) this.kind = null;
    this.selected = note.key;
    this.#desk.toasts.say(words);
    await this.load();
  }

  #forget(): void {
    clearTimeout(this.#timer);
    this.#look.forget();
    this.similar = null;
    this.blocked = null;
    this.formFailure = null;
  }
}
