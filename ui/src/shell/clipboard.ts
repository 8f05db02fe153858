// Links and Markdown of items for the clipboard.

import type { Item } from "./localStore.svelte";

/** An item with its address and, if it is open, its text. */
export interface CurrentItem extends Item {
  url: string | null;
  body: string | null;
}

/** Returns an item's address at its tracker, or in this program if it came from a file. */
export function itemLink(subject: CurrentItem): string {
  if (subject.url) return subject.url;
  return `precedent://item/${subject.key.replaceAll("%", "%25").replaceAll("#", "%23").replaceAll(" ", "%20")}`;
}

/** Returns title, key, link and, if loaded, text. */
export function itemMarkdown(subject: CurrentItem): string {
  const title = subject.title.replace(/\s+/g, " ").replace(/[\\[\]]/g, "\\$&").trim();
  const head = `[${subject.key}](${itemLink(subject)})`;
  if (subject.body === null) return title ? `${head}: ${title}` : head;
  return `# ${title || subject.key}\n\n${head}\n\n${subject.body.trim()}\n`;
}
