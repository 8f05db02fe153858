// Reading and editing the filters of a query. The engine alone understands queries; this only finds words such as
// `is:closed`, `-label:"help wanted"` and `source:acme/app` in the text, so that they can be shown as chips and taken out.

/** The filters, and the names that some go by as well. */
const NAMES = new Map([
  ["is", "is"], ["state", "is"], ["type", "is"], ["source", "source"], ["repo", "source"], ["label", "label"],
  ["author", "author"], ["reason", "reason"], ["created", "created"], ["updated", "updated"], ["closed", "closed"],
  ["in", "in"], ["mode", "mode"],
]);
const VALUES = new Map([["pull_request", "pr"], ["pull-request", "pr"], ["wiki", "page"]]);

/** Longer queries, and those of several lines, are pasted texts: the engine reads no filter in them. */
const MAX_TYPED = 1000;

/** Whether a query is a pasted text. */
export function isPasted(query: string): boolean {
  return query.length > MAX_TYPED || query.trim().includes("\n");
}

export interface Filter {
  /** The word as typed: `-label:"help wanted"`. */
  text: string;
  /** The filter's usual name: `is` for `state:`. */
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

/** Splits at white space outside of quotes, as the engine does. */
function words(query: string): Word[] {
  const found: Word[] = [];
  let start = -1;
  let quoted = false;
  for (let at = 0; at <= query.length; at++) {
    const c = query[at];
    if (c === undefined || (!quoted && /\s/.test(c))) {
      if (start >= 0) found.push({ text: query.slice(start, at), start, end: at });
      start = -1;
      continue;
    }
    if (start < 0) start = at;
    if (c !== '"') continue;
    // A quote opens at the start of a word, of a filter's value or of an exclusion, if it is closed somewhere.
    const before = at === start ? "" : query[at - 1];
    if (quoted) quoted = false;
    else if ((before === "" || before === ":" || before === "-") && query.includes('"', at + 1)) quoted = true;
  }
  return found;
}

/** The filters of a query, in their order. */
export function filters(query: string): Filter[] {
  if (isPasted(query)) return [];
  const found: Filter[] = [];
  for (const word of words(query)) {
    const match = /^(-?)([a-z]+):(.+)$/is.exec(word.text);
    const name = NAMES.get(match?.[2]?.toLowerCase() ?? "");
    if (!match || !name) continue;
    const typed = (match[3] ?? "").replace(/^"+|"+$/g, "").trim();
    if (!typed) continue;
    const value = name === "is" ? (VALUES.get(typed.toLowerCase()) ?? typed.toLowerCase()) : typed;
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

/** The values of filters that are the same in every casebook. */
const STATES = ["open", "closed", "merged", "issue", "pr", "page", "note", "locked", "bot"];
export const VALUES_OF: Readonly<Record<string, readonly string[]>> = { is: STATES, state: STATES, type: STATES };

/** A filter whose value is being typed. */
export interface Completing {
  name: string;
  value: string;
  negated: boolean;
  start: number;
  end: number;
}

/** The filter in which the cursor stands at the end, if its values can be told. */
export function completing(query: string, cursor: number): Completing | null {
  if (isPasted(query) || /^[^\s]/.test(query.slice(cursor))) return null;
  const match = /(?:^|\s)(-?)(label|author|reason|source|repo|is|state|type):("[^"]*|[^\s"]*)$/i.exec(query.slice(0, cursor));
  if (!match) return null;
  const [, sign = "", name = "", value = ""] = match;
  const start = cursor - sign.length - name.length - 1 - value.length;
  return { name: name.toLowerCase() === "repo" ? "source" : name.toLowerCase(), value: value.replace(/^"/, ""), negated: sign === "-", start, end: cursor };
}
