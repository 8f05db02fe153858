// What a text is that somebody brings to the prompt: by rules that can be foretold, not by guesses.

import { readPlace } from "../sources/form";
import { words } from "../words";

/** `words` are few enough to be a search; everything else is asked about as a report. */
export type Sort = "key" | "link" | "log" | "trace" | "mail" | "words" | "text";

export interface Recognised {
  sort: Sort;
  text: string;
  /** The item that is named, by its key or by a link to it. */
  key: string | null;
}

const MOST_WORDS = 8;
const MOST_LETTERS = 80;
/** Scripts that put no blanks between words: about two letters are one. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu;
const LOG_LINES = 5;
const TIMED = /^[[(<{"]{0,2}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:)/;
/** Where the headers of a mail stand. */
const HEAD = 15;

const FRAME = new RegExp(
  [
    /^at [^\s(]+ ?\(.*\)/, // Java, JavaScript, C#
    /^at .+:\d+(?::\d+)?\)?$/, // JavaScript without a function, Rust
    /^at [\w$.<>]+\(.*\) in \S+/, // C#
    /^File ".+", line \d+/, // Python
    /^#\d+ +(?:0x[0-9a-f]+|\S+\(\d+\):|\S+ \()/i, // gdb, PHP
    /^\d+: +(?:0x[0-9a-f]+ - )?[\w<]\S*::\S+/, // Rust
    /^(?:from )?\S+\.(?:rb|go|exs?|erl):\d+/, // Ruby, Go, Elixir
  ]
    .map((one) => `(?:${one.source})`)
    .join("|"),
  "i",
);
const CRASH = /\bfatal error:|Traceback \(most recent call last\)|\bpanicked at\b|^panic: |^Exception in thread|^goroutine \d+ \[|^(?:Caused by: )?[\w$.]*(?:Exception|Error)\b/im;

const HEADER = /^>?\s*(From|To|Cc|Subject|Date|Sent|Reply-To|Von|An|Betreff|Datum|Gesendet|De|À|Objet|Envoyé|Para|Asunto|发件人|收件人|主题|差出人|件名)\s?[:\uFF1A]\s?\S/; // typos:ignore
const GREETING = /^(?:Hi|Hello|Hey|Dear|Good (?:morning|afternoon|evening)|Hallo|Guten (?:Tag|Morgen)|Sehr geehrte\w*|Liebe[rs]?|Bonjour|Hola)\b.{0,60}[,!]?$/i;
const CLOSING = /^(?:(?:(?:kind|best|warm) )?regards|best|cheers|(?:many )?thanks|thank you|sincerely|yours|mit freundlichen grüßen|viele grüße|cordialement|saludos)\b.{0,24}$/i;
const REPLIED = /^(?:On|Am|Le) .{5,160} (?:wrote|schrieb(?: .{1,80})?|a écrit) ?:$/m;

const lines = (text: string) => text.split("\n").map((line) => line.trim());

function isShort(text: string): boolean {
  if (text.includes("\n") || text.length > MOST_LETTERS) return false;
  const letters = text.match(UNSPACED)?.length ?? 0;
  const spaced = text.replace(UNSPACED, " ").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  return spaced + letters / 2 <= MOST_WORDS;
}

function isTrace(text: string): boolean {
  const frames = lines(text).filter((line) => FRAME.test(line)).length;
  return frames > 1 || (frames > 0 && CRASH.test(text));
}

/** Whether most of its lines begin with a time, as a program writes them. */
function isLog(text: string): boolean {
  const all = lines(text).filter((line) => line !== "");
  return all.length >= LOG_LINES && all.filter((line) => TIMED.test(line)).length * 2 > all.length;
}

function isMail(text: string): boolean {
  const all = lines(text).filter((line) => line !== "");
  const headers = new Set(all.slice(0, HEAD).flatMap((line) => HEADER.exec(line)?.[1] ?? []));
  if (headers.size > 1 || REPLIED.test(text)) return true;
  return GREETING.test(all[0] ?? "") && all.slice(1).some((line) => CLOSING.test(line));
}

/** The item that a link leads to: one of this program's own, or the page of an item of a source that the casebook has. */
function linked(link: string, sources: readonly string[]): string | null {
  const own = /^precedent:\/\/item\/(.+)$/.exec(link)?.[1];
  if (own !== undefined) return question(unescaped(own)).key;
  const number = /\/(?:issues|pulls?|merge_requests|work_items|discussions)\/(\d+)(?=[/?#]|$)/.exec(link)?.[1];
  const project = readPlace(link)?.project.toLowerCase();
  const source = sources.find((one) => one.toLowerCase() === project);
  return number !== undefined && source !== undefined ? `${source}#${number}` : null;
}

/** The item that a short key names, as people write it: `app#12`, or `#12` where there is one source. */
function shortKey(text: string, sources: readonly string[]): string | null {
  const [, name, number] = /^([^\s#/]*)#(\d+)$/.exec(text) ?? [];
  if (number === undefined) return null;
  const [source, ...others] = sources.filter((one) => name === "" || one.toLowerCase().split("/").at(-1) === name?.toLowerCase());
  return source !== undefined && others.length === 0 ? `${source}#${number}` : null;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What is asked: the item whose key stands there alone, else the text as a report. */
export function question(text: string): { key: string | null; text: string } {
  const pasted = text.trim();
  return /^[^\s#]+\/[^\s#]+#\d+$/.test(pasted) ? { key: pasted, text: "" } : { key: null, text: pasted };
}

/** What a text is; nothing where there is none. */
export function recognise(brought: string, sources: readonly string[]): Recognised | null {
  const text = brought.replaceAll("\r\n", "\n").trim();
  if (text === "") return null;
  // A link may end as a key does.
  if (/^(?:https?|precedent):\/\/\S+$/.test(text)) return { sort: "link", text, key: linked(text, sources) };
  const key = question(text).key ?? shortKey(text, sources);
  if (key !== null) return { sort: "key", text, key };
  if (isLog(text)) return { sort: "log", text, key: null };
  // A mail that quotes a trace is a mail: its headers say so before the trace begins.
  if (isMail(text)) return { sort: "mail", text, key: null };
  if (isTrace(text)) return { sort: "trace", text, key: null };
  return { sort: isShort(text) ? "words" : "text", text, key: null };
}

const texts = words.prompt;

/** What a text is read as: "a stack trace, 42 lines", "a link to acme/app#12". */
export function sortOf({ sort, text, key }: Recognised): string {
  if (sort === "link" && key !== null) return texts.linkTo(key);
  const n = lines(text).length;
  return n > 1 ? texts.withLines(texts.sorts[sort], n) : texts.sorts[sort];
}

/** The same with a text of one line, which is not seen where it is only offered. */
export function described(one: Recognised): string {
  const sort = one.sort === "words" ? texts.sorts.text : sortOf(one);
  const isSaid = one.text.includes("\n") || (one.sort === "link" && one.key !== null);
  return isSaid ? sort : texts.withText(sort, one.text);
}
