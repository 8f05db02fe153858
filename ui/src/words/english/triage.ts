import { count, plural } from "./numbers";

/** The start of the queue summary: "{waiting}" is the number, in bold. */
const toReview = "{waiting} to review";

/** The reports that a figure covers, if not all are loaded. */
const ofLoaded = (waiting: number, loaded: number) => (loaded < waiting ? `; of the ${count(loaded)} shown` : "");

const openReport = (isOther: boolean) => `No ${isOther ? "other " : ""}open report`;

export const triage = {
  /** Phrases for a pair; its report is the subject and not named. */
  bands: {
    high: (other: string) => `Duplicate of ${other}`,
    likely: (other: string) => `Likely duplicate of ${other}`,
    possible: (other: string) => `Possible duplicate of ${other}`,
    related: (other: string) => `Related to ${other}`,
    none: (other: string) => `Unlikely match for ${other}`,
  },
  /** The confidence filters and their empty states. */
  filters: {
    high: {
      name: "Duplicates",
      title: "Nine out of ten are right",
      nothing: (isOther: boolean) => `${openReport(isOther)} is almost certainly a duplicate.`,
    },
    likely: {
      name: "Likely",
      title: "More are right than wrong",
      nothing: (isOther: boolean) => `${openReport(isOther)} is a likely duplicate.`,
    },
    possible: {
      name: "Possible",
      title: "At least one in five is right",
      nothing: (isOther: boolean) => `${openReport(isOther)} is a possible duplicate.`,
    },
    none: {
      name: "All",
      title: "Every report with a candidate",
      nothing: (isOther: boolean) => `${openReport(isOther)} resembles an earlier one.`,
    },
  },
  /** A decision without a period: a title, a row, or part of a message. */
  decisions: {
    duplicate: (report: string, other: string) => `${report} is a duplicate of ${other}`,
    related: (report: string, other: string) => `${report} is related to ${other}`,
    not_duplicate: (report: string, other: string) => `${report} is not a duplicate of ${other}`,
  },
  decidedBy: (actor: string) => `decided by ${actor}`,
  onlyOpen: "Only open reports were compared.",
  opened: "Opened",

  head: {
    confidence: "Confidence",
    includeClosed: "Include closed",
    includeClosedHint: "Many reports duplicate one that is already solved (c)",
    includeClosedOf: (reports: number) =>
      `Also compare with ${plural(reports, "closed report")}; many reports duplicate one that is already solved (c)`,
    closeAtTracker: (reports: number) => `Close ${count(reports)} on the tracker…`,
    closeAtTrackerHint: "Preview what would be posted to the tracker, and send it (w)",

    checking: "Checking…",

    decidedToday: (decided: number) => `${count(decided)} decided today`,
    decidedOf: (decided: number, all: number) => `${count(decided)} of ${count(all)} decided today`,
    noneWaiting: "All caught up",
    someWaiting: toReview,
    fewDuplicates: (waiting: number, loaded: number) => `${toReview}${ofLoaded(waiting, loaded)}, probably no duplicates`,
    likelyDuplicates: (waiting: number, loaded: number, same: number) =>
      `${toReview}${ofLoaded(waiting, loaded)}, about ${plural(same, "likely duplicate")}`,
    notChecked: (reports: number) => `${count(reports)} not checked`,
    snoozed: (reports: number) => `${count(reports)} snoozed`,
    mine: (reports: number) => `Mine ${count(reports)}`,
    mineHint: "Show only the reports assigned to you (f)",
    joinParts: (parts: readonly string[]) => parts.join("; "),

    check: "Check",
    checkHint: "Check new and changed reports",
    checkAgain: "Check again",
    checkAgainHint: "Check every open report again",
  },

  lists: {
    waiting: "Reports to review",
    /** The accessible name of a row, before its percentage. */
    row: (pair: string) => `${pair}:`,
    rowSame: (pair: string) => `${pair}, confidence:`,
    rowWorth: (pair: string) => `${pair}, worth reading:`,
    /** After the percentage, where space is short. */
    worth: "worth reading",
    selected: "Selected",
    deselect: "Deselect the report",
    mine: "mine",
    mineHint: "Assigned to you, on this machine only (m)",

    related: "Related, not duplicates",
    relatedHint: "Probably not duplicates, but worth reading (Shift R)",

    newReports: "New since the last visit",
    lastVisit: (ago: string) => `You were last here ${ago} (a)`,
    allInSearch: "Show all in Search",
    decided: "Decided",
    noMatch: "No earlier match",
    notChecked: "Not checked",
    bestCandidate: (pair: string, share: string) => `${pair}, ${share}`,

    today: "Decided today",
    todayHint: "You can undo today’s decisions (Shift U)",
    undoDecision: (decision: string) => `Undo: ${decision}.`,
  },

  pair: {
    outcome: (read: number, same: number, related: number) =>
      `In tests, ${count(same)} of ${plural(read, "match", "matches")} at this confidence ${same === 1 ? "was a duplicate" : "were duplicates"}` +
      `${related > 0 ? `; ${count(related)} more ${related === 1 ? "was" : "were"} related` : ""}.`,
    worth: (worth: string, same: string) => `Worth reading: ${worth}; duplicate: ${same}`,
    /** The outcome of a candidate, and the original of a duplicate. */
    dispositions: {
      open: "Still open",
      declined: "Declined or not reproduced",
      duplicate: "Already closed as a duplicate",
      completed: "Closed without a documented fix",
      fixed: "Fixed",
      fixedIn: (version: string) => `Fixed in ${version}`,
      regression: "Fixed, possibly a regression",
      regressionAfter: (version: string) => `Fixed in ${version}, possibly a regression`,
      ofReport: (disposition: string, report: string) => `${disposition}, of ${report}`,
    },
    candidateOf: (position: number, candidates: number) => `Candidate ${position} of ${candidates}`,
    previous: "Previous candidate",
    next: "Next candidate",
    reasons: "Reasons",
    noReason: "Similar as a whole; no single detail stands out",
    worthReading: (worth: string) => `Worth reading: ${worth}`,

    caption: "Details in the two reports",
    detail: "Detail",
    inReport: "In the report",
    inCandidate: "In the candidate",
    inBoth: "in both:",
    noDetails: "Neither report contains an error code, a version or a stack frame, so only their wording was compared.",
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
    read: (shortcut: string) => `Open it with its links (${shortcut})`,
  },

  verdicts: {
    name: "Decision",
    related: "Related",
    skip: "Skip",
    snooze: "Snooze",
    assign: "Assign to me",
    unassign: "Unassign",
    selectionScope: (reports: number) => `Decisions apply to ${plural(reports, "selected report")}.`,
    note: "Two reports are duplicates if one fix resolves both. Nothing is posted to the tracker yet.",
  },
  toasts: {
    one: (decision: string) => `${decision}.`,
    several: {
      duplicate: (reports: number) => `Marked ${count(reports)} reports as duplicates.`,
      related: (reports: number) => `Marked ${count(reports)} reports as related.`,
      not_duplicate: (reports: number) => `Marked ${count(reports)} reports as not duplicates.`,
    },
    undone: (decision: string) => `Undone: ${decision}.`,
    snoozed: (report: string) => `${report} is snoozed until tomorrow.`,
    assigned: (report: string, reports: number) => `${reports === 1 ? report : plural(reports, "report")} assigned to you.`,
    unassigned: (report: string, reports: number) => `${reports === 1 ? report : plural(reports, "report")} no longer assigned to you.`,
  },

  emptyQueue: {
    checking: "Looking for possible duplicates…",
    checkingHint: "They appear here as they are found.",
    empty: "Nothing to review yet.",
    emptyHint: "Add a source first; its open reports are then compared with earlier ones.",
    allDone: (decided: number) => `All done: ${count(decided)} decided today.`,
    nothingToReview: "Nothing to review.",
    readRelated: (reports: number) => `Show ${plural(reports, "report")} with only related matches`,
    showPossible: "Show possible duplicates",
    showAll: "Show every report with a candidate",
    mine: "No waiting report is assigned to you.",
    everyone: "Show all reports",
  },

  unseen: {
    title: (unseen: number, all: number) => `You have not seen ${count(unseen)} of ${plural(all, "pair")} yet`,
    list: "Not seen yet",
    all: (all: number) => `Decide all ${count(all)}`,
    onlySeen: (seen: number) => `Only the ${count(seen)} you have seen`,
    none: "Review them first",
  },

  closing: {
    title: "Close duplicates on the tracker",
    sent: "Everything sent is listed below and in the casebook’s journal.",
    notSent: (hosts: string) =>
      `Nothing has been sent yet. This would go to ${hosts}: a comment on each report, which is then closed as a duplicate.`,
    nothing: "Nothing to close from here.",
    duplicateOf: (report: string, actor: string) => `duplicate of ${report}, decided by ${actor}`,
    steps: {
      closed: "Closed",
      commented: "Commented, not closed yet",
      commenting: "Not closed yet",
      refused: "Left unchanged",
    },
    notPossible: (obstacle: string) => `Not possible: ${obstacle}`,
    commented: "The comment is already posted; only closing remains.",
    commenting: "A comment was sent earlier; Precedent first checks whether it arrived.",
    byHand: "Do it manually",
    send: (reports: number) => `Comment and close ${plural(reports, "report")}`,
    stop: "Stop",
    done: "Done",
  },
};
