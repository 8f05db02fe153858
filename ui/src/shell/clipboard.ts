// What goes onto the clipboard, and how.

import { words } from "../words";
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

/** Puts a text onto the clipboard. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text);
  }
}

/** The old way, where the window is not trusted with the new one. */
function copyBySelection(text: string): void {
  const focused = document.activeElement;
  const box = document.createElement("textarea");
  box.value = text;
  box.style.position = "fixed";
  box.style.opacity = "0";
  document.body.append(box);
  box.focus({ preventScroll: true });
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  if (!done) throw new Error(words.shell.noClipboard);
}
