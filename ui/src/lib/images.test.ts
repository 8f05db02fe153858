import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";
import { embedImages } from "./images";

afterEach(clearMocks);

const BODY = (host: string) => `<p><span class="remote-image" data-src="https://${host}/a.png">screen shot</span></p>`;

function root(html: string): HTMLElement {
  const element = document.createElement("div");
  element.innerHTML = html;
  return element;
}

it("loads a source's images on request", async () => {
  const requests: unknown[] = [];
  mockIPC((command, payload) => {
    requests.push([command, payload]);
    return "data:image/png;base64,AAAA";
  });
  const allowedHosts: string[] = [];
  const policy = { isSourceHost: (host: string) => host === "tracker.example", isAllowed: (host: string) => allowedHosts.includes(host), allow: (host: string) => void allowedHosts.push(host) };
  const page = root(BODY("tracker.example"));
  const removeOffers = embedImages("", policy)(page);
  expect(page.querySelector("button")?.textContent).toBe("Show images from tracker.example");
  page.querySelector("button")?.click();
  removeOffers();
  expect([requests, page.querySelector("button")]).toEqual([[], null]);
  embedImages("", policy)(page);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(page.querySelector("img")?.outerHTML).toBe('<img alt="screen shot" src="data:image/png;base64,AAAA">');
  expect(requests).toEqual([["image", { url: "https://tracker.example/a.png" }]]);
});

it("ignores images of unknown hosts", () => {
  const policy = { isSourceHost: () => false, isAllowed: () => true, allow: () => {} };
  const page = root(BODY("spy.example"));
  embedImages("", policy)(page);
  expect(page.innerHTML).toBe(BODY("spy.example"));
});
