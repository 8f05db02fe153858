// Tracker text is hostile. The engine has sanitised it; this does it again, with another program, at the last moment.

import DOMPurify from "dompurify";
import { straight } from "./text";

const OPTIONS = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "img", "picture", "video", "audio", "source", "form", "input", "textarea", "select", "button", "iframe", "object"],
  FORBID_ATTR: ["style", "srcset", "background", "autofocus", "popover", "popovertarget"],
  ALLOWED_URI_REGEXP: /^(?:https?:|#|\/|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  // What hostile text names itself must not shadow what the window uses.
  SANITIZE_NAMED_PROPS: true,
};

// A list and a quote have the direction of their own words: what marks an Arabic one stands at its right.
DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.matches("ol, ul, blockquote")) node.setAttribute("dir", "auto");
});

/** HTML that is safe to show: no script, no form, no remote image, no style. */
export function clean(html: string): string {
  return straight(DOMPurify.sanitize(html, OPTIONS));
}

/** The web address that a click inside tracker text leads to, if it is one. */
export function webAddress(event: Event, base: string | null): string | null {
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
