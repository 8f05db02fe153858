// Long quotes and long logs are folded, so that what a person wrote stays in sight. What is folded says how long it is.

import { words } from "../words";

/** Up to so many lines nothing is folded. */
export const QUOTE_LINES = 6;
export const CODE_LINES = 30;
/** About how many characters of running text make a line. */
const LINE = 90;

/** The lines of a code block or a log. */
export function codeLines(text: string): number {
  return text.replace(/\n+$/, "").split("\n").length;
}

/** About how many lines a quote takes: running text has none of its own before it is laid out. */
function quoteLines(quote: Element): number {
  const copy = quote.cloneNode(true) as Element;
  for (const end of copy.querySelectorAll("br, p, li, pre, div, tr, h1, h2, h3, h4, h5, h6")) end.after("\n");
  const lines = (copy.textContent ?? "").split("\n").filter((line) => line.trim() !== "");
  return lines.reduce((sum, line) => sum + Math.ceil(line.trim().length / LINE), 0);
}

/** What the button says. */
export function unfold(sort: "code" | "quote", lines: number, marks = 0): string {
  return words.shared.fold[sort](lines, marks);
}

export const REFOLD = words.shared.fold.again;

/** Sanitised HTML with its long quotes and code blocks folded. */
export function folded(html: string): string {
  if (!/<(?:blockquote|pre)\b|\bfold\b/i.test(html)) return html;
  const template = document.createElement("template");
  template.innerHTML = html;
  const { content } = template;
  // A text must not look as if the window had folded it.
  for (const one of content.querySelectorAll(".fold, .unfold")) one.classList.remove("fold", "unfold");
  for (const quote of content.querySelectorAll("blockquote")) {
    const lines = quote.parentElement?.closest("blockquote") ? 0 : quoteLines(quote);
    if (lines > QUOTE_LINES) fold(quote, "quote", lines);
  }
  for (const code of content.querySelectorAll("pre")) {
    const lines = code.closest(".fold") ? 0 : codeLines(code.textContent ?? "");
    if (lines > CODE_LINES) fold(code, "code", lines);
  }
  return template.innerHTML;
}

function fold(block: Element, sort: "code" | "quote", lines: number): void {
  const whole = document.createElement("div");
  whole.className = `fold ${sort}`;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unfold link";
  button.setAttribute("aria-expanded", "false");
  button.textContent = unfold(sort, lines, block.querySelectorAll("mark").length);
  button.dataset["words"] = button.textContent;
  block.replaceWith(whole);
  whole.append(block, button);
}

function turn(whole: HTMLElement, isOpen: boolean): void {
  whole.classList.toggle("open", isOpen);
  const button = whole.querySelector<HTMLElement>(":scope > .unfold");
  if (!button) return;
  button.setAttribute("aria-expanded", String(isOpen));
  button.textContent = isOpen ? REFOLD : (button.dataset["words"] ?? "");
  // A long text that folds above the button must not take it out of sight.
  if (!isOpen) whole.scrollIntoView({ block: "nearest" });
}

/** Lets the buttons of folded HTML work, and unfolds what the focus gets into. */
export function folds(root: HTMLElement): () => void {
  const wholeOf = (target: EventTarget | null) => (target instanceof Element ? target.closest<HTMLElement>(".fold") : null);
  const onclick = (event: Event) => {
    const whole = event.target instanceof Element && event.target.closest(".unfold") ? wholeOf(event.target) : null;
    if (whole) turn(whole, !whole.classList.contains("open"));
  };
  const onfocusin = (event: Event) => {
    const whole = wholeOf(event.target);
    if (whole && event.target instanceof Element && !event.target.matches(".unfold, .fold > pre")) turn(whole, true);
  };
  root.addEventListener("click", onclick);
  root.addEventListener("focusin", onfocusin);
  return () => {
    root.removeEventListener("click", onclick);
    root.removeEventListener("focusin", onfocusin);
  };
}
