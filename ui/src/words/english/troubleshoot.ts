import { count, plural } from "./numbers";

export const troubleshoot = {
  picked: (picked: number, all: number) => `${picked} of ${all} picked`,
  makeBrief: "Make a brief…",
  report: "The report",
  placeholder:
    "Paste what you have: an error message, a log, a customer’s mail, the key of a report (acme/app#12). " +
    "Or drop a log or a support bundle on the window.",
  ask: "Look it up",
  asking: "Looking it up…",
  clear: "Clear",
  staysHere: "It stays on this machine.",
  answer: "What is known",

  blank: {
    title: "What is already known about it?",
    what:
      "Paste a report on the left. You get solved cases with the fix first, reports that may be the same, and wiki pages where no " +
      "case surely helps.",
    /** The places are keys. */
    keys: "{ctrl} {enter} to look it up, {next} {previous} to move, {pick} to pick",
  },

  cases: {
    title: "Solved cases",
    none: "No solved case matches.",
    noneYet: "No solved case matches so far.",
    onlyWiki: "No solved case matches. These wiki pages do.",
    /** What comes less close, and how many. */
    declined: (n: number) => `Similar, but declined (${n})`,
    silent: (n: number) => `Similar and closed, but no fix is given (${n})`,
    notClose: (n: number) => `Not close enough (${n})`,
    said: (key: string) => `${key}: what was said`,
  },
  /** `worth` is a percentage. */
  worthReading: (worth: string) => `Worth reading: ${worth}`,
  /** Why a report may be the same. */
  reasons: (parts: readonly string[]) => parts.join("; "),
  wiki: "Wiki pages",
  pick: "in the brief",
  pickOf: (title: string) => `${title}: in the brief`,

  helps: { likely: "likely to help", perhaps: "may help" },
  /** `helps` is one of the two above, `chance` a percentage. */
  helpsBy: (helps: string, chance: string) => `${helps}: ${chance}`,
  fixedIn: (version: string) => `fixed in ${version}`,
  /** A version that is asked about, beside the one with the fix. */
  isOlder: (version: string) => `${version} is older`,
  shouldHaveFix: (version: string) => `${version} should have the fix: it may have come back`,

  case: {
    solved: "solved {time}",
    reportedOn: (versions: string) => `reported on ${versions}`,
    /** What a report names beside a version: a system, a browser. */
    environment: (names: string) => `with ${names}`,
    environmentTitle: "What else the report names",
    /** How it was found: by a key that leads to it. */
    via: (key: string) => `found through ${key}`,
    itself: "the report itself",
    canonical: "the report is a known duplicate of it",
    sameError: "the same error",
    firstComment: (key: string) => `${key}: the comment to read first`,
    readWhole: "Read it whole",
    change: "the change that fixed it",
    changeOf: (change: string, key: string) => `${change}: the change that fixed ${key}`,
    /** What is folded away. `comments` are there, `omitted` are not; `agreeing` more only confirm it. */
    rest: (comments: number, omitted: number, agreeing: number) =>
      "What was reported" +
      (comments > 0 ? `, and ${plural(comments, "more comment")}` : "") +
      (omitted > 0 ? `; ${omitted} left out` : "") +
      (agreeing > 0 ? `; ${agreeing} more ${agreeing === 1 ? "confirms" : "confirm"} it` : ""),
    /** What a comment is. */
    roles: {
      fix: "the fix",
      workaround: "a workaround",
      closing_note: "why it was closed",
      reproduction: "how to make it happen",
      confirmation: "confirmed",
      denial: "still happens",
      noise: "aside",
    },
  },

  logs: {
    reading: "Reading…",
    stop: "Stop",
    summary: (errors: number, lines: number, files: number) =>
      `${plural(errors, "distinct error")} in ${plural(lines, "line")} of ${plural(files, "file")}`,
    severities: { fatal: "Fatal", error: "Error", warning: "Warning" },
    verdicts: { solved: "solved", known: "known", perhaps: "perhaps known", new: "never seen" },
    counts: {
      solved: (n: number) => `${count(n)} solved`,
      known: (n: number) => `${count(n)} known`,
      perhaps: (n: number) => `${count(n)} perhaps known`,
      new: (n: number) => `${count(n)} never seen`,
    },
    once: "once",
    times: (n: number) => `${count(n)} times`,
    /** `place` is a file and a line. */
    last: (place: string) => `last ${place}`,
    first: (place: string) => `first ${place}`,
    beforeCrash: "shortly before the program ended",
    nearEnd: "near the end",
    knownAs: "Known as {report}",
    solvedIn: "Solved in {report}",
    perhaps: "Perhaps {report}",
    askAlone: "Look up this one alone",
    none: "These logs hold no error and no warning.",
    notShown: (n: number) => `${plural(n, "more error or warning", "more errors and warnings")} not shown here.`,
    notRead: (files: number) => `${plural(files, "file")} not read, or not to the end`,
    fileNotRead: (file: string, why: string) => `${file}: ${why}`,
    fileReadUpTo: (file: string, line: number, why: string) => `${file}, read up to line ${line}: ${why}`,
  },

  brief: {
    title: "Brief",
    parts: "Parts",
    part: {
      problem: "The problem",
      log: "Errors in the log",
      duplicates: "Reports that may be the same",
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
    replaceFile: "Replace it",
    savedTo: (path: string) => `Saved to ${path}`,
    copied: "Copied as Markdown",
    export: "Export",
    copy: "Copy",
    paper: "What it says",
    excerpt: "(an excerpt)",
  },
  replaced: {
    label: "What is replaced",
    title: "Replaced in the export",
    inText: "In your text",
    inBrief: "In the brief",
    times: "Times",
    doubtful: "Not sure about these: clear the box to keep one as it is",
    nothing: "Nothing was recognised as a person, a host, an address, a number or a token.",
    note: "What was not recognised is not listed: read the brief before you hand it over.",
  },
};
