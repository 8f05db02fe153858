// Hints as the window gives them. The engine speaks to all faces, and names commands of the command line where one helps; here
// they become something to press, or words without a command.

/** What a button beside a hint does. */
export type Remedy = "repair" | "rebuild" | "models" | "sources" | "add" | "notes";

export interface Hint {
  words: string;
  remedy: Remedy | null;
}

type Rule = readonly [said: RegExp, instead: string, remedy?: Remedy];

const RULES: readonly Rule[] = [
  [/Run `precedent doctor --repair`: it keeps/g, "A repair keeps", "repair"],
  [/Run `precedent doctor --repair`: it names/g, "A repair names", "repair"],
  [/Remove a note: precedent note remove \S+/g, "Remove a note in Notes", "notes"],
  [/`?precedent doctor --repair`? makes/g, "A repair makes", "repair"],
  [/Run `precedent doctor`(?: to see what is wrong)?/g, "A repair keeps a copy and mends what can be mended", "repair"],
  [/`precedent doctor` says/g, "A check says", "repair"],
  [/^`?precedent doctor --repair`?$/g, "A repair mends it", "repair"],
  [/Run `precedent index --rebuild`; it is made/g, "It can be made", "rebuild"],
  [/(?:, such as `precedent backup` writes)?: precedent restore FILE/g, " of its file"],
  [/Sync their source again: precedent sync --full/g, "Read their source again, whole", "sources"],
  [/`precedent model list(?: --catalog)?` shows (all|those that are there)/g, "Settings show $1", "models"],
  [/To use it: precedent model use \S+/g, "Let it answer in Settings", "models"],
  [/Let another one answer first: precedent model use NAME/g, "Let another one answer first", "models"],
  [/go back: precedent model use builtin/g, "let the built-in one answer", "models"],
  [/Fetch it first: precedent model install \S+/g, "Fetch it first, in Settings", "models"],
  [/or first: precedent model remove (\S+)/g, "or remove $1 first", "models"],
  [/, and: precedent model import DIR/g, ", and bring their folder in here", "models"],
  [/`precedent note list` shows/g, "Notes show", "notes"],
  [/`precedent verdict list` shows what was/g, "Somebody may have taken it back already"],
  [/or first: precedent verdict undo (\S+) (\S+)/g, "or first take back what was decided about $1 and $2"],
  [/`precedent calibrate (\S+)` makes it anew/g, "Tune $1 again in Sources", "sources"],
  [/, or set the file aside: precedent config reset/g, ", or set the file aside"],
  [/; `precedent search` prints them/g, "; Search shows them"],
  [/Import one first: precedent import .*/g, "Add one first.", "add"],
  [/Remove it first: precedent source remove (\S+)/g, "Remove $1 first", "sources"],
  [/: precedent source trust (\S+)/g, ", say so in Sources", "sources"],
  [/To mirror it live: precedent source add \S+/g, "To mirror it live, add it as a source of its own", "add"],
  [/: precedent import casebook FILE/g, ", with the command line"],
  [/that `precedent export` wrote/g, "of a casebook"],
  [/will be found after the next `precedent index`/g, "will be found once the search index is up to date", "rebuild"],
  [/To look elsewhere: --casebook DIR\..*/g, "Start Precedent with another folder, or add a source here.", "add"],
  [/(?:[Ss]ign in with `gh auth login`, or set GH_TOKEN|sign in with `gh auth login`)/g, "give another token", "sources"],
  [/or sign in again: gh auth login/g, "and give it to its source", "sources"],
  [/,? and for GitHub also from `gh auth login`| \(gh auth login\)/g, ""],
  [/ with --(?:casebook(?: DIR)?|force)/g, ""],
  [/, or begin one: precedent import sample/g, ""],
  [/`precedent config list` shows/g, "The documentation lists"],
  [/that `precedent backup` wrote/g, "that was written as a copy"],
  [/; `precedent status` shows how far it is/g, "; the status bar shows how far it is"],
  [/; --(?:dry-run|map) .*/g, "."],
  [/: precedent login \S+/g, ". Its source takes it", "sources"],
  [/ is gone back to: precedent restore \S+/g, " is gone back to with the command line"],
  [/: --(?:map title=COLUMN|name NAME)/g, ""],
  [/: --as owner\/name/g, ""],
  [/run the command again/g, "try again"],
];

/** What still names a command, whatever it is: a sentence that nobody can follow here is left out. */
const COMMAND =
  /`precedent |\bprecedent (?:backup|brief|calibrate|config|doctor|duplicates|export|import|index|login|mcp|model|note|restore|schema|search|show|source|status|sync|triage|troubleshoot|verdict)\b|(?:^|\s)--[a-z]|\bgh auth login/;

const SENTENCES = /(?<=[.!?])\s+(?=\p{Lu})/u;

export function hint(text: string): Hint {
  let words = text;
  let remedy: Remedy | null = null;
  for (const [said, instead, does] of RULES) {
    const before = words;
    words = words.replace(said, instead);
    if (words !== before) remedy ??= does ?? null;
  }
  words = words.split(SENTENCES).filter((one) => !COMMAND.test(one)).join(" ");
  return { words: words.slice(0, 1).toUpperCase() + words.slice(1), remedy };
}

/** The words of a hint alone, for where nothing can be pressed. */
export function hinted(text: string | null): string {
  return text === null ? "" : hint(text).words;
}
