// Dates as text. WebKit's `Intl` throws for the locale "C", so the locale is checked once.

import { words } from "../words";

/** Returns the first locale that `Intl` accepts. */
export function pickLocale(candidates: readonly string[]): string {
  for (const candidate of candidates) {
    try {
      if (candidate !== "C" && Intl.DateTimeFormat.supportedLocalesOf(candidate).length > 0) return candidate;
    } catch {
      // Not a language tag: "C", "POSIX", "en_US".
    }
  }
  return "en";
}

const LOCALE = pickLocale(typeof navigator === "undefined" ? [] : (navigator.languages ?? [navigator.language]));

const UNITS = [
  [365.25 * 86_400, "year"],
  [30.44 * 86_400, "month"],
  [7 * 86_400, "week"],
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
] as const;

const { time: texts } = words.shared;

function measure(time: string | null, now: number): { count: number; unit: (typeof UNITS)[number][1]; future: boolean } | null {
  const timestamp = Date.parse(time ?? "");
  if (Number.isNaN(timestamp)) return null;
  const seconds = Math.abs(now - timestamp) / 1000;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return { count, unit, future: timestamp > now };
  }
  return { count: 0, unit: "minute", future: timestamp > now };
}

/** Returns "3 days ago"; empty for an invalid date. */
export function relativeTime(time: string | null, now: number = Date.now()): string {
  const age = measure(time, now);
  if (!age) return "";
  if (age.count === 0) return texts.now;
  return age.future ? texts.ahead(age.count, age.unit) : texts.ago(age.count, age.unit);
}

/** Returns "3d", for narrow columns. */
export function compactAge(time: string | null, now: number = Date.now()): string {
  const age = measure(time, now);
  return age ? (age.count === 0 ? texts.nowShort : texts.short(age.count, age.unit)) : "";
}

/** Returns the exact date and time, in the local time zone if known. */
export function absoluteTime(time: string | null): string {
  const date = new Date(time ?? "");
  if (Number.isNaN(date.getTime())) return "";
  try {
    return new Intl.DateTimeFormat(LOCALE, { dateStyle: "long", timeStyle: "long" }).format(date);
  } catch {
    return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  }
}
