import { plural } from "./numbers";

export const article = {
  title: "Write an article",
  preview: "Article",
  redact: "Replace names and secrets",
  /** Followed by the list of missing parts. */
  missing: "Not documented in the threads:",
  parts: {
    symptom: "Symptom",
    environment: "Environment",
    cause: "Cause",
    workaround: "Workaround",
    resolution: "Resolution",
    versions: "Versions",
    references: "References",
  },
  replaced: (n: number) => (n === 0 ? "No names or secrets were recognized." : `Replaced ${plural(n, "name or secret", "names or secrets")}.`),
  check: "Check the text before you publish it.",
  storedAs: (keys: string) => `Saved earlier as ${keys}.`,
  copied: "Copied as Markdown.",
  save: "Save as note",
  saved: (key: string) => `Saved as ${key}.`,
  same: (key: string) => `Not saved: identical to ${key}.`,
};
