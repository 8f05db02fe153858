// Syntax highlighting for code whose fence names its language. It never changes the text or layout.

import type { TokenizeRequest } from "./highlight.worker";
import type { Token } from "./tokenize";

/** The longest code that is highlighted, in characters. */
export const MAX_CODE_LENGTH = 30_000;
/** The tokenization timeout in milliseconds: hostile code can be very slow. */
const TIMEOUT = 1000;

let worker: Worker | null = null;
let queue: Promise<unknown> = Promise.resolve();

/** Sends a text to the worker. Resolves with no tokens on a timeout or an error. */
function tokenizeInWorker(request: TokenizeRequest): Promise<Token[]> {
  return new Promise((resolve) => {
    const tokenizer = (worker ??= new Worker(new URL("./highlight.worker.ts", import.meta.url), { type: "module" }));
    const finish = (tokens: Token[], isOk: boolean) => {
      clearTimeout(timer);
      if (!isOk) {
        tokenizer.terminate();
        worker = null;
      }
      resolve(tokens);
    };
    const timer = setTimeout(() => finish([], false), TIMEOUT);
    tokenizer.onmessage = ({ data }: MessageEvent<Token[]>) => finish(data, true);
    tokenizer.onerror = () => finish([], false);
    tokenizer.postMessage(request);
  });
}

/** Wraps an element's tokens in colored spans and keeps the elements inside it. */
function wrapTokens(element: HTMLElement, tokens: readonly Token[]): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
  let [start, tokenIndex] = [0, 0];
  for (const text of texts) {
    const end = start + text.length;
    const parts: (string | HTMLElement)[] = [];
    let offset = start;
    for (let token = tokens[tokenIndex]; token && token[0] < end; token = tokens[tokenIndex]) {
      const [from, to] = [Math.max(token[0], start), Math.min(token[1], end)];
      const span = document.createElement("span");
      span.className = `code-${token[2]}`;
      // Only a color, so that highlighting never moves text.
      span.style.color = `var(--${span.className})`;
      span.textContent = text.data.slice(from - start, to - start);
      parts.push(text.data.slice(offset - start, from - start), span);
      offset = to;
      // The token continues in the next text node.
      if (token[1] > end) break;
      tokenIndex++;
    }
    if (parts.length > 0) text.replaceWith(...parts.filter((part) => part !== ""), text.data.slice(offset - start));
    start = end;
  }
}

/** Highlights an element that contains code. */
function highlightCode(element: HTMLElement, language: string): void {
  const text = element.textContent ?? "";
  if (text.length > MAX_CODE_LENGTH || text.trim() === "" || typeof Worker === "undefined") return;
  // One at a time, so that each has the full timeout.
  queue = queue.then(async () => {
    if (!element.isConnected) return;
    const tokens = await tokenizeInWorker({ text, language });
    if (element.isConnected && element.textContent === text) wrapTokens(element, tokens);
  });
}

/** Highlights the code blocks in sanitized HTML. */
export function highlightCodeBlocks(_html: string): (root: HTMLElement) => void {
  return (root) => {
    for (const code of root.querySelectorAll<HTMLElement>("pre > code[class^=language-]")) highlightCode(code, code.className.slice("language-".length));
  };
}
