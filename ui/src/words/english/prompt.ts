import { plural } from "./numbers";

export const prompt = {
  name: "Ask Precedent",
  question: "What happened?",
  example: "A few words, an error message, an email, a key",

  fromClipboard: (text: string) => `From the clipboard: ${text}`,
  readAs: (kind: string) => `Read as ${kind}`,
  emptyCasebook: "The casebook is empty. Add a source in Precedent first.",
  localOnly: "Everything stays on this machine.",
  kinds: { key: "a key", link: "a link", log: "a log", trace: "a stack trace", mail: "an email", words: "a search", text: "text" },
  linkTo: (key: string) => `a link to ${key}`,
  withLines: (kind: string, lines: number) => `${kind}, ${plural(lines, "line")}`,

  answers: "Answers",
  parts: { known: "Known", solved: "Solved", wiki: "Wiki" },
  announcement: (part: string, headline: string, title: string) => `${part}: ${headline}, ${title}.`,
  searching: "Searching",
  searchingShown: "Searching…",
  nothingFound: "No matching report.",
  nothingKnown: "No known report matches.",
  nothingSolved: "No solved case matches.",
  nothingInWiki: "No wiki page matches.",
  wikiSkipped: "Not searched, because the solved case is likely to help.",

  knownDuplicate: (canonical: string) => `Known duplicate of ${canonical}`,
  fixedBy: (key: string, title: string) => (title === "" ? `Fixed by ${key}` : `Fixed by ${key}: ${title}`),

  actions: {
    open: "Open Precedent",
    item: (key: string) => `Open ${key}`,
    triage: (key: string) => `Review the duplicates of ${key}`,
    ask: "Show everything known about it",
  },

  keys: {
    name: "Keys",
    choose: "Choose",
    accept: "Accept",
    open: "Open",
    hide: "Hide",
  },
  copied: (items: number) => `Copied a reply that cites ${plural(items, "item")}.`,
  stillLoading: "The answers are still loading.",
  nothingToCite: "There is nothing to cite.",

  /** The sentences of a copied reply, addressed to a reporter. `report` is the result of `cited`. */
  reply: {
    cited: (title: string, key: string) => `“${title}” (${key})`,
    bands: {
      high: (report: string) => `This is a duplicate of ${report}.`,
      likely: (report: string) => `This is likely a duplicate of ${report}.`,
      possible: (report: string) => `This is possibly a duplicate of ${report}.`,
      related: (report: string) => `This is related to ${report}.`,
      none: (report: string) => `This is probably not a duplicate of ${report}.`,
    },
    knownDuplicate: (report: string) => `This is a known duplicate of ${report}.`,
    /** `status` is like "fixed in 3.3.0". */
    status: (status: string) => `Status: ${status}.`,
    see: (report: string) => `See ${report}.`,
    solvedBefore: (report: string) => `A similar case was solved: ${report}.`,
    /** The fix is tracker text, which may end with its own period. */
    solved: (report: string, fix: string) => `${report} was solved: ${/[.!?…]$/.test(fix) ? fix : `${fix}.`}`,
    wiki: (page: string) => `See the wiki page ${page}.`,
  },
};
