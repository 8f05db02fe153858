// Parses and edits filters such as `is:closed`, `-label:"help wanted"` and `source:acme/app`, for
// chips and completion. Only the engine interprets queries.

/** The filters and their aliases. */
const FILTER_NAMES = new Map([
  ["is", "is"], ["state", "is"], ["type", "is"], ["source", "source"], ["repo", "source"], ["label", "label"],
  ["author", "author"], ["version", "version"], ["reason", "reason"], ["created", "created"], ["updated", "updated"], ["closed", "closed"],
  ["in", "in"], ["mode", "mode"],
]);
const VALUE_ALIASES = new Map([["pull_request", "pr"], ["pull-request", "pr"], ["wiki", "page"]]);

/** Longer or multi-line queries are pasted texts, in which the engine reads no filters. */
const MAX_TYPED = 1000;

export function isPasted(query: string): boolean {
  return query.length > MAX_TYPED || query.trim().includes("\n");
}

interface Filter {
  /** The word as typed: `-label:"help wanted"`. */
  text: string;
  /** The canonical name: `is` for `state:`. */
  name: string;
  /** The value without quotes. */
  value: string;
  negated: boolean;
  start: number;
  end: number;
}

/** A word; a quote opens at the start of a word, a value or an exclusion, if it is closed later. */
const WORD = /(?:(?<=^|[\s:-])"[^"]*"|\S)+/g;

export function parseFilters(query: string): Filter[] {
  if (isPasted(query)) return [];
  const result: Filter[] = [];
  for (const { 0: text, index: start } of query.matchAll(WORD)) {
    const match = /^(-?)([a-z]+):(.+)$/is.exec(text);
    const name = FILTER_NAMES.get(match?.[2]?.toLowerCase() ?? "");
    if (!match || !name) continue;
    const rawValue = (match[3] ?? "").replace(/^"+|"+$/g, "").trim();
    if (!rawValue) continue;
    const value = name === "is" ? (VALUE_ALIASES.get(rawValue.toLowerCase()) ?? rawValue.toLowerCase()) : rawValue;
    result.push({ text, start, end: start + text.length, name, value, negated: match[1] === "-" });
  }
  return result;
}

/** Returns whether the query has this filter, ignoring case. */
export function hasFilter(query: string, filter: string): boolean {
  return findFilter(query, filter).length > 0;
}

function findFilter(query: string, filter: string): Filter[] {
  const target = parseFilters(filter)[0];
  if (!target) return [];
  return parseFilters(query).filter(
    (f) => f.name === target.name && f.negated === target.negated && f.value.toLowerCase() === target.value.toLowerCase(),
  );
}

export function removeFilter(query: string, filter: Pick<Filter, "start" | "end">): string {
  const head = query.slice(0, filter.start).trimEnd();
  const tail = query.slice(filter.end).trimStart();
  return head && tail ? `${head} ${tail}` : head + tail;
}

export function removeFilters(query: string): string {
  return parseFilters(query).reduceRight((text, filter) => removeFilter(text, filter), query);
}

/** Appends a filter unless the query has it. */
export function addFilter(query: string, filter: string): string {
  if (hasFilter(query, filter)) return query;
  const text = query.trimEnd();
  return text ? `${text} ${filter}` : filter;
}

/** Toggles a filter. Adding it removes the filters that it excludes. */
export function toggleFilter(query: string, filter: string, excludes: readonly string[] = []): string {
  const matches = findFilter(query, filter);
  if (matches.length > 0) return matches.reduceRight((text, f) => removeFilter(text, f), query);
  let result = query;
  for (const other of excludes) {
    if (other !== filter) result = findFilter(result, other).reduceRight((text, f) => removeFilter(text, f), result);
  }
  return addFilter(result, filter);
}

/** Formats a filter, with quotes if its value needs them. */
export function filter(name: string, value: string): string {
  const unquoted = value.replaceAll('"', "");
  return /[\s]/.test(unquoted) ? `${name}:"${unquoted}"` : `${name}:${unquoted}`;
}

/** The filter values that do not depend on the casebook. */
const STATES = ["open", "closed", "merged", "issue", "pr", "page", "note", "locked", "bot"];
export const FILTER_VALUES: Readonly<Record<string, readonly string[]>> = { is: STATES, state: STATES, type: STATES };

/** A filter whose value is being typed. */
export type PartialFilter = Omit<Filter, "text">;

/** Returns the filter at the cursor if its values can be completed. */
export function filterAtCursor(query: string, cursor: number): PartialFilter | null {
  if (isPasted(query) || /^[^\s]/.test(query.slice(cursor))) return null;
  const match = /(?:^|\s)(-?)(label|author|version|reason|source|repo|is|state|type):("[^"]*|[^\s"]*)$/i.exec(query.slice(0, cursor));
  if (!match) return null;
  const [, sign = "", name = "", value = ""] = match;
  const start = cursor - sign.length - name.length - 1 - value.length;
  return { name: name.toLowerCase() === "repo" ? "source" : name.toLowerCase(), value: value.replace(/^"/, ""), negated: sign === "-", start, end: cursor };
}
