// The palette's matching commands and items.

import { words } from "../words";

const texts = words.shell.palette;

export interface Command {
  id: string;
  title: string;
  /** Secondary text in a muted color. */
  detail?: string;
  keywords?: string;
  keys?: readonly string[];
  run: () => void;
}

export interface Section {
  id: string;
  title: string;
  commands: readonly Command[];
}

/** The maximum number of commands listed next to items. */
const MAX_COMMANDS = 6;

/** Scores a title, higher is better; `null` if the letters do not occur in order. */
export function scoreTitle(title: string, input: string): number | null {
  const query = input.toLowerCase().replace(/\s+/g, "");
  if (query === "") return 0;
  const text = title.toLowerCase();
  const position = text.indexOf(input.trim().toLowerCase());
  if (position >= 0) return 1000 - position - text.length / 100;
  let score = 0;
  let index = -1;
  for (const letter of query) {
    const next = text.indexOf(letter, index + 1);
    if (next < 0) return null;
    const startsWord = next === 0 || /[^a-z0-9]/.test(text[next - 1] ?? "");
    score += next === index + 1 ? 4 : startsWord ? 3 : -1;
    index = next;
  }
  // Letters from the middle of words would match anything.
  return score <= 2 * query.length ? null : score - text.length / 100;
}

/** Scores whole words of the detail and the keywords, below any title. */
function scoreKeywords({ detail = "", keywords = "" }: Command, input: string): number | null {
  const words = `${keywords} ${detail}`.toLowerCase().split(/\s+/);
  return words.some((word) => word.startsWith(input.trim().toLowerCase())) ? -100 : null;
}

/** Returns the matching commands, best first; all of them if the input is empty. */
export function matchingCommands(commands: readonly Command[], input: string): Command[] {
  return commands
    .map((command) => ({ command, score: scoreTitle(command.title, input) ?? scoreKeywords(command, input) }))
    .filter((entry): entry is { command: Command; score: number } => entry.score !== null)
    .sort((a, b) => b.score - a.score)
    .map((entry) => entry.command);
}

/** Returns whether the text is a document's key: `acme/app#12`, `acme/app:Page`. */
export function isKey(input: string): boolean {
  return /^[^\s#:]+\/[^\s#:]+(?:#\d+|:\S+)$/.test(input.trim());
}

/** Returns whether the text is only a number, which several sources may have. */
export function isNumber(input: string): boolean {
  return /^#?\d+$/.test(input.trim());
}

/** Returns the sections for a text: a named document, matching commands, items, and a search. */
export function paletteSections(
  all: readonly Section[],
  input: string,
  items: readonly Command[],
  { open, search }: { open: (key: string) => void; search: (text: string) => void },
): Section[] {
  const text = input.trim();
  if (text === "") return [...all];
  const hasItems = (section: Section) => section.id === "pinned" || section.id === "recent";
  const matches = matchingCommands(all.filter((entry) => !hasItems(entry)).flatMap((entry) => entry.commands), text).slice(0, MAX_COMMANDS);
  const matchingItems = matchingCommands(all.filter(hasItems).flatMap((entry) => entry.commands), text).filter((entry) => !items.some((item) => item.detail === entry.detail));
  const itemSection: Section = { id: "items", title: texts.items, commands: [...matchingItems, ...items] };
  const commandSection: Section = { id: "commands", title: texts.name, commands: matches };
  const sections: Section[] = [
    { id: "open", title: texts.open, commands: isKey(text) ? [{ id: "open", title: words.shared.readKey(text), run: () => open(text) }] : [] },
    // A number names an item; letters may name a command.
    ...(isNumber(text) ? [itemSection, commandSection] : [commandSection, itemSection]),
    { id: "search", title: texts.search, commands: [{ id: "search", title: texts.searchFor(text), run: () => search(text) }] },
  ];
  return sections.filter((section) => section.commands.length > 0);
}
