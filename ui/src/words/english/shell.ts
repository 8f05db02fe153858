import { count, plural } from "./numbers";

export const shell = {
  product: "Precedent",

  /** The views, as the rail names them and the palette explains them. */
  views: {
    search: { name: "Search", about: "Find reports, comments and wiki pages" },
    triage: { name: "Triage", about: "Decide which reports are duplicates" },
    troubleshoot: { name: "Troubleshoot", about: "Paste a report; see duplicates, solved cases and wiki pages" },
    notes: { name: "Notes", about: "What you have learned" },
    sources: { name: "Sources", about: "Your trackers and imported files" },
    insights: { name: "Insights", about: "Reports and duplicates over time" },
    settings: { name: "Settings", about: "Appearance, storage, tokens, privacy" },
  },
  rail: {
    label: "Views",
    /** `key` is the number that leads to the view. */
    view: (about: string, key: number) => `${about} (${key})`,
    /** For screen readers, after how many reports wait for a decision. */
    waiting: "waiting",
    /** For screen readers, of the sources. */
    needsLook: "needs a look",
    saved: "Saved",
    /** For screen readers, after how many documents a saved search finds. */
    documents: (n: number) => (n === 1 ? "document" : "documents"),
  },

  /** Where a command can be given; views have their own names. */
  groups: { everywhere: "Everywhere", item: "Any item" },
  commands: {
    palette: "Commands, items and searches",
    find: "Go to the search box",
    back: "Back",
    forward: "Forward",
    undo: "Undo",
    details: "Show or hide scores and figures",
    repair: "Check and repair the casebook",
    rebuild: "Rebuild the search index",
    help: "Keyboard shortcuts",

    "item.menu": "Menu of actions",
    "item.open": "Open",
    "item.beside": "Open beside",
    "item.tracker": "Open in the tracker",
    "item.duplicates": "Find duplicates",
    "item.solved": "Find solved cases",
    "item.note": "Write a note on it",
    "item.pin": "Pin or unpin",
    "item.key": "Copy the key",
    "item.link": "Copy the link",
    "item.markdown": "Copy as Markdown",

    "search.next": "Next result",
    "search.previous": "Previous result",
    "search.comment": "Next comment",
    "search.commentBefore": "Previous comment",
    "search.left": "Pane to the left",
    "search.right": "Pane to the right",
    "search.close": "Close the second item",
    "search.tracker": "Open in the tracker",
    "search.back": "Back",
    "search.sort": "Change the order of the results",
    "search.save": "Save this search, or forget it",
    "search.leave": "Close the second item, or back to the search box",

    "triage.duplicate": "Duplicate",
    "triage.related": "Related, but not the same",
    "triage.different": "Not a duplicate",
    "triage.skip": "Skip for now",
    "triage.undo": "Undo the last decision",
    "triage.mark": "Mark it, to decide about several at once",
    "triage.unmark": "Clear all marks",
    "triage.close": "Close duplicates in their tracker…",
    "triage.next": "Next report",
    "triage.previous": "Previous report",
    "triage.list": "Go to the related reports, and back",
    "triage.new": "Go to what is new since the last visit, and back",
    "triage.done": "Go to what was decided today, and back",
    "triage.candidate": "Next candidate for this report",
    "triage.candidateBefore": "Previous candidate for this report",
    "triage.band": "Show surer or less sure matches",
    "triage.closed": "Compare with closed reports too, or not",
    "triage.read": "Read the report",
    "triage.readCandidate": "Read the candidate",

    "troubleshoot.ask": "Look it up",
    "troubleshoot.next": "Next answer",
    "troubleshoot.previous": "Previous answer",
    "troubleshoot.pick": "Put it into the brief, or take it out",
    "troubleshoot.read": "Read it",
    "troubleshoot.alone": "Look up one error of a log alone",
    "troubleshoot.brief": "Make a brief…",
    "troubleshoot.text": "Back to the text",

    "notes.add": "New note",
    "notes.edit": "Edit the note",
    "notes.save": "Save the note",
    "notes.next": "Next note",
    "notes.previous": "Previous note",
    "notes.leave": "Stop writing, and keep the draft",

    "sources.add": "Add a source",
    "sources.sync": "Sync this source",
    "sources.syncAll": "Sync all sources",
    "sources.next": "Next source",
    "sources.previous": "Previous source",
    "sources.leave": "Close the form",
  },
  pin: "Pin",
  unpin: "Unpin",
  /** `deed` is a sentence that says what was done. */
  undoOf: (deed: string) => `Undo: ${deed}`,
  takenBack: (deed: string) => `Taken back: ${deed}`,
  pinned: (key: string) => `${key} is pinned.`,
  unpinned: (key: string) => `${key} is no longer pinned.`,
  copied: (key: string) => `Copied ${key}.`,
  copiedLink: (key: string) => `Copied the link to ${key}.`,
  copiedMarkdown: (key: string) => `Copied ${key} as Markdown.`,
  copiedMarkdownWithText: (key: string) => `Copied ${key} as Markdown, with its text.`,

  shortcuts: {
    otherView: "Another view; with Ctrl from a text box too",
    /** What is pressed after the key `g`. */
    letters: (views: readonly { letter: string; name: string }[]) =>
      `Then ${views.map(({ letter, name }) => `${letter === "," ? "comma" : letter} for ${name}`).join(", ")}`,
    zoom: "Larger, smaller, normal text",
    markSeveral: "Mark several",
    results: "Next or previous result",
    readResult: "Read the result",
    queries: "In the search box: words, {phrase}, {without}, and filters such as {state}, {label}, {source}, {mode}.",
    phrase: '"a phrase"',
    without: "-without",
  },

  palette: {
    name: "Commands",
    box: "Command, or an item by its words or number",
    placeholder: "An item, a number, or what to do",
    open: "Open",
    items: "Items",
    commands: "Commands",
    search: "Search",
    searchFor: (text: string) => `Search for “${text}”`,
    pinned: "Pinned",
    recent: "Recent",
    lastSearch: "Last search",
    savedSearches: "Saved searches",
    goTo: "Go to",
    more: "More",
    add: "Add a source…",
    addWhat: "A project to mirror, or files",
    newNote: "New note…",
    syncAll: "Sync all sources",
    sync: (source: string) => `Sync ${source}`,
    scan: "Check open reports for duplicates",
    scanWhich: "Those that are new or have changed",
    jobs: {
      import: "the import",
      index: "updating the search index",
      sync: "the sync",
      triage: "checking for duplicates",
      calibrate: "tuning",
      remove: "removing a source",
      model: "adding a model",
      close: "closing at the tracker",
      logs: "reading logs",
      repair: "the repair",
    },
    theme: "Change the theme",
    themes: { system: "same as the system", light: "light", dark: "dark" },
    /** How it is just now, before the command changes it. */
    now: (how: string) => `Now ${how}`,
    themeIs: (theme: string) => `Theme: ${theme}.`,
    makeLists: (density: string) => `Make the lists ${density}`,
    densities: { comfortable: "comfortable", compact: "compact" },
  },

  bar: {
    starting: "Starting",
    left: (phase: string, seconds: number) => `${phase}: ${plural(seconds, "second")} left`,
    soFar: (phase: string, seconds: number) => `${phase}: ${plural(seconds, "second")} so far`,
    done: (phase: string, done: number) => `${phase}: ${count(done)}`,
    doneOf: (phase: string, done: number, total: number) => `${phase}: ${count(done)} of ${count(total)}`,
    /** `doing` is one of the two above, `speed` "38/s". */
    atSpeed: (doing: string, speed: string) => `${doing}, ${speed}`,
    noMeaning: "Search by meaning is off",
  },
  freshness: {
    empty: "Empty casebook",
    updating: "Updating",
    behind: "Not everything can be found yet",
    upToDate: "Up to date",
    never: "never synced",
    /** `asked` says when a tracker was last asked: "2 min ago". */
    since: (standing: string, asked: string) => `${standing} · ${asked}`,
    byWords: (searchable: number, documents: number) => `${count(searchable)} of ${plural(documents, "document")} searchable by words`,
    byMeaning: (searchable: number, passages: number) => `${count(searchable)} of ${plural(passages, "passage")} searchable by meaning`,
    /** `holds` is a list: "81 issues, 9 wiki pages". */
    source: (source: string, holds: string, changed: string) => `${source}: ${holds}, updated ${changed}`,
  },

  dismiss: "Dismiss",
  remedies: {
    repair: "Check and repair",
    rebuild: "Rebuild it",
    add: "Add a source",
  },
  stopped: "Stopped. What was done so far is kept.",
  mended: (problems: number) => `The casebook is in order again: ${plural(problems, "problem")} repaired.`,
  nothingWrong: "Nothing is wrong with the casebook.",
  indexedElsewhere: "Another process is updating the search index.",
  indexedElsewhereHint: "What it adds appears here by itself.",

  closed: "The casebook could not be opened",
  opening: "Opening the casebook…",
  settings: {
    setAside: "Set the file aside",
    meanwhile: (casebook: string) => `The casebook in ${casebook} is open meanwhile. What you correct takes effect at the next start.`,
    right: "The settings are correct now. They take effect at the next start.",
    aside: (path: string) => `The settings are in ${path} now. The defaults take effect at the next start.`,
  },

  drop: {
    title: "Drop to read",
    what:
      "You see what a tracker export holds before it is imported. A log or a support bundle is searched for errors. Nothing leaves " +
      "this machine.",
  },
  welcome: {
    lead:
      "Precedent keeps the issues, pull requests and wiki pages of your trackers on this machine and finds the cases that are like " +
      "yours. It works offline, and nothing you search for leaves this machine.",
    mirror: "Mirror a tracker",
    mirrorWhat: "A project on GitHub, GitLab, Jira or eight others. Ten thousand issues take a few minutes; you can search as they come in.",
    files: "Read from files",
    filesWhat: "An export from Jira, Zendesk and others as CSV, JSON or XML. You see how it is read before anything is kept. Or drop it here.",
    sample: "Open the sample casebook",
    sampleWhat: "An invented project with 104 issues and a wiki, to try everything on. It takes seconds, and you can remove it again.",
    opening: "Opening…",
    doing: (phase: string) => `${phase}…`,
    doneOf: (phase: string, done: number, total: number) => `${phase} ${count(done)} of ${count(total)}`,
  },

  intervals: {
    byHand: "Only by hand",
    minutes: (n: number) => `Every ${n} minutes`,
    hour: "Every hour",
    hours: (n: number) => `Every ${n} hours`,
    day: "Every day",
  },
  /** What a sync by itself brought in. */
  news: {
    maybeSame: (fresh: number) => `${plural(fresh, "new report")} may be the same as an earlier one.`,
    /** Of the new reports, some look like something that was fixed before. */
    maybeBack: (back: number, fresh: number) => {
      const which = fresh === 1 ? "It" : back === fresh ? "All of them" : `${count(back)} of them`;
      return `${which} ${back === 1 ? "looks" : "look"} like something that was fixed before.`;
    },
    solved: (open: number) => `${plural(open, "open report")} may be the same as one that was solved meanwhile.`,
    inTriage: (fresh: number) => `Triage has ${fresh === 1 ? "it" : "them"}.`,
  },
};
