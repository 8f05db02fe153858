// Images in texts. None is fetched unless a person asked for those of its host, which is that of a source.

import * as api from "./api";
import type { Images } from "./leads";
import { words } from "../words";

/** So many are kept, so that a way back shows them at once. */
const KEPT = 60;
const known = new Map<string, Promise<string>>();

function fetched(url: string): Promise<string> {
  const image = known.get(url) ?? api.image(url);
  known.set(url, image);
  image.catch(() => known.delete(url));
  const oldest = known.keys().next();
  if (known.size > KEPT && !oldest.done) known.delete(oldest.value);
  return image;
}

/** Whether it is shown now. */
async function load(place: HTMLElement, url: string): Promise<boolean> {
  const image = document.createElement("img");
  image.alt = place.textContent ?? "";
  try {
    image.src = await fetched(url);
    place.replaceChildren(image);
    place.classList.add("loaded");
    return true;
  } catch (thrown) {
    place.title = api.failure(thrown).message;
    return false;
  }
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/** Shows the images of sanitised HTML whose hosts a person chose, and offers to show those of another source. */
export function images(_html: string, of: Images | undefined): (root: HTMLElement) => () => void {
  return (root) => {
    const offers: HTMLElement[] = [];
    for (const place of root.querySelectorAll<HTMLElement>(".remote-image[data-src]:not(.loaded)")) {
      const url = place.dataset["src"] ?? "";
      const host = hostOf(url);
      if (host === null || !of?.knows(host)) continue;
      const offer = (run: () => void) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "link";
        button.textContent = words.shared.showImages(host);
        button.onclick = () => {
          // What reads it keeps the focus when the offer goes.
          root.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
          button.remove();
          run();
        };
        place.after(" ", button);
        offers.push(button);
      };
      // What could not be fetched is offered again.
      const show = () => void load(place, url).then((isShown) => isShown || !place.isConnected || offer(show));
      if (of.shows(host)) show();
      else offer(() => of.show(host));
    }
    return () => offers.forEach((offer) => offer.remove());
  };
}
