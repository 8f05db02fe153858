import { count, plural } from "./numbers";

export const insights = {
  howFarBack: "How far back",
  spans: { year: "1 year", twoYears: "2 years", fiveYears: "5 years", all: "All" },
  nothingYet: "Nothing to count yet.",
  nothingYetWhy: "Figures appear with the first issues.",

  issues: "Issues",
  open: "Open",
  knownDuplicates: "Known duplicates",
  shareOfDuplicates: "Share of duplicates",

  chart: {
    issuesByMonth: "Issues by month",
    reported: "reported",
    closed: "closed",
    duplicatesByMonth: "Duplicates among the month’s reports",
    knownDuplicates: "known duplicates",
    asTable: "As a table",
    month: "Month",
    months: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    monthOf: (month: string, year: string) => `${month} ${year}`.trim(),
    /** On the axis, where there is little room. */
    shortMonthOf: (month: string, year: string) => `${month} ’${year.slice(-2)}`.trim(),
    fromTo: (title: string, first: string, last: string) => `${title}, ${first} to ${last}`,
    inMonth: (value: string, series: string, month: string) => `${value} ${series}, ${month}`,
    value: (series: string, value: string) => `${series} ${value}`,
    atMonth: (month: string, values: readonly string[]) => `${month}: ${values.join(", ")}`,
  },

  bySource: {
    title: "By source",
    source: "Source",
    issues: "Issues",
    open: "Open",
    duplicates: "Duplicates",
    share: "Share",
    medianToClose: "Median time to close",
    note:
      "Known duplicates are those that the tracker or its texts name, and those decided here. Nobody may have looked at the " +
      "latest months yet, so their share is a lower bound. The last column counts closed issues only.",
    days: (n: number) => (n < 1 ? "less than a day" : n < 1.5 ? "1 day" : `${count(n)} days`),
  },

  known: {
    title: (where: string) => (where ? `Known duplicates: ${where}` : "Known duplicates"),
    none: "None is known.",
    opened: "Opened",
  },

  clusters: {
    title: "Clusters of the open reports",
    map: "Map of clusters",
    one: (reports: number, open: number, recent: number, before: number) =>
      `${plural(reports, "report")}, ${open} open; ${recent} in the last 30 days, ${before} in the 30 before.`,
    circle: (number: string, name: string, reports: number, open: number) => `${number} ${name}: ${plural(reports, "report")}, ${open} open`,
    rising: (reports: number) => `${reports} rising`,
    searchWords: "Search for its words",
    decide: "Decide in Triage",
    first: "first",
    known: "known",
    closed: (sure: string) => `${sure}, closed`,
    note: (clusters: number, reports: number, shown: number) =>
      `${plural(clusters, "cluster")} with ${plural(reports, "open report")}${clusters > shown ? `; the largest ${shown} are shown` : ""}. ` +
      "The more reports, the larger the circle; rising means that more came in the last 30 days than in the 30 before.",
    none: "No open reports are known or thought to be the same.",
    unchecked: (reports: number) => `${plural(reports, "open report")} not checked yet.`,
    check: "Check them in triage",
  },

  questions: {
    comesBack: "What comes back most?",
    reportsOf: (reports: number, cluster: string) => `${plural(reports, "report")}: ${cluster}`,
    lately: (reports: number) => (reports > 0 ? `${count(reports)} in 30 days` : "none lately"),
    waitsLongest: "Which open reports wait longest?",
    ages: { month: "a month", threeMonths: "three months", year: "a year" },
    openFor: (age: string) => `open for more than ${age}`,
    reportsOpenFor: (reports: number, age: string) => `${plural(reports, "report")} open for more than ${age}`,
    unchanged: "Unchanged for longest",
    noneOpen: "No report is open.",
    didNotHold: "Which fixes did not hold?",
    reopened: (reports: number) => `${reports === 1 ? "was" : "were"} closed, and opened again`,
    reportsReopened: (reports: number) => `${plural(reports, "report")} reopened`,
    /** `more`: others may look like it that were not looked through. */
    back: (reports: number, more: boolean) => `${count(reports)}${more ? "+" : ""}`,
    fixedBefore: (reports: number) => `${reports === 1 ? "looks" : "look"} like something that was fixed before`,
    reportsFixedBefore: (reports: number, written: string) => `${written} ${reports === 1 ? "report" : "reports"} like something that was fixed before`,
    like: (report: string) => `like ${report}`,
    notCompared: (reports: number) => `${plural(reports, "open report")} not compared with closed ones yet. Triage does it.`,
  },
};
