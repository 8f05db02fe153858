// What a tracker text refers to: items, commits and addresses that were only written, as links.

import { words } from "../words";
import type { Thread } from "./types";

/** Where a text stands: what `#12` means there, and which items can be read here. */
export interface Here {
  /** The source of the text; a note has none. */
  source: string | null;
  /** The address of the project at its tracker, where that is of a form that is known: `https://github.com/acme/app`. */
  base: string | null;
  knows: (key: string) => boolean;
}

/** Longer texts are shown as they are: nobody reads them whole, and the window stays quick. */
const MAX_READ = 400_000;
/** Nor does anybody follow more links than this. */
const MAX_LINKS = 2_000;
/** The address of an item, of which all but the end is that of its project. */
const ITEM = /^(https?:\/\/[^/]+\/.+?)(\/-)?\/(?:issues|pulls?|merge_requests)\/(\d+)(?:[/?#]|$)/;
const REFERENCES =
  /https?:\/\/[^\s<>"`]{1,2000}|(?<![\p{L}\p{N}_/&#.@-])((?:[\w.-]{1,100}\/){1,6}[\w.-]{1,100})?#(\d{1,15})(?![\p{L}\p{N}_-])|(?<![\p{L}\p{N}_/&#.@=-])[0-9a-f]{7,40}(?![\p{L}\p{N}_/=-]|\.\w)/gu;

export function hereOf(thread: Pick<Thread, "key" | "kind" | "source" | "url" | "links">): Here {
  const held = new Set([thread.key, ...thread.links.filter((link) => link.document !== null).map((link) => link.key)]);
  const [, base, dash = ""] = ITEM.exec(thread.url ?? "") ?? [];
  // A bare number in a note is one of the items that it is about.
  const item = thread.kind === "note" ? thread.links.find((link) => link.document === "issue" || link.document === "pull_request") : undefined;
  const source = item ? item.key.slice(0, item.key.lastIndexOf("#")) : thread.source;
  return { source, base: base === undefined ? null : base + dash, knows: (key) => held.has(key) };
}

/** Sanitised HTML in which references are links. What leads to an item of the casebook names it in `data-item`. */
export function linked(html: string, here: Here): string {
  if (html.length > MAX_READ || !/#\d|https?:|[0-9a-f]{7}/.test(html)) return html;
  const template = document.createElement("template");
  template.innerHTML = html;
  const { content } = template;
  for (const link of content.querySelectorAll("a[href]")) toItem(link, link.getAttribute("href") ?? "", here);
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text && !walker.currentNode.parentElement?.closest("a, pre, code")) nodes.push(walker.currentNode);
  let count = 0;
  for (const node of nodes) {
    let at = 0;
    const parts = document.createDocumentFragment();
    for (const match of node.data.matchAll(REFERENCES)) {
      if (count >= MAX_LINKS) break;
      const text = match[0].startsWith("http") ? address(match[0]) : match[0];
      const link = document.createElement("a");
      if (!leads(link, text, match, here)) continue;
      link.textContent = text;
      // "#1" is read from the left in an Arabic text too.
      link.dir = "ltr";
      parts.append(node.data.slice(at, match.index), link);
      at = match.index + text.length;
      count++;
    }
    if (at === 0) continue;
    parts.append(node.data.slice(at));
    node.replaceWith(parts);
  }
  return template.innerHTML;
}

/** An address without what ends the sentence that it stands in. */
function address(text: string): string {
  const end = /[.,;:!?'"*_\]}]+$/;
  let cut = text.replace(end, "");
  while (cut.endsWith(")") && cut.split("(").length < cut.split(")").length) cut = cut.slice(0, -1).replace(end, "");
  return cut;
}

/** Whether the link leads somewhere now. */
function leads(link: HTMLAnchorElement, text: string, [, source, number]: RegExpMatchArray, here: Here): boolean {
  if (number !== undefined) {
    const of = source ?? here.source;
    if (of === null) return false;
    if (here.knows(`${of}#${number}`)) return names(link, `${of}#${number}`);
    // What is not held here is at the tracker, if anywhere.
    if (of !== here.source || here.base === null) return false;
    link.href = `${here.base}/issues/${number}`;
    return true;
  }
  if (text.startsWith("http")) {
    link.href = text;
    toItem(link, text, here);
    return true;
  }
  // A word of seven letters or a number is no commit.
  if (here.base === null || !/\d/.test(text) || !/[a-f]/.test(text)) return false;
  link.href = `${here.base}/commit/${text}`;
  return true;
}

function toItem(link: Element, href: string, here: Here): void {
  const [whole, base, dash = "", number] = ITEM.exec(href) ?? [];
  const isComment = whole !== undefined && href.slice(whole.length - 1).startsWith("#");
  if (isComment || here.base === null || `${base ?? ""}${dash}` !== here.base || here.source === null) return;
  const key = `${here.source}#${number ?? ""}`;
  if (here.knows(key)) names(link, key);
}

function names(link: Element, key: string): true {
  link.setAttribute("href", "#");
  link.setAttribute("data-item", key);
  link.setAttribute("title", words.shared.readKey(key));
  return true;
}
