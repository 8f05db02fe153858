import { plural } from "./numbers";

const THINGS = { second: "second", minute: "minute", hour: "hour", day: "day", week: "week", month: "month", year: "year" };
const SHORT = { second: "s", minute: "min", hour: "h", day: "d", week: "w", month: "mo", year: "y" };

export const shared = {
  close: "Close",
  retry: "Retry",
  loading: "Loading…",
  defect: "This is a bug in Precedent; please report it.",
  noTitle: "(no title)",
  source: "Source",
  allSources: "All sources",
  updated: "Updated",

  /** What does here what a command of the command line does. */
  remedies: {
    repair: "A repair fixes this.",
    rebuild: "The search index can be rebuilt.",
    models: "See the models in Settings.",
    sources: "See its source in Sources.",
    add: "Add a source first.",
    notes: "See Notes.",
    other: "Use the command line for this.",
  },

  /** What a time is of, before the exact time. */
  timeOf: (what: string, time: string) => `${what}: ${time}`,
  time: {
    now: "just now",
    nowShort: "now",
    ago: (n: number, unit: keyof typeof THINGS) => `${n} ${THINGS[unit]}${n === 1 ? "" : "s"} ago`,
    ahead: (n: number, unit: keyof typeof THINGS) => `in ${n} ${THINGS[unit]}${n === 1 ? "" : "s"}`,
    /** For a narrow column. */
    short: (n: number, unit: keyof typeof THINGS) => `${n}${SHORT[unit]}`,
    /** For a bar. */
    briefly: (n: number, unit: keyof typeof THINGS) => `${n} ${SHORT[unit]} ago`,
  },

  kinds: { issue: "Issue", pull_request: "Pull request", page: "Wiki page", note: "Note" },
  states: {
    open: "Open",
    reopened: "Reopened",
    merged: "Merged",
    notMerged: "Closed without merging",
    closed: "Closed",
    completed: "Closed as completed",
    notPlanned: "Closed as not planned",
    duplicate: "Closed as duplicate",
    /** Closed for a reason in a tracker's own words. */
    closedAs: (reason: string) => `Closed: ${reason}`,
  },

  comment: {
    unknownAuthor: "Unknown author",
    bot: "bot",
    edited: "· edited",
    editedAt: (time: string) => `Edited: ${time}`,
    noText: "No text.",
    /** The author may be empty. */
    label: (author: string, verb: string, when: string) => `${author} ${verb} ${when}`.trim(),
    /** What somebody did with a text, after their name and before the time. */
    reported: "reported",
    /** Of a note, which names nobody. */
    written: "Written",
    commented: "commented",
  },
  standings: {
    OWNER: "owner",
    MEMBER: "member",
    COLLABORATOR: "collaborator",
    CONTRIBUTOR: "contributor",
    FIRST_TIME_CONTRIBUTOR: "first-time contributor",
    FIRST_TIMER: "first-timer",
    ANSWER: "accepted answer",
    PRIVATE: "internal",
  },
  links: {
    duplicateOf: "Duplicate of",
    hasDuplicate: "Has duplicate",
    closes: "Closes",
    closedBy: "Closed by",
    mentions: "Mentions",
    mentionedIn: "Mentioned in",
    relatedTo: "Related to",
  },

  showImages: (host: string) => `Show images from ${host}`,
  fold: {
    code: (lines: number, marks: number) => `Show all ${plural(lines, "line")}${withMarks(marks)}`,
    quote: (lines: number, marks: number) => `Show the whole quote, about ${plural(lines, "line")}${withMarks(marks)}`,
    again: "Show less",
  },
  readKey: (key: string) => `Read ${key}`,

  issues: (n: number) => plural(n, "issue"),
  pullRequests: (n: number) => plural(n, "pull request"),
  pages: (n: number) => plural(n, "wiki page"),
  comments: (n: number) => plural(n, "comment"),
  list: (parts: readonly string[]) => parts.join(", "),
  empty: "empty",

  phases: {
    import: "Importing",
    sync: "Fetching",
    read: "Reading",
    wait: "Waiting for the tracker",
    full_text: "Indexing text",
    merge: "Optimizing the index",
    chunk: "Preparing semantic search",
    embed: "Indexing for semantic search",
    download: "Downloading the model",
    triage: "Checking for duplicates",
    calibrate: "Tuning on known duplicates",
    evaluate: "Evaluating",
    close: "Closing at the tracker",
  },

  /** An item by its key and its title. */
  named: (key: string, title: string) => `${key}: ${title}`,
  quoted: (text: string) => `“${text}”`,
  sentences: (parts: readonly string[]) => parts.join(" "),
  /** How long an answer took. */
  took: (ms: number) => `${ms.toFixed(0)} ms`,
  cancel: "Cancel",
  /** `job` says what is being done. */
  cancelWhat: (job: string) => `Cancel: ${job}`,
  stopping: "Stopping…",
  updateIndex: "Update the search index",
};

function withMarks(marks: number): string {
  return marks > 0 ? `, with ${plural(marks, "mark")}` : "";
}
