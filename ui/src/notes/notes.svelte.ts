// The notes: the list, the note being written, and notes similar to it.

import { SvelteMap } from "svelte/reactivity";
import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import { LatestRequest, wait } from "../lib/latestRequest";
import type { Failure, Note, NoteAnswer, NoteKind, NoteMatch, SimilarNotes } from "../lib/types";
import type { AppState } from "../shell/appState.svelte";
import { words } from "../words";

const texts = words.notes.toasts;

export interface NoteDraftState {
  /** The edited note; `null` for a new one. */
  key: string | null;
  kind: NoteKind;
  title: string;
  body: string;
  tags: string;
  attach: string[];
  /** The text before a paste. Only this is stored until the note is saved. */
  beforePaste: Pick<NoteDraftState, "title" | "body" | "tags"> | null;
}

export const EMPTY_DRAFT: NoteDraftState = { key: null, kind: "lesson", title: "", body: "", tags: "", attach: [], beforePaste: null };

/** Returns the key of a draft; each note and item has one draft. */
function draftKey({ key, attach }: Pick<NoteDraftState, "key" | "attach">): string {
  return key ?? ["new", ...attach].join(" ");
}

export const NOTE_KINDS: Record<NoteKind, { name: string; about: string }> = words.notes.kinds;

/** Returns how similar a note is to the draft. */
export function similarityLabel(match: NoteMatch | undefined): string {
  const { identical, sameWording, similarWording } = words.notes.form;
  if (!match) return identical;
  return match.exact ? sameWording : similarWording;
}

const CHECK_DELAY = 450;
/** Kinds checked for duplicates; the others record events, which may repeat. */
export const CHECKED_KINDS: ReadonlySet<NoteKind> = new Set<NoteKind>(["lesson", "curiosity", "article"]);

function parseTags(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
}

export class Notes extends EngineRequest {
  kind = $state<NoteKind | null>(null);
  all = $state.raw<readonly Note[]>([]);
  loaded = $state(false);
  selected = $state<string | null>(null);
  draft = $state<NoteDraftState | null>(null);
  similar = $state.raw<SimilarNotes | null>(null);
  /** The existing note that prevented saving. */
  existing = $state.raw<NoteAnswer | null>(null);
  formFailure = $state.raw<Failure | null>(null);
  readonly drafts = new SvelteMap<string, NoteDraftState>();

  #similarRequest = new LatestRequest();
  #saving: NoteDraftState | null = null;

  constructor(private readonly app: AppState) {
    super();
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

  move(delta: number): void {
    const index = this.all.findIndex((note) => note.key === this.note?.key);
    this.selected = this.all[Math.min(Math.max(index + delta, 0), this.all.length - 1)]?.key ?? null;
  }

  /** Shows a note, also if the filter hides it. */
  async open(key: string): Promise<void> {
    this.closeForm();
    this.selected = key;
    if (!this.all.some((note) => note.key === key)) {
      this.kind = null;
      await this.load();
    }
  }

  /** Opens the form for a new note, with its draft if there is one. */
  startDraft(fields: Partial<NoteDraftState> = {}): void {
    this.#openForm({ ...EMPTY_DRAFT, ...fields });
  }

  startEditing(note: Note): void {
    const { key, kind, title, body } = note;
    this.#openForm({ ...EMPTY_DRAFT, key, kind, title, body, tags: note.tags.join(", ") });
  }

  /** Whether there is a draft of a new note without an item. */
  get hasNewDraft(): boolean {
    return this.drafts.has(draftKey({ key: null, attach: [] }));
  }

  /** The drafts that may be stored, oldest first, without pasted text. */
  get storableDrafts(): readonly NoteDraftState[] {
    const all = [...this.drafts.values(), ...(this.draft ? [$state.snapshot(this.draft)] : [])];
    return all.map((entry) => ({ ...entry, ...entry.beforePaste, beforePaste: null })).filter((entry) => this.#isWorthKeeping(entry));
  }

  restoreDrafts(drafts: readonly NoteDraftState[]): void {
    this.drafts.clear();
    for (const entry of drafts) this.drafts.set(draftKey(entry), entry);
  }

  rememberBeforePaste(): void {
    if (!this.draft || this.draft.beforePaste) return;
    const { title, body, tags } = this.draft;
    this.draft.beforePaste = { title, body, tags };
  }

  #openForm(current: NoteDraftState): void {
    this.app.go("notes");
    this.closeForm();
    this.draft = { ...(this.drafts.get(draftKey(current)) ?? current) };
    this.drafts.delete(draftKey(current));
  }

  /** Closes the form and keeps a draft of unsaved changes. Returns whether there were any. */
  closeForm(): boolean {
    const current = this.#takeDraft();
    if (current) this.drafts.set(draftKey(current), current);
    return current !== null;
  }

  /** Closes the form and returns its unsaved changes, if any. */
  #takeDraft(): NoteDraftState | null {
    const current = this.draft && $state.snapshot(this.draft);
    this.#resetForm();
    this.draft = null;
    return current && this.#isWorthKeeping(current) ? current : null;
  }

