// Images in texts, fetched only from source hosts that the user allowed.

import * as api from "./api";
import type { ImagePolicy } from "./linkActions";
import { words } from "../words";

/** The maximum number of cached images; they are shown at once when going back. */
const MAX_CACHED = 60;
const cache = new Map<string, Promise<string>>();

function fetchImage(url: string): Promise<string> {
  const image = cache.get(url) ?? api.image(url);
  cache.set(url, image);
  image.catch(() => cache.delete(url));
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value);
  return image;
}

/** Loads an image into its placeholder. Returns whether it is shown. */
async function loadImage(placeholder: HTMLElement, url: string): Promise<boolean> {
  const image = document.createElement("img");
  image.alt = placeholder.textContent ?? "";
  try {
    image.src = await fetchImage(url);
    placeholder.replaceChildren(image);
    placeholder.classList.add("loaded");
    return true;
  } catch (error) {
    placeholder.title = api.toFailure(error).message;
    return false;
  }
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/** Loads the images of allowed hosts, and offers to show those of other source hosts. */
export function embedImages(_html: string, policy: ImagePolicy | undefined): (root: HTMLElement) => () => void {
  return (root) => {
    const offers: HTMLElement[] = [];
    for (const placeholder of root.querySelectorAll<HTMLElement>(".remote-image[data-src]:not(.loaded)")) {
      const url = placeholder.dataset["src"] ?? "";
      const host = hostOf(url);
      if (host === null || !policy?.isSourceHost(host)) continue;
      const offer = (run: () => void) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "link";
        button.textContent = words.shared.showImages(host);
        button.onclick = () => {
          // Keeps the focus in the reader when the button disappears.
          root.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
          button.remove();
          run();
        };
        placeholder.after(" ", button);
        offers.push(button);
      };
      // A failed image is offered again.
      const show = () => void loadImage(placeholder, url).then((isShown) => isShown || !placeholder.isConnected || offer(show));
      if (policy.isAllowed(host)) show();
      else offer(() => policy.allow(host));
    }
    return () => offers.forEach((offer) => offer.remove());
  };
}
