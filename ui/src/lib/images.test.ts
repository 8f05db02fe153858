import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";
import { embedImages } from "./images";

afterEach(clearMocks);

const BODY = (host: string) => `<p><span class="remote-image" data-src="https://${host}/a.png">screen shot</span></p>`;

function root(html: string): HTMLElement {
  const found = document.createElement("div");
  found.innerHTML = html;
  return found;
}

it("loads a source's images on request", async () => {
  const asked: unknown[] = [];
  mockIPC((command, payload) => {
    asked.push([command, payload]);
    return "data:image/png;base64,AAAA";
  });
  const wanted: string[] = [];
  const of = { isSourceHost: (host: string) => host === "tracker.example", isAllowed: (host: string) => wanted.includes(host), allow: (host: string) => void wanted.push(host) };
  const known = root(BODY("tracker.example"));
  const away = embedImages("", of)(known);
  expect(known.querySelector("button")?.textContent).toBe("Show images from tracker.example");
  known.querySelector("button")?.click();
  away();
  expect([asked, known.querySelector("button")]).toEqual([[], null]);
  embedImages("", of)(known);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(known.querySelector("img")?.outerHTML).toBe('<img alt="screen shot" src="data:image/png;base64,AAAA">');
  expect(asked).toEqual([["image", { url: "https://tracker.example/a.png" }]]);
});

it("ignores images of unknown hosts", () => {
  const of = { isSourceHost: () => false, isAllowed: () => true, allow: () => {} };
  const unknown = root(BODY("spy.example"));
  embedImages("", of)(unknown);
  expect(unknown.innerHTML).toBe(BODY("spy.example"));
});
