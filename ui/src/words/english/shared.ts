import { plural } from "./numbers";

const UNITS = { second: "second", minute: "minute", hour: "hour", day: "day", week: "week", month: "month", year: "year" };
const SHORT_UNITS = { second: "s", minute: "min", hour: "h", day: "d", week: "w", month: "mo", year: "y" };

export const shared = {
  close: "Close",
  retry: "Retry",
  remove: "Remove",
  /** Asks for confirmation. */
  askRemove: "Remove…",
  keep: "Keep",
  sync: "Sync",
  loading: "Loading…",
  defect: "This is a bug in Precedent; please report it.",
  noTitle: "(no title)",
  source: "Source",
  allSources: "All sources",
  updated: "Updated",

  time: {
    now: "just now",
    nowShort: "now",
    ago: (n: number, unit: keyof typeof UNITS) => `${n} ${UNITS[unit]}${n === 1 ? "" : "s"} ago`,
    ahead: (n: number, unit: keyof typeof UNITS) => `in ${n} ${UNITS[unit]}${n === 1 ? "" : "s"}`,
    /** For narrow columns. */
    short: (n: number, unit: keyof typeof UNITS) => `${n}${SHORT_UNITS[unit]}`,
  },

  kinds: { page: "Wiki page", note: "Note" },
  states: {
    open: "Open",
    reopened: "Reopened",
    merged: "Merged",
    notMerged: "Closed without merging",
    closed: "Closed",
    completed: "Closed as completed",
    notPlanned: "Closed as not planned",
    duplicate: "Closed as duplicate",
    /** The tracker's own reason. */
    closedAs: (reason: string) => `Closed: ${reason}`,
  },

  comment: {
    unknownAuthor: "Unknown author",
    bot: "bot",
    edited: "· edited",
    editedAt: (time: string) => `Edited: ${time}`,
    noText: "No text.",
    /** The author may be empty. */
    label: (author: string, verb: string, time: string) => `${author} ${verb} ${time}`.trim(),
    /** The verb between an author and a time. */
    reported: "reported",
    /** For notes, which have no author. */
    written: "Written",
    commented: "commented",
  },
  roles: {
    OWNER: "owner",
    MEMBER: "member",
    COLLABORATOR: "collaborator",
    CONTRIBUTOR: "contributor",
    FIRST_TIME_CONTRIBUTOR: "first-time contributor",
    FIRST_TIMER: "first-timer",
    ANSWER: "accepted answer",
    PRIVATE: "internal",
  },
  /** The kinds of links, seen from their origin and from their target. */
  links: {
    duplicate_of: ["Duplicate of", "Has duplicate"],
    closes: ["Closes", "Closed by"],
    mentions: ["Mentions", "Mentioned in"],
    relates_to: ["Related to", "Related to"],
  },

  showImages: (host: string) => `Show images from ${host}`,
  fold: {
    code: (lines: number, marks = 0) => `Show all ${plural(lines, "line")}${highlightCount(marks)}`,
    quote: (lines: number, marks: number) => `Show the whole quote, about ${plural(lines, "line")}${highlightCount(marks)}`,
    refold: "Show less",
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
    close: "Closing on the tracker",
  },

  /** A name and what it stands for: an item's key and title, an event and its time. */
  named: (name: string, text: string) => `${name}: ${text}`,
  quoted: (text: string) => `“${text}”`,
  sentences: (parts: readonly string[]) => parts.join(" "),
  duration: (ms: number) => `${ms.toFixed(0)} ms`,
  cancel: "Cancel",
  cancelJob: (job: string) => `Cancel: ${job}`,
  stopping: "Stopping…",
  updateIndex: "Update the search index",
};

function highlightCount(marks: number): string {
  return marks > 0 ? ` (${plural(marks, "highlight")})` : "";
}
