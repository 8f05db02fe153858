// Colours for code whose fence names its language. The text stays the one that it was: a colour is all that comes to it, and it
// comes later, so that nothing waits for it and nothing moves.

import type { Read, Reading } from "./colour.worker";
import { languageOf, type Token } from "./languages";

/** Longer code is shown as it is. In characters. */
export const LONGEST = 30_000;
/** A text that takes longer to read than this, in milliseconds, was made to. */
const WITHIN = 1000;

let worker: Worker | null = null;
let line: Promise<unknown> = Promise.resolve();

/** Gives the worker one text. What it does not answer in time, or at all, is nothing. */
function read(reading: Reading): Promise<Read> {
  return new Promise((resolve) => {
    const reader = (worker ??= new Worker(new URL("./colour.worker.ts", import.meta.url), { type: "module" }));
    const give = (found: Read, isWell: boolean) => {
      clearTimeout(timer);
      if (!isWell) {
        reader.terminate();
        worker = null;
      }
      resolve(found);
    };
    const timer = setTimeout(() => give([], false), WITHIN);
    reader.onmessage = ({ data }: MessageEvent<Read>) => give(data, true);
    reader.onerror = () => give([], false);
    reader.postMessage(reading);
  });
}

/** Gives the pieces of a text their colours, whatever lies around them already. */
function paint(element: HTMLElement, tokens: readonly Token[]): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
  let [at, next] = [0, 0];
  for (const text of texts) {
    const end = at + text.length;
    const parts: (string | HTMLElement)[] = [];
    let done = at;
    for (let token = tokens[next]; token && token[0] < end; token = tokens[next]) {
      const [from, to] = [Math.max(token[0], at), Math.min(token[1], end)];
      const piece = document.createElement("span");
      piece.className = `code-${token[2]}`;
      piece.textContent = text.data.slice(from - at, to - at);
      parts.push(text.data.slice(done - at, from - at), piece);
      done = to;
      // The rest of it is in the next text.
      if (token[1] > end) break;
      next++;
    }
    if (parts.length > 0) text.replaceWith(...parts.filter((part) => part !== ""), text.data.slice(done - at));
    at = end;
  }
}

/** Colours an element that holds code of a language, as far as it is one that is known. */
export function colour(element: HTMLElement, named: string | null): void {
  const text = element.textContent ?? "";
  const language = languageOf(named);
  if (language === null || text.length > LONGEST || text.trim() === "" || typeof Worker === "undefined") return;
  // One after another: each has its time for itself.
  line = line.then(async () => {
    if (!element.isConnected) return;
    const tokens = await read({ text, language });
    if (element.isConnected && element.textContent === text) paint(element, tokens);
  });
}

/** Colours the code in sanitised HTML, and again when there is another text. */
export function colours(_html: string): (root: HTMLElement) => void {
  return (root) => {
    for (const code of root.querySelectorAll<HTMLElement>("pre > code[class^=language-]")) colour(code, code.className.slice("language-".length));
  };
}
