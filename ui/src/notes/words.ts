// The words of the notebook.

import type { NoteKind, NoteMatch } from "../lib/types";

export const KINDS: Record<NoteKind, { name: string; about: string }> = {
  lesson: { name: "Lesson", about: "something that was learnt" },
  curiosity: { name: "Curiosity", about: "a question worth following" },
  thesis: { name: "Thesis", about: "a claim to be tested" },
  signal: { name: "Signal", about: "something that was observed" },
  episode: { name: "Episode", about: "what happened, once" },
  watchpoint: { name: "Watchpoint", about: "what to keep an eye on" },
  summary: { name: "Summary", about: "of other things" },
};

/** How near a note is to what was written. */
export function nearness(match: NoteMatch | undefined): string {
  if (!match) return "the same";
  return match.exact ? "word for word" : "says much the same";
}
