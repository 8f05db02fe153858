// Where the links in texts lead, for whoever shows a text.

import { getContext, setContext } from "svelte";
import { webAddress } from "./html";

export interface Images {
  /** Whether it is the host of a source. */
  knows: (host: string) => boolean;
  /** Whether the person wants to see those of this host. */
  shows: (host: string) => boolean;
  show: (host: string) => void;
}

export interface Leads {
  /** Reads an item of the casebook. */
  item: (key: string) => void;
  /** Opens an address outside. */
  web: (url: string) => void;
  /** Whether the casebook mirrors the source of a key. */
  mirrors: (key: string) => boolean;
  /** The images in texts, by their hosts. */
  images?: Images;
}

const KEY = Symbol("leads");

/** From here on down the links in texts lead there. */
export function offerLeads(leads: Leads): void {
  setContext(KEY, leads);
}

/** There is nowhere to go outside of the window. */
export function leads(): Leads | null {
  return getContext<Leads | undefined>(KEY) ?? null;
}

/** Goes where a click in a text leads; the page itself stays. */
export function follow(event: Event, base: string | null, to: Leads | null): void {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[href]") : null;
  if (!link) return;
  event.preventDefault();
  const key = link.dataset["item"];
  const url = key === undefined ? webAddress(event, base) : null;
  if (key !== undefined) to?.item(key);
  else if (url !== null) to?.web(url);
}
