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
  replaced: (n: number) => (n === 0 ? "No name or secret was recognized." : n === 1 ? "1 text was replaced." : `${n} texts were replaced.`),
  check: "Check the text before you publish it.",
  storedAs: (keys: string) => `Saved earlier as ${keys}.`,
  copy: "Copy as Markdown",
  copied: "Copied as Markdown.",
  save: "Save as note",
  saved: (key: string) => `Saved as ${key}.`,
  same: (key: string) => `Not saved: ${key} is the same article.`,
};
