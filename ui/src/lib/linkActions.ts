// The actions of links and images in texts, provided through the component context.

import { getContext, setContext } from "svelte";
import { linkAddress } from "./html";

export interface ImagePolicy {
  isSourceHost: (host: string) => boolean;
  isAllowed: (host: string) => boolean;
  allow: (host: string) => void;
}

interface LinkActions {
  openItem: (key: string) => void;
  openAddress: (url: string) => void;
  /** Returns whether the casebook mirrors the source of a key. */
  mirrors: (key: string) => boolean;
  images?: ImagePolicy;
}

const KEY = Symbol("linkActions");

/** Provides the link actions to all components below. */
export function provideLinkActions(actions: LinkActions): void {
  setContext(KEY, actions);
}

/** Returns the link actions; `null` outside the main window. */
export function linkActions(): LinkActions | null {
  return getContext<LinkActions | undefined>(KEY) ?? null;
}

/** Opens the clicked link without leaving the page. */
export function followLink(event: Event, base: string | null, actions: LinkActions | null): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[href]") : null;
  if (!link) return;
  event.preventDefault();
  const key = link.dataset["item"];
  const url = key === undefined ? linkAddress(event, base) : null;
  if (key !== undefined) actions?.openItem(key);
  else if (url !== null) actions?.openAddress(url);
}
