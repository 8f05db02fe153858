// What the notebook says of a note.

import type { NoteKind, NoteMatch } from "../lib/types";
import { words } from "../words";

export const KINDS: Record<NoteKind, { name: string; about: string }> = words.notes.kinds;

/** How near a note is to what was written. */
export function nearness(match: NoteMatch | undefined): string {
  const { muchTheSame, same, wordForWord } = words.notes.form;
  if (!match) return same;
  return match.exact ? wordForWord : muchTheSame;
}
