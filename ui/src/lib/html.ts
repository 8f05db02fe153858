// Tracker text is hostile: the engine sanitizes it, and this sanitizes it again before display.

import DOMPurify from "dompurify";
import { stripBidi } from "./text";

const OPTIONS = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "img", "picture", "video", "audio", "source", "form", "input", "textarea", "select", "button", "iframe", "object"],
  FORBID_ATTR: ["style", "srcset", "background", "autofocus", "popover", "popovertarget"],
  ALLOWED_URI_REGEXP: /^(?:https?:|#|\/|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  // Names in hostile text must not shadow the window's own.
  SANITIZE_NAMED_PROPS: true,
};

// Lists and quotes follow the direction of their own text.
DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.matches("ol, ul, blockquote")) node.setAttribute("dir", "auto");
});

/** Sanitizes HTML: no scripts, forms, remote images or styles. */
export function sanitizeHtml(html: string): string {
  return stripBidi(DOMPurify.sanitize(html, OPTIONS));
}

/** Returns the web address of a clicked link, or `null`. */
export function linkAddress(event: Event, base: string | null): string | null {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  const href = link?.getAttribute("href");
  if (!href || href.startsWith("#")) return null;
  try {
    const url = new URL(href, base ?? undefined);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}
