// What the command palette offers for what was typed.

import { words } from "../words";

const said = words.shell.palette;

export interface Command {
  id: string;
  title: string;
  /** A word on it, in quiet letters. */
  detail?: string;
  /** Other words that it is found by. */
  finds?: string;
  keys?: readonly string[];
  run: () => void;
}

export interface Section {
  id: string;
  title: string;
  commands: readonly Command[];
}

/** Beside the items that fit, only the commands that fit best are of use. */
const FITTING = 6;

/** How well a title fits: higher is better; null where it does not. The letters must come in their order. */
export function fit(title: string, typed: string): number | null {
  const wanted = typed.toLowerCase().replace(/\s+/g, "");
  if (wanted === "") return 0;
  const text = title.toLowerCase();
  const whole = text.indexOf(typed.trim().toLowerCase());
  if (whole >= 0) return 1000 - whole - text.length / 100;
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    const startsWord = next === 0 || /[^a-z0-9]/.test(text[next - 1] ?? "");
    score += next === at + 1 ? 4 : startsWord ? 3 : -1;
    at = next;
  }
  // Letters from the middle of words fit anything.
  return score <= 2 * wanted.length ? null : score - text.length / 100;
}

/** How well the other words of a command fit: whole words alone, and worse than any title. */
function aside({ detail = "", finds = "" }: Command, typed: string): number | null {
  const words = `${finds} ${detail}`.toLowerCase().split(/\s+/);
  return words.some((word) => word.startsWith(typed.trim().toLowerCase())) ? -100 : null;
}

/** The commands that fit, the best first; in their own order while nothing is typed. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  return commands
    .map((command) => ({ command, score: fit(command.title, typed) ?? aside(command, typed) }))
    .filter((one): one is { command: Command; score: number } => one.score !== null)
    .sort((a, b) => b.score - a.score)
    .map((one) => one.command);
}

/** The key of a document, if that is what was typed: `acme/app#12`, `#12`, `12`. */
export function documentKey(typed: string): string | null {
  const text = typed.trim();
  return /^(?:[\w.-]+\/[\w.-]+#\d+|#?\d+|[\w.-]+\/[\w.-]+:\S+)$/.test(text) ? text.replace(/^#/, "") : null;
}

/** A number alone, which several sources may have: which one is meant is told by what is found. */
export function isNumber(typed: string): boolean {
  return /^#?\d+$/.test(typed.trim());
}

/** What is offered for what is typed: everything before it, then a document that is named, what fits, items, a search. */
export function answers(
  all: readonly Section[],
  typed: string,
  items: readonly Command[],
  { open, search }: { open: (key: string) => void; search: (text: string) => void },
): Section[] {
  const text = typed.trim();
  if (text === "") return [...all];
  const key = isNumber(text) ? null : documentKey(text);
  const isOfItems = (section: Section) => section.id === "pinned" || section.id === "recent";
  const fitting = matching(all.filter((one) => !isOfItems(one)).flatMap((one) => one.commands), text).slice(0, FITTING);
  const known = matching(all.filter(isOfItems).flatMap((one) => one.commands), text).filter((one) => !items.some((item) => item.detail === one.detail));
  const ofItems: Section = { id: "items", title: said.items, commands: [...known, ...items] };
  const ofCommands: Section = { id: "commands", title: said.commands, commands: fitting };
  const sections: Section[] = [
    { id: "open", title: said.open, commands: key ? [{ id: "open", title: words.shared.readKey(key), run: () => open(key) }] : [] },
    // A number names an item; letters may as well name a command.
    ...(isNumber(text) ? [ofItems, ofCommands] : [ofCommands, ofItems]),
    { id: "search", title: said.search, commands: [{ id: "search", title: said.searchFor(text), run: () => search(text) }] },
  ];
  return sections.filter((section) => section.commands.length > 0);
}
