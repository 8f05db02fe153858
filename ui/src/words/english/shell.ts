import { count, plural } from "./numbers";

export const shell = {
  product: "Precedent",

  views: {
    search: { name: "Search", about: "Find what is known about an error, a log, an email or a key, and how it was solved" },
    triage: { name: "Triage", about: "Decide which reports are duplicates" },
    notes: { name: "Notes", about: "What you have learned" },
    sources: { name: "Sources", about: "Your trackers and imported files" },
    problems: { name: "Problems", about: "Problems reported most, open longest, unreleased or recurring" },
    settings: { name: "Settings", about: "Appearance, storage, tokens, privacy" },
  },
  rail: {
    label: "Views",
    /** `key` is the number key of the view. */
    view: (about: string, key: number) => `${about} (${key})`,
    /** For screen readers, after the number of waiting reports. */
    waiting: "waiting",
    /** For screen readers, about the sources. */
    needsAttention: "needs attention",
    saved: "Saved",
    /** For screen readers, after the number of results of a saved search. */
    documents: (n: number) => (n === 1 ? "document" : "documents"),
  },

  /** The scopes of commands; views have their own names. */
  groups: { everywhere: "Everywhere", item: "Any item" },
  commands: {
    palette: "Commands, items and searches",
    find: "Go to the search box",
    back: "Back",
    forward: "Forward",
    undo: "Undo",
    next: "Next in the list",
    previous: "Previous in the list",
    details: "Show or hide scores and figures",
    repair: "Check and repair the casebook",
    rebuild: "Rebuild the search index",
    help: "Keyboard shortcuts",

    "item.menu": "Actions",
    "item.open": "Open",
    "item.beside": "Open beside",
    "item.tracker": "Open in the tracker",
    "item.duplicates": "Find duplicates",
    "item.solved": "Find solved cases",
    "item.note": "Write a note about it",
    "item.article": "Write an article…",
    "item.pin": "Pin or unpin",
    "item.key": "Copy the key",
    "item.link": "Copy the link",
    "item.markdown": "Copy as Markdown",

    "search.comment": "Next comment",
    "search.commentBefore": "Previous comment",
    "search.left": "Left pane",
    "search.right": "Right pane",
    "search.tracker": "Open in the tracker, or the selected evidence",
    "search.answer": "Show the evidence of the answer",
    "search.read": "Open the result or the evidence; look up a single error from a log",
    "search.pick": "Add the evidence to the brief, or remove it",
    "search.reply": "Copy a reply that cites the answer",
    "search.brief": "Make a brief…",
    "search.back": "Back",
    "search.sort": "Change the sort order",
    "search.save": "Save or remove this search",
    "search.leave": "Close the evidence or the second item, or return to the search box",

    "triage.duplicate": "Duplicate",
    "triage.related": "Related, not a duplicate",
    "triage.different": "Not a duplicate",
    "triage.skip": "Skip for now",
    "triage.snooze": "Snooze until tomorrow",
    "triage.assign": "Assign to me, or unassign",
    "triage.mine": "Show only my reports, or all",
    "triage.undo": "Undo the last decision",
    "triage.mark": "Select the report to decide several at once",
    "triage.unmark": "Clear the selection",
    "triage.close": "Close duplicates on the tracker…",
    "triage.list": "Go to the related reports, and back",
    "triage.new": "Go to reports new since the last visit, and back",
    "triage.done": "Go to today’s decisions, and back",
    "triage.candidate": "Next candidate for this report",
    "triage.candidateBefore": "Previous candidate for this report",
    "triage.band": "Show more or less certain matches",
    "triage.closed": "Include or exclude closed reports",
    "triage.read": "Open the report",
    "triage.readCandidate": "Open the candidate",

    "notes.add": "New note",
    "notes.edit": "Edit the note",
    "notes.save": "Save the note",
    "notes.leave": "Close the form, keep the draft",

    "problems.nextList": "Next list",
    "problems.previousList": "Previous list",
    "problems.read": "Open the report",
    "problems.decide": "Decide in Triage",
    "problems.search": "Search for the problem",
    "problems.leave": "Close the problem",

    "sources.add": "Add a source",
    "sources.sync": "Sync this source",
    "sources.syncAll": "Sync all sources",
    "sources.leave": "Close the form",
  },
  pin: "Pin",
  unpin: "Unpin",
  /** `action` is a sentence in the past tense. */
  undoAction: (action: string) => `Undo: ${action}`,
  undone: (action: string) => `Undone: ${action}`,
  pinned: (key: string) => `Pinned ${key}.`,
  unpinned: (key: string) => `Unpinned ${key}.`,
  copied: (key: string) => `Copied ${key}.`,
  copiedLink: (key: string) => `Copied the link to ${key}.`,
  copiedMarkdown: (key: string) => `Copied ${key} as Markdown.`,
  copiedMarkdownWithText: (key: string) => `Copied ${key} as Markdown, with its text.`,

  shortcuts: {
    otherView: "Open a view; with Ctrl, also from a text box",
    /** The keys after `g`. */
    letters: (views: readonly { letter: string; name: string }[]) =>
      `Then ${views.map(({ letter, name }) => `${letter === "," ? "comma" : letter} for ${name}`).join(", ")}`,
    zoom: "Larger, smaller, normal text",
    markSeveral: "Select several",
    results: "Next or previous result",
    openProblem: "Open the problem, then its reports",
    queries: 'In the search box: words, `"a phrase"`, `-without`, and filters such as `is:closed`, `label:bug`, `source:acme/app`, `mode:lexical`.',
  },

  palette: {
    name: "Commands",
    box: "Command, or an item by words or number",
    placeholder: "An item, a number or a command",
    open: "Open",
    items: "Items",
    search: "Search",
    searchFor: (text: string) => `Search for “${text}”`,
    pinned: "Pinned",
    recent: "Recent",
    savedSearches: "Saved searches",
    goTo: "Go to",
    more: "More",
    add: "Add a source…",
    addHint: "A project to mirror, or files to import",
    newNote: "New note…",
    sync: (source: string) => `Sync ${source}`,
    scan: "Check open reports for duplicates",
    scanHint: "New or changed reports",
    jobs: {
      import: "the import",
      index: "updating the search index",
      sync: "the sync",
      triage: "checking for duplicates",
      calibrate: "tuning",
      remove: "removing a source",
      model: "adding a model",
      close: "closing on the tracker",
      logs: "reading logs",
      repair: "the repair",
    },
    importFiles: "Import files…",
    theme: (theme: string) => `Theme: ${theme.toLowerCase()}`,
    makeLists: (density: string) => `Use ${density.toLowerCase()} lists`,
    /** Additional search words of the command. */
    density: "density",
  },

  bar: {
    starting: "Starting",
    left: (phase: string, seconds: number) => `${phase}: ${plural(seconds, "second")} left`,
    soFar: (phase: string, seconds: number) => `${phase}: ${plural(seconds, "second")} so far`,
    done: (phase: string, done: number) => `${phase}: ${count(done)}`,
    doneOf: (phase: string, done: number, total: number) => `${phase}: ${count(done)} of ${count(total)}`,
    /** `progress` is one of the two above, `speed` is "38/s". */
    atSpeed: (progress: string, speed: string) => `${progress}, ${speed}`,
    semanticSearchOff: "Semantic search is off",
  },
  freshness: {
    empty: "Empty casebook",
    updating: "Updating",
    behind: "The search index is incomplete",
    upToDate: "Up to date",
    /** `lastSync` is a relative time: "2 minutes ago". */
    withLastSync: (state: string, lastSync: string) => `${state} · ${lastSync}`,
    keywordCoverage: (searchable: number, documents: number) => `${count(searchable)} of ${plural(documents, "document")} searchable by keyword`,
    semanticCoverage: (searchable: number, passages: number) => `${count(searchable)} of ${plural(passages, "passage")} searchable by meaning`,
    /** `contents` is a list: "81 issues, 9 wiki pages". */
    source: (source: string, contents: string, changed: string) => `${source}: ${contents}, updated ${changed}`,
  },

  dismiss: "Dismiss",
  remedies: {
    repair: "Check and repair",
    rebuild: "Rebuild",
  },
  stopped: "Stopped. Progress is kept.",
  repaired: (problems: number) => `Repaired ${plural(problems, "problem")} in the casebook.`,
  noProblems: "The casebook has no problems.",
  indexedElsewhere: "Another process is updating the search index. New results appear here automatically.",

  closed: "The casebook could not be opened",
  /** Retrying is the only option here. */
  closedHint: "Give your user permission to read and write this folder, and check its disk. Then try again.",
  opening: "Opening the casebook…",
  settings: {
    setAside: "Set the file aside",
    currentCasebook: (casebook: string) => `Meanwhile, the casebook in ${casebook} is open. Corrections take effect at the next start.`,
    valid: "The settings are valid now. They take effect at the next start.",
    movedAside: (path: string) => `The settings were moved to ${path}. The defaults take effect at the next start.`,
  },

  drop: {
    title: "Drop to open",
    what:
      "A tracker export is previewed before it is imported. A log or a support bundle is searched for errors. Nothing leaves " +
      "this machine.",
  },
  welcome: {
    lead:
      "Precedent mirrors the issues, pull requests and wiki pages of your trackers to this machine and finds cases like " +
      "yours. It works offline, and nothing you search for leaves this machine.",
    mirrorDescription: "A project on GitHub, GitLab, Jira or eight others. Ten thousand issues take a few minutes; you can search meanwhile.",
    filesDescription: "An export from Jira, Zendesk or another tracker as CSV, JSON or XML; you can also drop it here. You see a preview before anything is imported.",
    sample: "Open the sample casebook",
    sampleDescription: "A fictional project with 104 issues and a wiki, to try everything out. It takes seconds, and you can remove it later.",
    opening: "Opening…",
  },

  intervals: {
    manual: "Manually",
    minutes: (n: number) => `Every ${n} minutes`,
    hour: "Every hour",
    hours: (n: number) => `Every ${n} hours`,
    day: "Every day",
  },
  news: {
    possibleDuplicates: (reports: number) => `${plural(reports, "new report")} ${reports === 1 ? "is a possible duplicate" : "are possible duplicates"}.`,
    /** How many of the new reports may be regressions. */
    possibleRegressions: (regressions: number, reports: number) => {
      const subject = reports === 1 ? "It" : regressions === reports ? "All of them" : `${count(regressions)} of them`;
      return `${subject} ${regressions === 1 ? "looks" : "look"} like something fixed earlier.`;
    },
    solvedCandidates: (open: number) => `${plural(open, "open report")} may duplicate one that was just solved.`,
    /** Fixed problems that were reported again on a version with the fix. */
    recurringProblems: (problems: number) => `${plural(problems, "problem")} came back after the fix.`,
    seeInProblems: (problems: number) => `See ${problems === 1 ? "it" : "them"} in Problems.`,
    seeInTriage: (reports: number) => `See ${reports === 1 ? "it" : "them"} in Triage.`,
  },
};
