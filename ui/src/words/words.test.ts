// No component has words of its own: whoever wants to say something says it in the catalogue.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parse } from "svelte/compiler";
import ts from "typescript";
import { expect, it } from "vitest";
import { words } from ".";

const SRC = join(import.meta.dirname, "..");

/** What speaks to nobody who uses the window, and what rewrites the English of the engine. */
const APART = [/^words\//, /^stories\//, /\.test\.ts$/, /^lib\/(types|hints|grammar|languages)\.ts$/];

/** Attributes and properties that hold no text: classes, addresses, identities, places in the engine's data. */
const SILENT = new RegExp(
  `^(?:${[
    "class|style|id|for|href|src|type|role|name|rel|target|autocomplete|inputmode|enterkeyhint|spellcheck|lang|dir|media|key|scope|part|slot",
    "data-.*|aria-(?!label|description|roledescription|valuetext|placeholder).*|on.*|sort|tone|kind|shape",
    "svg|d|points|transform|viewBox|fill|stroke.*|text-anchor",
  ].join("|")})$`,
);

/** The names of keys, as `KeyboardEvent` and the lists of keys write them. */
const NAMED = "Ctrl|Alt|Shift|Meta|Control|Enter|Escape|Esc|Tab|Space|Home|End|Delete|Backspace|Menu|ContextMenu|Insert|Dead|Process|PageUp|PageDown";
const KEY = new RegExp(`^(?:(?:${NAMED}|Arrow(?:Left|Right|Up|Down)?|F\\d+|.)(?: |$))+$`, "u");

const TAG = /^(?:a|b|blockquote|br|button|code|div|h[1-6]|input|li|p|pre|select|span|summary|table|td|textarea|th|tr|ul)$/;

/** Functions that take selectors and classes. */
const SELECTS = /\b(?:querySelector(?:All)?|closest|matches|add|remove|toggle)$/;

/** Names that are compared with what a system calls itself, and shown to nobody. */
const NAMES = new Set(["Linux"]);

interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

/** Whether a literal reads as something said: two words, a capital and small letters, or a mark at its end. */
function isSaid(text: string): boolean {
  const one = text.trim();
  if (!/\p{L}{2}/u.test(one) || KEY.test(one) || NAMES.has(one) || one.split(/[ ,]+/).every((part) => TAG.test(part))) return false;
  // Selectors, paths, patterns, addresses, media and the filters of a query.
  if (/[[\]{}<>\\^$|=*_]|^[.#/@]|^\p{Ll}+:\S|^\([\w-]+: [\w-]+\)$|\.(?:svelte|js|ts)$/u.test(one)) return false;
  const forms = [/\p{L}{2,}[’']?\p{L}*[,;:]? [\p{L}“(]/u, /^\p{Lu}\p{Ll}+:?$/u, /\p{L}[.…?!]$| .*\p{L}:$/u, /^[,;(·] ?\p{L}/u];
  return forms.some((form) => form.test(one));
}

function files(under: string): string[] {
  return readdirSync(under, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(SRC, join(one.parentPath, one.name)).replaceAll("\\", "/"))
    .filter((name) => /\.(?:svelte|ts)$/.test(name) && !APART.some((one) => one.test(name)));
}

/** What the TypeScript of a file says by itself. */
function saidByCode(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node) || ts.isNewExpression(node)) {
      // Types are no texts. What is thrown is a defect's, and nobody but its finder reads it.
      if (!ts.isNewExpression(node) || /Error$/.test(node.expression.getText())) return;
    }
    // Classes and selectors.
    if (ts.isBinaryExpression(node) && /\.className$/.test(node.left.getText())) return;
    if (ts.isCallExpression(node) && SELECTS.test(node.expression.getText()) && node.arguments.every(ts.isStringLiteralLike)) {
      return visit(node.expression);
    }
    if (ts.isStringLiteralLike(node) && isSaid(node.text)) found.push(node.text);
    if (ts.isTemplateExpression(node)) {
      const parts = [node.head.text, ...node.templateSpans.map((one) => one.literal.text)];
      if (parts.some((part) => /\p{L}{2}/u.test(part)) && isSaid(parts.join("x"))) found.push(node.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("one.ts", source, ts.ScriptTarget.Latest, true));
  return found;
}

/** What a component says by itself: in its text, in attributes that are read or heard, in its expressions and in its script. */
function saidByComponent(source: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown, attribute: string | null): void => {
    if (Array.isArray(node)) return node.forEach((one) => visit(one, attribute));
    if (node === null || typeof node !== "object" || !("type" in node)) return;
    const one = node as Node;
    if (one.type === "RegularElement" && one["name"] === "kbd") return;
    if (one.type === "ClassDirective" || one.type === "StyleDirective" || one.type === "OnDirective") return;
    if (one.type === "Attribute") {
      const name = String(one["name"]);
      if (!SILENT.test(name)) visit(one["value"], name);
      return;
    }
    if (one.type === "Text") {
      const text = String(one["data"]).trim();
      const isHeard = attribute !== null && /^(?:title|aria-label|alt|placeholder|label)$/.test(attribute);
      if (attribute === null ? /\p{L}/u.test(text) : isSaid(text) || (isHeard && /\p{L}{2}/u.test(text) && !KEY.test(text))) found.push(text);
      return;
    }
    if (/Expression$|Literal$/.test(one.type)) {
      found.push(...saidByCode(`(${source.slice(one.start, one.end)})`));
      return;
    }
    for (const [member, value] of Object.entries(one)) if (member !== "metadata" && member !== "css") visit(value, attribute);
  };
  const tree = parse(source, { modern: true });
  visit(tree.fragment, null);
  for (const script of [tree.instance, tree.module]) if (script) {
    const { start, end } = script.content as unknown as Node;
    found.push(...saidByCode(source.slice(start, end)));
  }
  return found;
}

it.each(files(SRC))("%s says nothing that the catalogue does not", (name) => {
  const source = readFileSync(join(SRC, name), "utf8");
  expect(name.endsWith(".svelte") ? saidByComponent(source) : saidByCode(source)).toEqual([]);
});

it("finds what a component says by itself, wherever it stands", () => {
  expect(saidByComponent('<p class="a b">Nothing found</p>')).toEqual(["Nothing found"]);
  expect(saidByComponent('<b title="Back">{found ? "Retry" : words.x}</b>')).toEqual(["Back", "Retry"]);
  expect(saidByComponent("<b aria-label={`Remove ${key}`}>{x}</b>")).toEqual(["`Remove ${key}`"]);
  expect(saidByComponent('<script lang="ts">const a: "One of" = one; const b = "closed twice";</script><kbd>Esc</kbd>')).toEqual(["closed twice"]);
  expect(saidByCode('const a = "is:open", b = "Ctrl Enter", c = ".row [data-doc]", d = "ArrowUp", e = "high";')).toEqual([]);
});

it("says something wherever it is asked", () => {
  const empty: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value === "string") value.trim() === "" && empty.push(path);
    else if (value !== null && typeof value === "object") for (const [member, one] of Object.entries(value)) visit(one, `${path}.${member}`);
  };
  visit(words, "words");
  expect(empty).toEqual([]);
});
