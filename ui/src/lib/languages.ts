// The languages whose code is coloured, and what else a fence calls them. What is not among them stays plain: nothing is guessed.

const NAMES: Record<string, string> = {
  bash: "sh shell zsh",
  cpp: "c h c++ cc cxx hpp",
  csharp: "cs c#",
  diff: "patch",
  go: "golang",
  ini: "toml cfg conf",
  java: "",
  javascript: "js jsx mjs cjs",
  json: "jsonc json5",
  php: "",
  python: "py python3",
  ruby: "rb",
  rust: "rs",
  sql: "mysql postgresql",
  typescript: "ts tsx",
  xml: "html xhtml svg",
  yaml: "yml",
};

const LANGUAGES = new Map(Object.entries(NAMES).flatMap(([language, names]) => [language, ...names.split(" ")].map((name) => [name, language])));

/** The language that a fence names, if it is one that is coloured. */
export function languageOf(name: string | null): string | null {
  return LANGUAGES.get(name?.toLowerCase() || "-") ?? null;
}

/** What a piece of code is, as far as it has a colour. */
export type Sort = "keyword" | "name" | "string" | "number" | "comment" | "meta" | "added" | "removed";

/** From where to where in a text, and what it is. They stand in their order and none lies in another. */
export type Token = readonly [from: number, to: number, sort: Sort];
