import { count, plural } from "./numbers";

/** What the list of reports begins with: "{waiting}" is how many, and stands out. */
const wait = (waiting: number) => `{waiting} ${waiting === 1 ? "waits" : "wait"}`;

export const triage = {
  /** What is said of a report: it is the first of the two, and is not named again. The command line and the brief say the same. */
  bands: {
    high: (other: string) => `The same as ${other}`,
    likely: (other: string) => `Probably the same as ${other}`,
    possible: (other: string) => `May be the same as ${other}`,
    related: (other: string) => `Related to ${other}`,
    none: (other: string) => `Hardly like ${other}`,
  },
  /** How sure a pair must be to be shown, and what is said where none is; `nothingElse` once some were decided. */
  filters: {
    high: {
      name: "The same",
      title: "Nine out of ten are right",
      nothing: "No open report is surely the same as an earlier one.",
      nothingElse: "No other open report is surely the same as an earlier one.",
    },
    likely: {
      name: "Probably",
      title: "More are right than wrong",
      nothing: "No open report is probably the same as an earlier one.",
      nothingElse: "No other open report is probably the same as an earlier one.",
    },
    possible: {
      name: "Possibly",
      title: "At least one in five is right",
      nothing: "No open report looks the same as an earlier one.",
      nothingElse: "No other open report looks the same as an earlier one.",
    },
    none: {
      name: "All",
      title: "Everything that has a candidate",
      nothing: "No open report has an earlier one like it.",
      nothingElse: "No other open report has an earlier one like it.",
    },
  },
  /** A decision, without a stop: a title, a row, or a part of a message. */
  decided: {
    duplicate: (report: string, other: string) => `${report} is a duplicate of ${other}`,
    related: (report: string, other: string) => `${report} is related to ${other}`,
    not_duplicate: (report: string, other: string) => `${report} is not a duplicate of ${other}`,
  },
  decidedBy: (actor: string) => `decided by ${actor}`,
  onlyOpen: "Only open reports were compared.",
  withClosed: (reports: number) => `Compare with ${plural(reports, "closed report")} too`,
  opened: "Opened",

  head: {
    confidence: "Confidence",
    includeClosed: "Include closed",
    includeClosedWhy: "Many duplicates are of reports that are solved already (c)",
    includeClosedOf: (reports: number) =>
      `Compare with ${plural(reports, "closed report")} too; many duplicates are of reports that are solved already (c)`,
    closeAtTracker: (reports: number) => `Close ${count(reports)} at the tracker…`,
    closeAtTrackerWhy: "See what would be told to the tracker, and send it (w)",

    checking: "Checking…",
    checkingOf: (done: number, total: number) => `Checking ${count(done)} of ${plural(total, "report")}`,
    checkingReports: "Checking open reports",

    decidedToday: (decided: number) => `${count(decided)} decided today`,
    decidedOf: (decided: number, all: number) => `${count(decided)} of ${count(all)} decided today`,
    nothingWaits: "Nothing waits",
    waits: wait,
    hardlyAnySame: (waiting: number, shown: number) => `${wait(waiting)}; of these ${count(shown)}, hardly any are the same`,
    someSame: (waiting: number, shown: number, same: number) =>
      `${wait(waiting)}; of these ${count(shown)}, about ${count(same)} ${same === 1 ? "is" : "are"} the same`,
    notChecked: (reports: number) => `${count(reports)} not checked`,
    /** Of what waits or is decided, and what is not checked. */
    together: (parts: readonly string[]) => parts.join("; "),

    check: "Check",
    checkWhy: "Check what is new or changed",
    checkAgain: "Check again",
    checkAgainWhy: "Check every open report again",
  },

  lists: {
    waiting: "Reports that wait",
    /** What a screen reader says of a row, before the probability. */
    row: (pair: string) => `${pair}:`,
    rowSame: (pair: string) => `${pair}, the same:`,
    rowWorth: (pair: string) => `${pair}, worth reading:`,
    marked: "Marked",
    mark: "Mark it, to decide about several at once",
    unmark: "Take the mark away",

    related: "Related, and hardly the same",
    relatedWhy: "None of these is surely the same, but they are worth reading (Shift R)",

    fresh: "New since the last visit",
    lastHere: (ago: string) => `You were last here ${ago} (a)`,
    looking: "Looking…",
    allInSearch: "All of these days in Search",
    knownDuplicate: (of: string) => `A known duplicate of ${of}`,
    isDecided: "Decided",
    nothingLike: "Nothing earlier is like it",
    notChecked: "Not checked",
    judged: (pair: string, share: string) => `${pair}, ${share}`,

    done: "Decided today",
    doneWhy: "What was decided today can be taken back (Shift U)",
    takeBack: "Take back",
    takeBackWhat: (decision: string) => `Take back: ${decision}.`,
  },

  pair: {
    evidence: "Evidence",
    outcome: (read: number, same: number, related: number) =>
      `Of ${plural(read, "answer")} like this that ${read === 1 ? "was" : "were"} read, ${count(same)} ${same === 1 ? "was" : "were"} the same ` +
      `and ${count(related)} more related.`,
    worth: (worth: string, same: string) => `Worth reading: ${worth}; the same: ${same}`,
    /** What became of a candidate; of a duplicate, of which report. */
    became: {
      open: "Still open",
      declined: "Declined",
      duplicate: "Already closed as a duplicate",
      completed: "Closed as completed",
      fixed: "Fixed",
      fixedIn: (version: string) => `Fixed in ${version}`,
      back: "Fixed, may have come back",
      backAfter: (version: string) => `Fixed in ${version}, may have come back`,
      of: (became: string, report: string) => `${became}, of ${report}`,
    },
    candidateOf: (at: number, candidates: number) => `Candidate ${at} of ${candidates}`,
    previous: "Previous candidate",
    next: "Next candidate",
    reasons: "Reasons",

    names: "What the two reports name",
    what: "What",
    inReport: "In the report",
    inCandidate: "In the candidate",
    inBoth: "in both:",
    namesNothing: "Neither report names an error code, a version or a stack frame, so only their wording was compared.",
    facts: {
      code: "Error codes",
      failure: "Failures",
      message: "Messages",
      frame: "Stack frames",
      version: "Versions",
      identifier: "Names",
      label: "Labels",
    },

    report: "Report",
    candidate: "Candidate",
    side: (role: string, key: string) => `${role}: ${key}`,
    read: (shortcut: string) => `Read it with its links (${shortcut})`,
    milestone: (name: string) => `milestone ${name}`,
  },

  /** The headings of candidates where they are listed. */
  candidates: {
    maybeSame: "Reports that may be the same",
    related: "Related reports",
  },

  verdicts: {
    name: "Decision",
    duplicate: "Duplicate",
    related: "Related",
    notDuplicate: "Not a duplicate",
    skip: "Skip",
    undo: "Undo",
    aboutMarked: (reports: number) => `A decision is about ${plural(reports, "marked report")}.`,
    markNone: "Clear all marks",
    note: "Two reports are duplicates when one fix resolves both. The tracker is not told yet.",
  },
  /** What was just done. */
  done: {
    one: (decision: string) => `${decision}.`,
    several: {
      duplicate: (reports: number) => `${count(reports)} reports are marked as duplicates.`,
      related: (reports: number) => `${count(reports)} reports are marked as related.`,
      not_duplicate: (reports: number) => `${count(reports)} reports are marked as not duplicates.`,
    },
    takenBack: (decision: string) => `Taken back: ${decision}.`,
  },

  nothing: {
    looking: "Looking for possible duplicates…",
    lookingWhy: "The first ones appear here as soon as they are found.",
    empty: "Nothing to decide yet.",
    emptyWhy: "Add a source first; its open reports are then compared with earlier ones.",
    addSource: "Add a source",
    allDone: (decided: number) => `All done: ${count(decided)} decided today.`,
    toDecide: "Nothing to decide.",
    readRelated: (reports: number) => `Read ${plural(reports, "report")} with something related`,
    showPossible: "Show what may be the same",
    showAll: "Show everything that has a candidate",
    undo: "Undo the last decision",
  },

  unseen: {
    title: (unseen: number, all: number) => `${count(unseen)} of ${plural(all, "pair")} ${unseen === 1 ? "has" : "have"} not been shown to you yet`,
    list: "Not shown yet",
    all: (all: number) => `Decide about all ${count(all)}`,
    onlyShown: (shown: number) => `Only about the ${count(shown)} that ${shown === 1 ? "was" : "were"} shown`,
    none: "Look at them first",
  },

  closing: {
    title: "Close duplicates at their tracker",
    sent: "What was sent is listed below, and in the casebook’s journal.",
    notSent: (hosts: string) =>
      `Nothing has been sent yet. This is what would be sent to ${hosts}: a comment on each report, which is then closed as a duplicate.`,
    nothing: "There is nothing that could be closed from here.",
    wouldBeSent: "What would be sent",
    duplicateOf: (report: string, actor: string) => `a duplicate of ${report}, decided by ${actor}`,
    steps: {
      closed: "Closed",
      commented: "Commented, not closed yet",
      commenting: "Not closed yet",
      refused: "Left as it is",
    },
    because: (step: string, problem: string) => `${step}: ${problem}`,
    notPossible: (obstacle: string) => `Not possible: ${obstacle}`,
    commented: "The comment is posted already; what is left is to close it.",
    commenting: "A comment was sent before; whether it arrived is looked up first.",
    byHand: "The same by hand",
    send: (reports: number) => `Comment and close ${plural(reports, "report")}`,
    stop: "Stop",
    done: "Done",
    leaveOpen: "Leave them open",
  },
};
