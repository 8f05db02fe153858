// Links for the items, commits and addresses that a tracker text mentions.

import { words } from "../words";
import { replaceText } from "./replaceText";
import type { Thread } from "./types";

/** The context of a text: what `#12` means in it, and which items can be opened. */
export interface ReferenceContext {
  source: string | null;
  /** The project's address at its tracker, if its form is known: `https://github.com/acme/app`. */
  base: string | null;
  knows: (key: string) => boolean;
}

/** The maximum text length in characters; longer texts are not linked, to stay responsive. */
const MAX_LENGTH = 400_000;
const MAX_LINKS = 2_000;
/** An item's address, which starts with its project's address. */
const ITEM = /^(https?:\/\/[^/]+\/.+?)(\/-)?\/(?:issues|pulls?|merge_requests)\/(\d+)(?:[/?#]|$)/;
const REFERENCES =
  /https?:\/\/[^\s<>"`]{1,2000}|(?<![\p{L}\p{N}_/&#.@-])((?:[\w.-]{1,100}\/){1,6}[\w.-]{1,100})?#(\d{1,15})(?![\p{L}\p{N}_-])|(?<![\p{L}\p{N}_/&#.@=-])[0-9a-f]{7,40}(?![\p{L}\p{N}_/=-]|\.\w)/gu;

export function referenceContext(thread: Pick<Thread, "key" | "kind" | "source" | "url" | "links">): ReferenceContext {
  const mirroredKeys = new Set([thread.key, ...thread.links.filter((link) => link.document !== null).map((link) => link.key)]);
  const [, base, dash = ""] = ITEM.exec(thread.url ?? "") ?? [];
  // In a note, a bare number refers to the item that the note is linked to.
  const item = thread.kind === "note" ? thread.links.find((link) => link.document === "issue" || link.document === "pull_request") : undefined;
  const source = item ? item.key.slice(0, item.key.lastIndexOf("#")) : thread.source;
  return { source, base: base === undefined ? null : base + dash, knows: (key) => mirroredKeys.has(key) };
}

/** Links the references in sanitized HTML. Links to mirrored items have `data-item`. */
export function linkReferences(html: string, context: ReferenceContext): string {
  if (html.length > MAX_LENGTH || !/#\d|https?:|[0-9a-f]{7}/.test(html)) return html;
  const template = document.createElement("template");
  template.innerHTML = html;
  const { content } = template;
  for (const link of content.querySelectorAll("a[href]")) linkToItem(link, link.getAttribute("href") ?? "", context);
  replaceText(content, REFERENCES, MAX_LINKS, (match) => {
    const text = match[0].startsWith("http") ? trimAddress(match[0]) : match[0];
    const link = document.createElement("a");
    if (!setTarget(link, text, match, context)) return null;
    link.textContent = text;
    // "#1" reads left to right even in Arabic text.
    link.dir = "ltr";
    return link;
  }, "a, pre, code");
  return template.innerHTML;
}

/** Removes trailing sentence punctuation from an address. */
function trimAddress(text: string): string {
  const punctuation = /[.,;:!?'"*_\]}]+$/;
  let address = text.replace(punctuation, "");
  while (address.endsWith(")") && address.split("(").length < address.split(")").length) address = address.slice(0, -1).replace(punctuation, "");
  return address;
}

/** Sets the target of a link. Returns whether the reference has one. */
function setTarget(link: HTMLAnchorElement, text: string, [, source, number]: RegExpMatchArray, context: ReferenceContext): boolean {
  if (number !== undefined) {
    const itemSource = source ?? context.source;
    if (itemSource === null) return false;
    if (context.knows(`${itemSource}#${number}`)) return setItem(link, `${itemSource}#${number}`);
    // Items that are not mirrored can only be at the tracker.
    if (itemSource !== context.source || context.base === null) return false;
    link.href = `${context.base}/issues/${number}`;
    return true;
  }
  if (text.startsWith("http")) {
    link.href = text;
    linkToItem(link, text, context);
    return true;
  }
  // A word of seven letters or a plain number is not a commit.
  if (context.base === null || !/\d/.test(text) || !/[a-f]/.test(text)) return false;
  link.href = `${context.base}/commit/${text}`;
  return true;
}

function linkToItem(link: Element, href: string, context: ReferenceContext): void {
  const [itemUrl, base, dash = "", number] = ITEM.exec(href) ?? [];
  const isComment = itemUrl !== undefined && href.slice(itemUrl.length - 1).startsWith("#");
  if (isComment || context.base === null || `${base ?? ""}${dash}` !== context.base || context.source === null) return;
  const key = `${context.source}#${number ?? ""}`;
  if (context.knows(key)) setItem(link, key);
}

function setItem(link: Element, key: string): true {
  link.setAttribute("href", "#");
  link.setAttribute("data-item", key);
  link.setAttribute("title", words.shared.readKey(key));
  return true;
}
