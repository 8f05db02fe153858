// The tokenizer. It is large, and slow on hostile text: only the worker may import it.

import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { TokenKind, Token } from "./languages";

const GRAMMARS = { bash, cpp, csharp, diff, go, ini, java, javascript, json, php, python, ruby, rust, sql, typescript, xml, yaml };
for (const [name, grammar] of Object.entries(GRAMMARS)) highlighter.registerLanguage(name, grammar);

const TOKEN_KINDS: Record<string, TokenKind> = {
  keyword: "keyword", literal: "keyword", name: "keyword", section: "keyword", "selector-tag": "keyword", doctag: "keyword",
  title: "name", type: "name", built_in: "name", attr: "name", attribute: "name", property: "name", variable: "name", symbol: "name",
  string: "string", regexp: "string", char: "string", link: "string",
  number: "number", comment: "comment", quote: "comment", meta: "meta", addition: "added", deletion: "removed",
};
const CHARACTERS: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
/** The highlighter's output: the start or end of an element, or text. */
const OUTPUT_PART = /<span class="hljs-([\w-]+)[^"]*">|<\/span>|<span[^>]*>|(&#?\w+;|[^<&]+)/g;

/** Returns the colored tokens of a text; the innermost of nested tokens wins. */
export function tokenize(text: string, language: string): Token[] {
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
