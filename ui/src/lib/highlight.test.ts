import { readFileSync, readdirSync } from "node:fs";
import { flushSync } from "svelte";
import { beforeEach, expect, it, vi } from "vitest";
import { contrast, variableColors } from "../testing/contrast";
import { setUpPage, settle, mountComponent } from "../testing/testPage";
import { comment } from "../testing/samples";
import type { TokenizeRequest } from "./highlight.worker";
import { MAX_CODE_LENGTH } from "./highlight";
import Comment from "./Comment.svelte";
import { tokenize } from "./tokenize";
import type { Mark } from "./types";

/** The requested languages, whether the worker replies, and how often it was terminated. */
let requests: string[];
let replies: boolean;
let terminations: number;

setUpPage();
beforeEach(() => {
  [requests, replies, terminations] = [[], true, 0];
  vi.stubGlobal("Worker", class {
    onmessage: ((event: { data: unknown }) => void) | null = null;
    postMessage({ text, language }: TokenizeRequest): void {
      requests.push(language);
      if (replies) queueMicrotask(() => this.onmessage?.({ data: tokenize(text, language) }));
    }
    terminate(): void {
      terminations++;
    }
  });
});

const block = (language: string, html: string) => `<pre><code${language && ` class="language-${language}"`}>${html}</code></pre>`;
async function showComment(html: string, marks: Mark[] = []): Promise<void> {
  mountComponent(Comment, { comment: comment(1, { html }), verb: "reported", marks });
  await settle();
}
const tokens = (css = ".prose pre") => [...document.querySelectorAll(`${css} [class^=code-]`)].map((entry) => `${entry.className.slice(5)}: ${entry.textContent}`);

it("highlights a fenced block without changing its text", async () => {
  await showComment(block("rust", "// Once.\nfn f() -&gt; u8 { g(&quot;a &amp; b&quot;, 7) }"));
  expect(tokens()).toEqual(["comment: // Once.", "keyword: fn", "name: f", "name: u8", "name: g", 'string: "a & b"', "number: 7"]);
  expect(document.querySelector(".prose pre")?.textContent).toBe('// Once.\nfn f() -> u8 { g("a & b", 7) }');
});

it("leaves unknown languages plain", async () => {
  await showComment(block("", "fn f() {}") + block("cobol", "MOVE 1 TO A.") + block("log", "2026-01-01 ERROR 7") + block("constructor", "fn f() {}"));
  expect([tokens(), requests]).toEqual([[], ["cobol", "log", "constructor"]]);
});

it("skips long blocks and missing workers", async () => {
  await showComment(block("rust", "let a = 1;\n".repeat(MAX_CODE_LENGTH / 10)));
  vi.stubGlobal("Worker", undefined);
  await showComment(block("rust", "let a = 1;"));
  expect([tokens(), requests]).toEqual([[], []]);
});

it("keeps marks across highlighted tokens", async () => {
  await showComment(block("python", 'version = "2.3.1 rc"'), [{ text: "2.3.1", kind: "differs" }]);
  expect(document.querySelector("mark > .code-string")?.textContent).toBe("2.3.1");
  expect(tokens()).toEqual(['string: "', "string: 2.3.1", 'string:  rc"']);
});

it("renders hostile code as plain text", async () => {
  const hostile = '<img src=x onerror="window.owned = 1"><script>window.owned = 1</script>';
  for (const language of ["html", "js", "php", "sh"]) {
    await showComment(block(language, hostile.replaceAll("<", "&lt;")));
    expect([document.querySelector("img, script"), document.querySelector("pre")?.textContent]).toEqual([null, hostile]);
  }
  expect((globalThis as { owned?: number }).owned).toBe(undefined);
  expect(requests.length).toBe(4);
});

it("times out and continues with the next block", async () => {
  vi.useFakeTimers();
  replies = false;
  mountComponent(Comment, { comment: comment(1, { html: block("cpp", "a".repeat(9000)) + block("go", "var a = 1") }), verb: "reported" });
  await vi.advanceTimersByTimeAsync(10);
  replies = true;
  expect(requests).toEqual(["cpp"]);
  await vi.advanceTimersByTimeAsync(2000);
  flushSync();
  expect([requests, terminations, tokens()]).toEqual([["cpp", "go"], 1, ["keyword: var", "number: 1"]]);
});

it("tokenizes every supported language into ordered ranges", () => {
  const text = `<a b="c & d">'x'</a>\n# note\n// note\nif (a < 1) { return "b" + 'c'; }\nkey: value\n+ added\n- removed\nselect * from a where b = 'c';`;
  for (const language of "bash cpp csharp diff go ini java javascript json php python ruby rust sql typescript xml yaml".split(" ")) {
    const ranges = tokenize(text, language);
    let offset = 0;
    for (const [from, to] of ranges) {
      expect(from).toBeGreaterThanOrEqual(offset);
      expect(to).toBeGreaterThan(from);
      offset = to;
    }
    expect([ranges.length > 0, offset <= text.length], language).toEqual([true, true]);
  }
  expect(tokenize("TSX", "TSX").length + tokenize("new A()", "c#").length).toBeGreaterThan(1);
  expect(tokenize("+ a\n- b", "diff").map(([, , kind]) => kind)).toEqual(["added", "removed"]);
});

it("only the worker imports highlight.js", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:ts|svelte)$/.test(name) && !name.endsWith(".test.ts"));
  const importers = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(`src/${name}`, "utf8")));
  expect([importers(/from "highlight\.js/), importers(/import (?!type)[^;]*\/tokenize"/)]).toEqual([["lib/tokenize.ts"], ["lib/highlight.worker.ts"]]);
  expect(importers(/import (?!type)[^;]*highlight\.worker"/)).toEqual([]);
});

it("code colors have enough contrast", () => {
  const kinds = "keyword name string number comment meta added removed".split(" ");
  for (const kind of kinds) {
    for (const background of ["sunken", "surface", "same", "differs"]) {
      for (const [theme, color] of variableColors(`code-${kind}`).entries()) expect(contrast(color, variableColors(background)[theme] ?? ""), `${kind} on ${background}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
