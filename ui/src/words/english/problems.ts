import { count, plural } from "./numbers";

export const problems = {
  timeRange: "Time range",
  spans: { year: "1 year", twoYears: "2 years", fiveYears: "5 years", all: "All" },
  nothingYet: "No numbers yet.",
  nothingYetHint: "Numbers appear once the casebook has issues.",

  issues: "Issues",
  knownDuplicates: "Known duplicates",
  shareOfDuplicates: "Share of duplicates",
  openOverAYear: "Open over a year",

  chart: {
    issuesByMonth: "Issues by month",
    reported: "reported",
    closed: "closed",
    duplicatesByMonth: (reports: number) => `Share of duplicates, in months with ${reports} reports or more`,
    knownDuplicates: "known duplicates",
    asTable: "As a table",
    month: "Month",
    months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    monthOf: (month: string, year: string) => `${month} ${year}`.trim(),
    /** For the axis, where space is short. */
    shortMonthOf: (month: string, year: string) => `${month} ’${year.slice(-2)}`.trim(),
    fromTo: (title: string, first: string, last: string) => `${title}, ${first} to ${last}`,
    inMonth: (value: string, series: string, month: string) => `${value} ${series}, ${month}`,
    value: (series: string, value: string) => `${series} ${value}`,
    atMonth: (month: string, values: readonly string[]) => `${month}: ${values.join(", ")}`,
  },

  bySource: {
    title: "By source",
    duplicates: "Duplicates",
    share: "Share",
    medianToClose: "Median time to close",
    note:
      "Known duplicates are marked in the tracker, mentioned in its texts, or decided here. The latest months may not have been " +
      "reviewed yet, so their share is a lower bound. The last column counts only closed issues.",
    days: (n: number) => (n < 1 ? "less than a day" : n < 1.5 ? "1 day" : `${count(n)} days`),
  },

  known: {
    title: (where: string) => (where ? `Known duplicates: ${where}` : "Known duplicates"),
    none: "No known duplicates.",
  },

  tabs: {
    label: "Lists of problems",
    frequent: "Reported most",
    waiting: "Open longest",
    unreleased: "Fixed, not released",
    recurring: "Back after the fix",
    without_article: "Solved, no article",
    numbers: "Numbers",
  },
  about: {
    frequent: "Problems with open reports, most reported first.",
    waiting: "Open problems, oldest first.",
    unreleased: "The fix is merged but not released yet.",
    recurring: "Reported again on a version that has the fix.",
    without_article: "Solved problems with several reports and no article.",
  },
  none: {
    frequent: ["No problem with several reports has an open one.", "A problem appears here once it was reported twice and a report is open."],
    waiting: ["No open problem has several reports.", "A problem appears here once it was reported twice and the first report is open."],
    unreleased: ["No fix is waiting for a release.", "A problem appears here when its fix is merged but not released."],
    recurring: ["No problem came back after its fix.", "A problem appears here when a later report names a version that has the fix."],
    without_article: ["Every solved problem with several reports has an article.", "A problem appears here once it is solved and was reported at least twice."],
  },
  noReports: ["No reports yet.", "Problems are found in the reports of your trackers and imported files."],
  columns: { reports: "Reports", recent: "30 days", problem: "Problem", status: "Status", report: "Report", first: "First" },
  listed: (listed: number, total: number, open: number) =>
    `${listed < total ? `${count(listed)} of ` : ""}${plural(total, "problem")}, ${plural(open, "open report")}.`,
  more: "Show more",
  unscanned: (reports: number) => `${plural(reports, "open report")} not checked yet; more problems may be found.`,
  check: "Check in Triage",
  withoutReleases: (sources: string) => `The releases of ${sources} are unknown, so this list may be incomplete. Sync the source or import a changelog.`,

  status: {
    words: {
      open: "open",
      solved: "solved",
      unreleased: "fixed, not released",
      came_back: "came back",
      declined: "declined or not reproduced",
      closed_without_fix: "no documented fix",
    },
    fixedIn: (version: string) => `fixed in ${version}`,
    /** A changelog may call its next version "Unreleased". */
    notReleased: (version: string) => (/\d/.test(version) ? `fixed in ${version}, not released` : "fixed, not released"),
    cameBackIn: (version: string) => `came back in ${version}`,
  },
  trends: { rising: "rising", falling: "falling", steady: "steady" },
  compared: (recent: number, previous: number) => `${count(recent)} in the last 30 days, ${count(previous)} in the 30 days before`,
  firstReported: "First reported",

  problem: {
    counts: (reports: number, open: number) => `${plural(reports, "report")}, ${count(open)} open`,
    fixWas: (version: string) => `the fix was in ${version}`,
    since: "first reported {time}",
    read: "Open report",
    byMonth: "Reports by month",
    reports: "reports",
    byVersion: "Reports by version",
    /** The accessible name of a bar. */
    onVersion: (version: string, reports: number) => `${version}: ${plural(reports, "report")}`,
    hasFix: "has the fix",
    filteredReports: (reports: number, filter: string) => `Reports: ${count(reports)} ${filter}`,
    allReports: (reports: number) => `Reports: ${count(reports)}`,
    versionFilter: (version: string) => `on ${version}`,
    monthFilter: (month: string) => `in ${month}`,
    showAll: "Show all",
    first: "first",
    known: "known",
    articles: "Articles:",
    people: "People in the thread:",
    reportedAt: "Reported",
  },
};
