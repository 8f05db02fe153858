// Reading and editing the filters of a query. The engine alone understands queries; this only finds words such as
// `is:closed`, `-label:"help wanted"` and `source:acme/app` in the text, so that they can be shown as chips and taken out.

/** The filters that are shown as chips. */
const NAMES = new Set([
  "is", "state", "kind", "type", "label", "source", "repo", "author", "in", "mode", "reason", "updated", "created", "closed",
  "commenter", "milestone", "comments", "no",
]);

export interface Filter {
  /** The word as typed: `-label:"help wanted"`. */
  text: string;
  name: string;
  /** The value without its quotes. */
  value: string;
  negated: boolean;
  start: number;
  end: number;
}

interface Word {
  text: string;
  start: number;
  end: number;
}

/** Splits at white space outside of quotes. An unclosed quote reaches to the end. */
function words(query: string): Word[] {
  const found: Word[] = [];
  for (const match of query.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)) {
    found.push({ text: match[0], start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/** The filters of a query, in their order. */
export function filters(query: string): Filter[] {
  const found: Filter[] = [];
  for (const word of words(query)) {
    const match = /^(-?)([a-z_]+):(.+)$/is.exec(word.text);
    const name = match?.[2]?.toLowerCase();
    if (!match || !name || !NAMES.has(name)) continue;
    const value = (match[3] ?? "").replaceAll('"', "");
    found.push({ ...word, name, value, negated: match[1] === "-" });
  }
  return found;
}

/** Whether the query has this filter, in whatever case. */
export function has(query: string, filter: string): boolean {
  return find(query, filter).length > 0;
}

function find(query: string, filter: string): Filter[] {
  const wanted = filters(filter)[0];
  if (!wanted) return [];
  return filters(query).filter(
    (f) => f.name === wanted.name && f.negated === wanted.negated && f.value.toLowerCase() === wanted.value.toLowerCase(),
  );
}

/** The query without one of its filters. */
export function remove(query: string, filter: Pick<Filter, "start" | "end">): string {
  const before = query.slice(0, filter.start).trimEnd();
  const after = query.slice(filter.end).trimStart();
  return before && after ? `${before} ${after}` : before + after;
}

/** The query without any filter: the words alone. */
export function withoutFilters(query: string): string {
  return filters(query).reduceRight((rest, filter) => remove(rest, filter), query);
}

/** The query with this filter at its end, unless it is there already. */
export function add(query: string, filter: string): string {
  if (has(query, filter)) return query;
  const rest = query.trimEnd();
  return rest ? `${rest} ${filter}` : filter;
}

/** Turns a filter on or off. Turning it on takes out those that it excludes. */
export function toggle(query: string, filter: string, excludes: readonly string[] = []): string {
  const present = find(query, filter);
  if (present.length > 0) return present.reduceRight((rest, f) => remove(rest, f), query);
  let rest = query;
  for (const other of excludes) {
    if (other !== filter) rest = find(rest, other).reduceRight((r, f) => remove(r, f), rest);
  }
  return add(rest, filter);
}

/** A filter as a word of the query language: its value in quotes where it needs them. */
export function filter(name: string, value: string): string {
  const plain = value.replaceAll('"', "");
  return /[\s]/.test(plain) ? `${name}:"${plain}"` : `${name}:${plain}`;
}
