// What goes onto the clipboard, and how.

import * as api from "../lib/api";
import type { Item } from "./shelf.svelte";

/** An item of which its address is known, and where it is open, its text. */
export interface Subject extends Item {
  url: string | null;
  body: string | null;
}

/** The address of an item: at its tracker, or in this program where it came from a file. */
export function link(subject: Subject): string {
  if (subject.url) return subject.url;
  return `precedent://item/${subject.key.replaceAll("%", "%25").replaceAll("#", "%23").replaceAll(" ", "%20")}`;
}

/** Title, key and link, and the text where there is one. */
export function markdown(subject: Subject): string {
  const title = subject.title.replace(/\s+/g, " ").replace(/[\\[\]]/g, "\\$&").trim();
  const head = `[${subject.key}](${link(subject)})`;
  if (subject.body === null) return title ? `${head}: ${title}` : head;
  return `# ${title || subject.key}\n\n${head}\n\n${subject.body.trim()}\n`;
}

/** Puts a text onto the clipboard. The page's own clipboard is refused by WebKitGTK without a click. */
export const copy = (text: string): Promise<void> => api.copyText(text);
