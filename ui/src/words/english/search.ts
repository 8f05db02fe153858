import { count, plural } from "./numbers";

export const search = {
  placeholder: "What happened? A few words, an error message, a whole log",
  sortBy: (order: string) => `Sort by: ${order.toLowerCase()}`,
  save: "Save this search",
  forget: "Remove this saved search",
  saved: (query: string) => `Saved the search “${query}”.`,
  noLongerSaved: (query: string) => `Removed the saved search “${query}”.`,
  /** The tooltip of a saved search; `hasMore`: there may be more results. */
  searchTotal: (query: string, total: number, hasMore: boolean) => `${query}: ${plural(total, "document")}${hasMore ? " or more" : ""}`,

  filters: {
    label: "Filters",
    issues: "Issues",
    pullRequests: "Pull requests",
    pages: "Wiki",
    pasted: "Pasted text is searched as is",
    remove: (filter: string) => `Remove the filter ${filter}`,
    /** `filter` is a word of the query language, like "label". */
    not: (filter: string) => `not ${filter}`,
  },

  order: {
    label: "Sort results",
    title: "Sort results (s)",
    best: "Best match",
    newest: "Newest",
    changed: "Recently updated",
    comments: "Most comments",
  },
  results: {
    label: "Results",
    documents: (n: number) => plural(n, "document"),
    found: (n: number) => plural(n, "result"),
    top: (n: number) => `Top ${n} results`,
    /** Follows the number of documents. */
    recentFirst: "most recently updated first",
    more: "Show more results",
    nothing: "No results.",
    nothingSoFar: "No results so far.",
    nothingYet: "No results yet.",
    nothingWithFilters: "No results with these filters. Try without them.",
    removeFilters: "Clear filters",
    tryOther: "Try fewer or different words, an error code, or a phrase in quotes.",
    loading: "Loading",
    /** For screen readers, after the number of comments. */
    comments: (n: number) => (n === 1 ? "comment" : "comments"),
    /** Before an excerpt of a comment. */
    author: (author: string) => `${author}:`,
    /** The scores by keywords, meaning and error. */
    keywordScore: (score: string) => `keywords ${score}`,
    semanticScore: (score: string) => `semantic ${score} of 1`,
    errorScore: (score: string) => `same error ${score}`,
  },

  start: {
    choose: "Choose a result to read it here, or ask:",
    questions: "Questions to start with",
    reported: "Was this reported before?",
    solved: "Was this solved before?",
    reopened: "Which reports were reopened?",
    forgetSearch: (query: string) => `Remove the saved search ${query}`,
    recent: "Recently read",
    keys: "`↓` `↑` to move, `Enter` to read, `Shift D` for duplicates, `Shift S` for solved cases, `Ctrl K` for commands, `?` for all keys",
  },

  bar: {
    results: "← Results",
    otherToTheLeft: "Other pane (h)",
    otherToTheRight: "Other pane (l)",
    back: "Back (b or Alt ←)",
    tracker: "Open in tracker",
    trackerByKey: "Open in the tracker (o)",
    close: "Close this pane",
    closeByKey: "Close this pane (Esc)",
    toTop: "Back to top",
  },
  fix: {
    fixedBy: (key: string) => `Fixed by ${key}`,
    duplicateOf: (key: string) => `Duplicate of ${key}`,
    answer: "Accepted answer",
    proposedIn: (key: string) => `Fix proposed in ${key}`,
  },

  thread: {
    label: "Reading",
    byline: { issue: "Issue by {author}", pull_request: "Pull request by {author}", page: "Written by {author}", note: "Written by {author}" },
    opened: "opened {time}",
    created: "created {time}",
    updated: "updated {time}",
    milestone: (name: string) => `milestone ${name}`,
    locked: "locked",
    deletedAtTracker: "Deleted on the tracker. This copy is kept.",
    filterBy: "Show items with this label",
    links: "Links",
    notHere: "(not in this casebook)",
    moreLinks: (n: number) => `Show ${count(n)} more`,
    /** The verb for the author of a page, like `shared.comment.reported`. */
    wrote: "wrote",
    missing: (comments: number) => `${plural(comments, "comment")} on the tracker ${comments === 1 ? "is" : "are"} missing from this casebook.`,
  },
};
