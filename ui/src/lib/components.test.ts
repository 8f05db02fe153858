import { readFileSync, readdirSync } from "node:fs";
import { flushSync } from "svelte";
import { beforeEach, expect, it, vi } from "vitest";
import { setUpPage, mountComponent } from "../testing/testPage";
import Loading from "./Loading.svelte";
import Time from "./Time.svelte";

setUpPage();
beforeEach(() => void vi.useFakeTimers({ now: Date.parse("2026-03-10T12:00:00Z") }));

it("a relative time updates itself", () => {
  mountComponent(Time, { time: "2026-03-10T11:59:30Z", label: "Updated" });
  const time = document.querySelector("time");
  expect([time?.textContent, time?.dateTime]).toEqual(["just now", "2026-03-10T11:59:30Z"]);
  expect(time?.title).toMatch(/^Updated: .*2026/);
  vi.advanceTimersByTime(180_000);
  flushSync();
  expect(document.querySelector("time")?.textContent).toBe("3 minutes ago");
});

it("shows nothing for an unknown time", () => {
  mountComponent(Time, { time: null });
  expect(document.querySelector("time")).toBe(null);
});

it("shows loading after a delay", () => {
  mountComponent(Loading, {});
  const loadingText = () => document.querySelector("[role=status]")?.textContent.trim();
  vi.advanceTimersByTime(140);
  flushSync();
  expect(loadingText()).toBe("");
  vi.advanceTimersByTime(20);
  flushSync();
  expect(loadingText()).toBe("Loading…");
});

it("animations last 120 ms at most", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:css|svelte)$/.test(name));
  const slowRules = files.flatMap((name) =>
    [...readFileSync(`src/${name}`, "utf8").matchAll(/^\s*(?:animation|transition)(?:-duration)?:([^;]*);/gm)].flatMap(([, rule = ""]) =>
      // The first time of each part is its duration, the second its delay.
      rule.split(",").flatMap((part) => {
        const [, n = "0", unit = "s"] = /([\d.]+)(ms|s)\b/.exec(part) ?? [];
        return Number(n) * (unit === "s" ? 1000 : 1) > 120 || part.includes("infinite") ? [`${name}: ${part.trim()}`] : [];
      }),
    ),
  );
  expect(slowRules).toEqual([]);
});
