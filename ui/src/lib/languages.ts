// The highlighted languages and their aliases. Unknown languages stay plain; none is guessed.

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

/** Returns the highlighted language with this name or alias, if any. */
export function languageOf(name: string | null): string | null {
  return LANGUAGES.get(name?.toLowerCase() || "-") ?? null;
}

/** The kind of a colored token. */
export type TokenKind = "keyword" | "name" | "string" | "number" | "comment" | "meta" | "added" | "removed";

/** A token's range in the text and its kind. Tokens are ordered and never overlap. */
export type Token = readonly [from: number, to: number, kind: TokenKind];
