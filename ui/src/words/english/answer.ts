import { count, plural } from "./numbers";

export const answer = {
  label: "Answer",
  evidence: "Evidence",
  reply: "Copy a reply",
  makeBrief: "Brief…",
  article: "Article…",
  asking: "Looking it up…",
  /** `status` is like "fixed in 3.3.0". */
  known: (status: string) => `Known: ${status}`,
  untilThen: (workaround: string) => `Until then: ${workaround}`,
  solvedBefore: "Solved before:",
  mayHelp: "A solved case may help:",
  found: { article: "Your article:", related: "Related:", wiki: "Wiki:", note: "Your note:" },
  nothing: "No known problem matches.",
  nothingYet: "No known problem matches so far.",
  noSource: "This casebook is empty. Add a source to get answers.",
  next: "Next:",
  sections: {
    problem: "Known problem",
    articles: "Your articles",
    cases: "Solved cases",
    related: "Possible duplicates and related reports",
    wiki: "Wiki pages",
    notes: "Your notes",
  },
  reports: (reports: number) => plural(reports, "report"),
  sameProblem: (confidence: string) => `same problem: ${confidence}`,
  lastComment: "last comment",
  pick: "in the brief",
  pickOf: (title: string) => `${title}: in the brief`,

  /** How likely a case is to help. */
  relevance: { high: "likely to help", low: "may help" },
  /** `relevance` is one of the two labels above, `chance` a percentage. */
  relevanceOf: (relevance: string, chance: string) => `${relevance}: ${chance}`,
  fixedIn: (version: string) => `fixed in ${version}`,
  /** The version in question, next to the one with the fix. */
  isOlder: (version: string) => `${version} is older`,
  cannotTell: (version: string) => `${version} may or may not have the fix`,
  shouldHaveFix: (version: string) => `${version} should have the fix: possibly a regression`,

  case: {
    solved: "solved {time}",
    reportedOn: (versions: string) => `mentions ${versions}`,
    /** Other facts in a report: a system, a browser. */
    environment: (names: string) => `with ${names}`,
    environmentTitle: "Environment mentioned in the report",
    /** How it was found. */
    via: (key: string) => `found through ${key}`,
    itself: "the report itself",
    canonical: "known duplicate of this case",
    sameError: "the same error",
    firstComment: (key: string) => `${key}: the comment to read first`,
    readWhole: "Read the whole thread",
    change: "the change that fixed it",
    changeOf: (change: string, key: string) => `${change}: the change that fixed ${key}`,
    /** The folded part: `comments` are shown, `omitted` are not, and `agreeing` only confirm the fix. */
    rest: (comments: number, omitted: number, agreeing: number) =>
      "The report" +
      (comments > 0 ? ` and ${plural(comments, "more comment")}` : "") +
      (omitted > 0 ? `; ${omitted} left out` : "") +
      (agreeing > 0 ? `; ${agreeing} more ${agreeing === 1 ? "confirms" : "confirm"} it` : ""),
    /** The role of a comment. */
    roles: {
      fix: "the fix",
      workaround: "a workaround",
      closing_note: "reason for closing",
      reproduction: "steps to reproduce",
      confirmation: "confirmed",
      denial: "still happens",
      noise: "off-topic",
    },
  },

  logs: {
    reading: "Reading…",
    summary: (errors: number, lines: number, files: number) =>
      `${plural(errors, "distinct error")} in ${plural(lines, "line")} of ${plural(files, "file")}`,
    severities: { fatal: "Fatal", error: "Error", warning: "Warning" },
    verdicts: { solved: "solved", known: "known", perhaps: "possibly known", new: "not seen before" },
    counts: {
      solved: (n: number) => `${count(n)} solved`,
      known: (n: number) => `${count(n)} known`,
      perhaps: (n: number) => `${count(n)} possibly known`,
      new: (n: number) => `${count(n)} not seen before`,
    },
    once: "once",
    times: (n: number) => `${count(n)} times`,
    /** `place` is a file and a line. */
    last: (place: string) => `last ${place}`,
    first: (place: string) => `first ${place}`,
    beforeCrash: "just before the crash",
    nearEnd: "near the end of the log",
    knownAs: "Known as {report}",
    solvedIn: "Solved in {report}",
    perhaps: "Possibly {report}",
    askAlone: "Look up this error",
    none: "No errors or warnings in these logs.",
    notShown: (n: number) => `${plural(n, "more error or warning", "more errors and warnings")} not shown here.`,
    notRead: (files: number) => `${plural(files, "file")} not read completely`,
    fileNotRead: (file: string, reason: string) => `${file}: ${reason}`,
    fileReadUpTo: (file: string, line: number, reason: string) => `${file}, read up to line ${line}: ${reason}`,
  },

  brief: {
    title: "Brief",
    parts: "Parts",
    part: {
      summary: "Summary",
      problem: "Problem",
      log: "Errors in the log",
      duplicates: "Possible duplicates",
      cases: "Solved cases",
      wiki: "Wiki pages",
      versions: "Versions",
      people: "People",
      questions: "Open questions",
    },
    privacy: "Privacy",
    redact: "Replace names, addresses, numbers and tokens",
    redactLinks: "Remove links to the tracker",
    saveAs: "Save as",
    format: "Format",
    formats: { markdown: "Markdown", html: "HTML", pdf: "PDF", json: "JSON" },
    path: "Path",
    choose: "Choose where…",
    replaceFile: "Replace",
    savedTo: (path: string) => `Saved to ${path}`,
    copied: "Copied as Markdown",
    export: "Export",
    copy: "Copy",
    paper: "Preview",
    excerpt: "(an excerpt)",
  },
  replacements: {
    label: "Replacements",
    title: "Replaced in the export",
    inText: "In your text",
    inBrief: "In the brief",
    times: "Times",
    uncertain: "Uncertain: clear a checkbox to keep that text as is",
    nothing: "No people, hosts, addresses, numbers or tokens were recognized.",
    note: "Unrecognized names and secrets are not listed: read the brief before you hand it over.",
  },
};
