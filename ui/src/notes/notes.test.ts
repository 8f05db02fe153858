import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Note, NoteAnswer, NoteDraft } from "../lib/types";
import { AppState } from "../shell/appState.svelte";
import { note as sample } from "../testing/samples";
import type { Notes } from "./notes.svelte";

const note = (key: string): Note => ({ ...sample(1, "plain"), key, title: key, body: "b", tags: [] });
const match = { id: "note#1", title: "t", kind: "lesson" as const, lifecycle: "active" as const, similarity: 0.97, exact: false, differs: [] };

let app: AppState;
let notes: Notes;
let calls: string[];
let drafts: NoteDraft[];

beforeEach(() => {
  calls = [];
  drafts = [];
  mockIPC((command, payload) => {
    calls.push(command);
    const args = payload as Record<string, unknown>;
    if (command === "notes") return [note("note#2"), note("note#1")];
    if (command === "add_note") {
      const draft = args["draft"] as NoteDraft;
      drafts.push(draft);
      const answer: NoteAnswer = draft.force
        ? { outcome: "connected", note: note("note#2"), matches: [match], warning: null }
        : { outcome: "duplicate", note: note("note#1"), matches: [match], warning: null };
      return answer;
    }
    return note(String(args["key"]));
  });
  app = new AppState();
  notes = app.notes;
});
afterEach(() => clearMocks());

it("saves a duplicate note only on request", async () => {
  notes.startDraft({ title: "T", body: "B", tags: "a, b,a" });
  await notes.save();
  expect(notes.existing?.note.key).toBe("note#1");
  expect(notes.draft).not.toBe(null);
  await notes.save(true);
  expect(drafts.map((d) => [d.force, d.tags])).toEqual([[false, ["a", "b"]], [true, ["a", "b"]]]);
  expect([notes.draft, notes.existing, notes.selected]).toEqual([null, null, "note#2"]);
});

it("writes the draft into the existing note", async () => {
  notes.startDraft({ title: "T", body: "B" });
  await notes.save();
  await notes.updateExisting();
  expect(calls.filter((command) => command !== "notes")).toEqual(["add_note", "edit_note"]);
  expect(notes.selected).toBe("note#1");
});

it("saves a note once and keeps a newer draft", async () => {
  notes.startDraft({ title: "T", body: "B" });
  const saving = notes.save(true);
  await notes.save(true);
  notes.startDraft({ title: "Next", attach: ["acme/app#1"] });
  await saving;
  expect([drafts.length, notes.draft?.title, notes.drafts.size]).toEqual([1, "Next", 0]);
});

it("shows a linked note of another kind", async () => {
  mockIPC((_command, payload) => ((payload as { kind: string | null }).kind === null ? [note("note#2"), note("note#1")] : [note("note#1")]));
  notes.kind = "lesson";
  await notes.load();
  await notes.open("note#2");
  expect([notes.note?.key, notes.kind]).toEqual(["note#2", null]);
});

it("continues a draft per note and item", () => {
  notes.startDraft();
  if (notes.draft) notes.draft.title = "Half";
  notes.closeAndReport();
  expect([notes.draft, app.toasts.current?.text]).toEqual([null, "Kept as a draft. Open the form again to continue."]);
  // A note about an item is a separate draft.
  notes.startDraft({ attach: ["acme/app#1"] });
  expect(notes.draft).toMatchObject({ title: "", attach: ["acme/app#1"] });
  if (notes.draft) notes.draft.body = "About one";
  notes.closeAndReport();
  notes.startDraft();
  expect(notes.draft).toMatchObject({ title: "Half", attach: [] });
  notes.startDraft({ attach: ["acme/app#1"] });
  expect(notes.draft).toMatchObject({ body: "About one" });
});

it("keeps no draft without changes", async () => {
  await notes.load();
  notes.startEditing(note("note#1"));
  notes.closeAndReport();
  notes.startDraft();
  notes.closeAndReport();
  expect([notes.drafts.size, app.toasts.current]).toEqual([0, null]);
  notes.startEditing(note("note#1"));
  if (notes.draft) notes.draft.body = "more";
  notes.closeAndReport();
  notes.startEditing(note("note#1"));
  expect(notes.draft?.body).toBe("more");
});

it("restores a discarded draft", async () => {
  notes.startDraft({ title: "T", body: "B" });
  notes.discard();
  expect([notes.draft, notes.drafts.size]).toEqual([null, 0]);
  await app.undo.undo();
  expect(notes.draft).toMatchObject({ title: "T", body: "B" });
});
