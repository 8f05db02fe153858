// Number formats in English.

/** Formats "12,360"; grouped by hand, because `Intl` may be unusable. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Formats "1 comment", "12 comments". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Formats "3.4 MB". */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n / 1000;
  let index = 0;
  while (value >= 999.5 && index < units.length - 1) {
    value /= 1000;
    index++;
  }
  return `${value < 9.95 ? value.toFixed(1) : count(value)} ${units[index] ?? ""}`;
}

/** Formats "37%". */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : count(value)}%`;
}

/** Formats "38/s", "0.4/s". */
export function perSecond(n: number): string {
  return n < 10 ? `${n.toFixed(1)}/s` : `${count(n)}/s`;
}
