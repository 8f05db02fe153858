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
  [/Run `precedent doctor --repair`: it (keeps|names)/g, "A repair $1", "repair"],
  [/Run `precedent doctor --repair` to repair them/g, "A repair fixes them", "repair"],
  [/Run `precedent doctor --repair` to rebuild them/g, "A repair rebuilds them", "repair"],
  [/`?precedent doctor --repair`? keeps/g, "A repair keeps", "repair"],
  [/^`?precedent doctor --repair`?$/g, "A repair fixes it", "repair"],
  [/To remove a note: precedent note remove \S+/g, "Remove a note in Notes", "notes"],
  [/Run `precedent index --rebuild` to rebuild it/g, "It can be rebuilt", "rebuild"],
  [/(?:, such as one from `precedent backup`)?: precedent restore FILE/g, " from its file"],
  [/Check what the token can read: precedent source test \S+(?=\.)/g, "Check in Sources what the token can read", "sources"],
  [/: precedent sync \S+ --full --hide-gone/g, ", hide them with the command line"],
  [/Sync the source again: precedent sync --full/g, "Run a full sync of the source", "sources"],
  [/Run `precedent model list(?: --catalog)?` to list (all|installed) models/g, "Settings list $1 models", "models"],
  [/To use it: precedent model use \S+/g, "Switch to it in Settings", "models"],
  [/Switch to another model first: precedent model use NAME/g, "Switch to another model first", "models"],
  [/switch back: precedent model use builtin/g, "switch back to the built-in model", "models"],
  [/Install it first: precedent model install \S+/g, "Install it first, in Settings", "models"],
  [/or first run: precedent model remove (\S+)/g, "or remove $1 first", "models"],
  [/, then run: precedent model import DIR/g, ", and import their folder here", "models"],
  [/Run `precedent note list` to list all notes/g, "Notes lists all notes", "notes"],
  [/Run `precedent verdict list` to list all decisions/g, "It may have been undone already"],
  [/or first run: precedent verdict undo (\S+) (\S+)/g, "or first undo the decision about $1 and $2"],
  [/Run `precedent calibrate (\S+)` to update it/g, "Tune $1 again in Sources", "sources"],
  [/, or reset the settings: precedent config reset/g, ", or reset the settings"],
  [/; `precedent search` shows them/g, "; Search shows them"],
  [/Import one first: precedent import .*/g, "Add one first.", "add"],
  [/Remove it first: precedent source remove (\S+)/g, "Remove $1 first", "sources"],
  [/(?:, run)?: precedent source trust (\S+)/g, ", say so in Sources", "sources"],
  [/To sync it with its tracker: precedent source add \S+/g, "To sync it with its tracker, add it as a new source", "add"],
  [/(?: with|, then run)?: precedent import casebook FILE/g, " with the command line"],
  [/Import a file written by `precedent export` with `precedent import casebook`/g, "An exported casebook is imported with the command line"],
  [/a complete file written by `precedent export`/g, "a complete exported casebook file"],
  [/a file written by `precedent export`/g, "an exported casebook file"],
  [/search will find it only after the next `precedent index`/g, "search will find it only once the search index is up to date", "rebuild"],
  [/To use another folder: --casebook DIR\..*/g, "Start Precedent with another folder, or add a source here.", "add"],
  [/(?:[Ss]ign in with `gh auth login`, or set GH_TOKEN|sign in with `gh auth login`)/g, "use another token", "sources"],
  [/Create a new token, or sign in again: gh auth login/g, "Create a new token and save it with its source", "sources"],
  [/, or for GitHub, run `gh auth login`| \(gh auth login\)/g, ""],
  [/, or use --force to overwrite it| and point to it with --casebook/g, ""],
  [/ with --(?:casebook(?: DIR)?|name NAME)/g, ""],
  [/Run `precedent config list` to list/g, "The documentation lists"],
  [/To restore a backup written by `precedent backup`: precedent restore \S+/g, "To restore a backup, use the command line"],
  [/a file written by `precedent backup`/g, "a backup file"],
  [/; `precedent status` shows its progress/g, "; the status bar shows its progress"],
  [/ and set its columns with --map/g, ""],
  [/; (?:use --dry-run|set it with --map) .*/g, "."],
  [/(?:,? and save it(?: with its owner's email as \S+)?)?: precedent login \S+/g, ". Its source takes it", "sources"],
  [/Set it with --map title=COLUMN/g, "Choose its column"],
  [/: --as owner\/name/g, ""],
  [/the --host that users/g, "the host that users"],
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
