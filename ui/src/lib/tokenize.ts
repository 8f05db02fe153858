// The tokenizer. It is large, and slow on hostile text: only the worker may import it.

import highlighter from "highlight.js/lib/common";

/** The kind of a colored token. */
export type TokenKind = "keyword" | "name" | "string" | "number" | "comment" | "meta" | "added" | "removed";

/** A token's range in the text and its kind. Tokens are ordered and never overlap. */
export type Token = readonly [from: number, to: number, kind: TokenKind];

const TOKEN_KINDS: Record<string, TokenKind> = {
  keyword: "keyword", literal: "keyword", name: "keyword", section: "keyword", "selector-tag": "keyword", doctag: "keyword",
  title: "name", type: "name", built_in: "name", attr: "name", attribute: "name", property: "name", variable: "name", symbol: "name",
  string: "string", regexp: "string", char: "string", link: "string",
  number: "number", comment: "comment", quote: "comment", meta: "meta", addition: "added", deletion: "removed",
};
const CHARACTERS: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
/** The highlighter's output: the start or end of an element, or text. */
const OUTPUT_PART = /<span class="hljs-([\w-]+)[^"]*">|<\/span>|<span[^>]*>|(&#?\w+;|[^<&]+)/g;

/** Returns the colored tokens of a text; the innermost of nested tokens wins. Unknown languages stay plain. */
export function tokenize(text: string, language: string): Token[] {
  if (!highlighter.getLanguage(language)) return [];
  const result: Token[] = [];
  const openKinds: (TokenKind | undefined)[] = [];
  let offset = 0;
  for (const [part, name, content] of highlighter.highlight(text, { language, ignoreIllegals: true }).value.matchAll(OUTPUT_PART)) {
    if (part === "</span>") openKinds.pop();
    else if (content === undefined) openKinds.push(TOKEN_KINDS[name ?? ""] ?? (name === "subst" ? undefined : openKinds.at(-1)));
    else {
      const end = offset + (CHARACTERS[content] ?? content).length;
      const kind = openKinds.at(-1);
      const last = result.at(-1);
      if (kind && last?.[1] === offset && last[2] === kind) result[result.length - 1] = [last[0], end, kind];
      else if (kind) result.push([offset, end, kind]);
      offset = end;
    }
  }
  return result;
}
