import { expect, it, vi } from "vitest";
import { openWindow, setUpPage, settle } from "../testing/testPage";

setUpPage();

it("new rows keep the scroll position", async () => {
  vi.stubGlobal("ResizeObserver", class {
    constructor(private readonly callback: () => void) {}
    observe() { this.callback(); }
    disconnect() {}
  });
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(560);
  const app = await openWindow("full");
  app.search.moveTo(0);
  await settle();
  const box = document.querySelector<HTMLElement>("#results .scroll")!;
  box.scrollTop = 300 * 56;
  box.dispatchEvent(new Event("scroll"));
  await settle();
  app.search.refresh();
  await settle();
  expect([app.search.hits[300]?.key, box.scrollTop]).toEqual(["acme/app#301", 300 * 56]);
});
