import { count, plural } from "./numbers";

export const insights = {
  howFarBack: "How far back",
  spans: { year: "1 year", twoYears: "2 years", fiveYears: "5 years", all: "All" },
  nothingYet: "Nothing to count yet.",
  nothingYetWhy: "Figures appear once there are issues.",

  issues: "Issues",
  open: "Open",
  knownDuplicates: "Known duplicates",
  shareOfDuplicates: "Share of duplicates",

  chart: {
    issuesByMonth: "Issues by month",
    reported: "reported",
    closed: "closed",
    duplicatesByMonth: "Duplicates by month reported",
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
      "Known duplicates are named by the tracker or its texts, or were decided here. The latest months may not have been " +
      "reviewed yet, so their share is a lower bound. The last column counts only closed issues.",
    days: (n: number) => (n < 1 ? "less than a day" : n < 1.5 ? "1 day" : `${count(n)} days`),
  },

  known: {
    title: (where: string) => (where ? `Known duplicates: ${where}` : "Known duplicates"),
    none: "No known duplicates.",
    opened: "Opened",
  },

  clusters: {
    title: "Clusters of open reports",
    map: "Map of clusters",
    one: (reports: number, open: number, recent: number, before: number) =>
      `${plural(reports, "report")}, ${open} open; ${recent} in the last 30 days, ${before} in the previous 30.`,
    circle: (number: string, name: string, reports: number, open: number) => `${number} ${name}: ${plural(reports, "report")}, ${open} open`,
    rising: (reports: number) => `${reports} rising`,
    searchWords: "Search for its words",
    decide: "Decide in Triage",
    first: "first",
    known: "known",
    closed: (sure: string) => `${sure}, closed`,
    note: (clusters: number, reports: number, shown: number) =>
      `${plural(clusters, "cluster")} with ${plural(reports, "open report")}${clusters > shown ? `; the largest ${shown} are shown` : ""}. ` +
      "Larger circles have more reports; rising means more reports in the last 30 days than in the previous 30.",
    none: "No open reports appear to be duplicates.",
    unchecked: (reports: number) => `${plural(reports, "open report")} not checked yet.`,
    check: "Check them in Triage",
  },

  questions: {
    comesBack: "Which problems are reported most?",
    reportsOf: (reports: number, cluster: string) => `${plural(reports, "report")}: ${cluster}`,
    lately: (reports: number) => (reports > 0 ? `${count(reports)} in 30 days` : "none lately"),
    waitsLongest: "Which reports have been open longest?",
    ages: { month: "a month", threeMonths: "three months", year: "a year" },
    openFor: (age: string) => `open for more than ${age}`,
    reportsOpenFor: (reports: number, age: string) => `${plural(reports, "report")} open for more than ${age}`,
    unchanged: "Least recently updated",
    noneOpen: "No open reports.",
    didNotHold: "Which fixes did not hold?",
    reopened: (reports: number) => `${reports === 1 ? "was" : "were"} closed and reopened`,
    reportsReopened: (reports: number) => `${plural(reports, "report")} reopened`,
    /** `more`: others that were not checked may look like it. */
    back: (reports: number, more: boolean) => `${count(reports)}${more ? "+" : ""}`,
    fixedBefore: (reports: number) => `${reports === 1 ? "looks" : "look"} like something fixed earlier`,
    reportsFixedBefore: (reports: number, written: string) => `${written} ${reports === 1 ? "report" : "reports"} like something fixed earlier`,
    like: (report: string) => `like ${report}`,
    notCompared: (reports: number) => `${plural(reports, "open report")} not compared with closed ones yet. Check them in Triage.`,
  },
};