  closeAndReport(): void {
    if (this.closeForm()) this.app.toasts.show(texts.kept);
  }

  discard(): void {
    const current = this.#takeDraft();
    if (!current) return;
    const message = current.key === null ? texts.draftDiscarded : texts.changesDiscarded(current.key);
    this.app.undo.record(message, () => this.#openForm(current));
  }

  #isWorthKeeping(current: NoteDraftState): boolean {
    const note = this.all.find((entry) => entry.key === current.key);
    const original = note ? [note.title, note.body, note.tags.join(", ")] : ["", "", ""];
    return [current.title, current.body, current.tags].some((text, index) => text.trim() !== original[index]?.trim());
  }

  /** Looks for similar notes shortly after a change. */
  async checkSimilar(): Promise<void> {
    this.existing = null;
    this.formFailure = null;
    const current = this.draft;
    const isCurrent = this.#similarRequest.begin();
    if (!current || current.key !== null || !CHECKED_KINDS.has(current.kind) || !current.title.trim() || !current.body.trim()) {
      this.similar = null;
      return;
    }
    const { kind, title, body } = current;
    await wait(CHECK_DELAY);
    if (!isCurrent()) return;
    // An incomplete note may be invalid; only saving reports errors.
    const similar = await api.similarNotes(kind, title, body).catch(() => this.similar);
    if (isCurrent()) this.similar = similar;
  }

  /** Saves the note, or shows the existing note or the error that prevented it. */
  async save(force = false): Promise<void> {
    const current = this.draft;
    if (!current || current === this.#saving) return;
    this.#saving = current;
    this.formFailure = null;
    const { kind, title, body, attach } = current;
    const fields = { title, body, tags: parseTags(current.tags), attach };
    try {
      if (current.key !== null) {
        const note = await api.editNote(current.key, fields);
        await this.#showSaved(current, note, texts.saved(note.key));
        return;
      }
      const answer = await api.addNote({ kind, ...fields, force });
      if (answer.outcome === "duplicate") {
        this.existing = answer;
        this.similar = null;
        return;
      }
      const { key } = answer.note;
      const others = words.shared.list(answer.matches.map((match) => match.id));
      const message = answer.outcome === "connected" && others ? texts.savedConnected(key, others) : texts.saved(key);
      await this.#showSaved(current, answer.note, answer.warning ? words.shared.sentences([message, answer.warning]) : message);
    } catch (error) {
      this.formFailure = api.toFailure(error);
    } finally {
      this.#saving = null;
    }
  }

  /** Saves the draft as a new version of the existing note. */
  async updateExisting(): Promise<void> {
    const existing = this.existing?.note;
    if (!existing || !this.draft) return;
    this.draft = { ...this.draft, key: existing.key };
    await this.save();
  }

  async archive(note: Note): Promise<void> {
    const lifecycle = note.lifecycle === "active" ? "archived" : "active";
    await this.app.attempt(async () => {
      await api.editNote(note.key, { lifecycle });
      this.app.undo.record(lifecycle === "active" ? texts.inUse(note.key) : texts.archived(note.key), async () => {
        await api.editNote(note.key, { lifecycle: note.lifecycle });
        await this.load();
      });
    });
    await this.load();
  }

  async remove(note: Note): Promise<void> {
    await this.app.attempt(async () => {
      await api.removeNote(note.key);
      this.app.toasts.show(texts.removed(note.key));
    });
    this.selected = null;
    this.app.refreshVisible();
    await this.load();
  }

  async #showSaved(saved: NoteDraftState, note: Note, message: string): Promise<void> {
    // Another form may have been opened meanwhile, which stays.
    this.drafts.delete(draftKey(saved));
    if (this.draft === saved) this.#resetForm();
    // Show the note whatever filter is set; the form closes once the list can take the focus.
    if (this.kind !== null && this.kind !== note.kind) this.kind = null;
    this.selected = note.key;
    await this.load();
    if (this.draft === saved) this.draft = null;
    // The linked item shows the note.
    this.app.refreshVisible();
    this.app.toasts.show(message);
  }

  #resetForm(): void {
    this.#similarRequest.invalidate();
    this.similar = null;
    this.existing = null;
    this.formFailure = null;
  }
}
