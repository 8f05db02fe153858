// Folds long quotes and logs, so that the author's own text stays in view.

import { words } from "../words";

const texts = words.shared.fold;

/** Longer blocks are folded. */
const QUOTE_LINES = 6;
export const CODE_LINES = 30;
/** The assumed line length of running text, in characters. */
const LINE_LENGTH = 90;

export function codeLines(text: string): number {
  return text.replace(/\n+$/, "").split("\n").length;
}

/** Estimates the lines of a quote, whose running text has no line breaks before layout. */
function quoteLines(quote: Element): number {
  const copy = quote.cloneNode(true) as Element;
  for (const end of copy.querySelectorAll("br, p, li, pre, div, tr, h1, h2, h3, h4, h5, h6")) end.after("\n");
  const lines = (copy.textContent ?? "").split("\n").filter((line) => line.trim() !== "");
  return lines.reduce((sum, line) => sum + Math.ceil(line.trim().length / LINE_LENGTH), 0);
}

/** Folds the long quotes and code blocks of sanitized HTML. */
export function foldLongBlocks(html: string): string {
  if (!/<(?:blockquote|pre)\b|\bfold\b/i.test(html)) return html;
  const template = document.createElement("template");
  template.innerHTML = html;
  const { content } = template;
  // Tracker text must not imitate a fold.
  for (const entry of content.querySelectorAll(".fold, .unfold")) entry.classList.remove("fold", "unfold");
  for (const quote of content.querySelectorAll("blockquote")) {
    const lines = quote.parentElement?.closest("blockquote") ? 0 : quoteLines(quote);
    if (lines > QUOTE_LINES) foldBlock(quote, "quote", lines);
  }
  for (const code of content.querySelectorAll("pre")) {
    const lines = code.closest(".fold") ? 0 : codeLines(code.textContent ?? "");
    if (lines > CODE_LINES) foldBlock(code, "code", lines);
  }
  return template.innerHTML;
}

function foldBlock(block: Element, kind: "code" | "quote", lines: number): void {
  const container = document.createElement("div");
  container.className = `fold ${kind}`;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unfold link";
  button.setAttribute("aria-expanded", "false");
  button.textContent = texts[kind](lines, block.querySelectorAll("mark").length);
  button.dataset["words"] = button.textContent;
  block.replaceWith(container);
  container.append(block, button);
}

function setOpen(container: HTMLElement, isOpen: boolean): void {
  container.classList.toggle("open", isOpen);
  const button = container.querySelector<HTMLElement>(":scope > .unfold");
  if (!button) return;
  button.setAttribute("aria-expanded", String(isOpen));
  button.textContent = isOpen ? texts.refold : (button.dataset["words"] ?? "");
  // Folding a long text above the button must not scroll the button out of view.
  if (!isOpen) container.scrollIntoView({ block: "nearest" });
}

/** Makes the fold buttons work, and unfolds a block that receives focus. */
export function enableFolds(root: HTMLElement): () => void {
  const foldOf = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>(".fold") : null);
  const onclick = (event: Event) => {
    const container = event.target instanceof Element && event.target.closest(".unfold") ? foldOf(event.target) : null;
    if (container) setOpen(container, !container.classList.contains("open"));
  };
  const onfocusin = (event: Event) => {
    const container = foldOf(event.target);
    if (container && event.target instanceof Element && !event.target.matches(".unfold, .fold > pre")) setOpen(container, true);
  };
  root.addEventListener("click", onclick);
  root.addEventListener("focusin", onfocusin);
  return () => {
    root.removeEventListener("click", onclick);
    root.removeEventListener("focusin", onfocusin);
  };
}
