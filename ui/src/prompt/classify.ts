// Classifies the prompt's text by fixed rules.

import { words } from "../words";

/** `words` is short enough for a search; everything else is looked up as a report. */
export type InputKind = "key" | "link" | "log" | "trace" | "mail" | "words" | "text";

export interface ClassifiedInput {
  kind: InputKind;
  text: string;
  /** The item named by a key or a link. */
  key: string | null;
}

const MAX_WORDS = 8;
const MAX_LETTERS = 80;
/** Scripts without spaces between words: two letters count as a word. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/gu;
const LOG_LINES = 5;
const TIMESTAMP = /^[[(<{"]{0,2}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:)/;
const MAX_HEADER_LINES = 15;

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
    .map((entry) => `(?:${entry.source})`)
    .join("|"),
  "i",
);
const CRASH = /\bfatal error:|Traceback \(most recent call last\)|\bpanicked at\b|^panic: |^Exception in thread|^goroutine \d+ \[|^(?:Caused by: )?[\w$.]*(?:Exception|Error)\b/im;

const HEADER = /^>?\s*(From|To|Cc|Subject|Date|Sent|Reply-To|Von|An|Betreff|Datum|Gesendet|De|À|Objet|Envoyé|Para|Asunto|发件人|收件人|主题|差出人|件名)\s?[:\uFF1A]\s?\S/; // typos:ignore
const GREETING = /^(?:Hi|Hello|Hey|Dear|Good (?:morning|afternoon|evening)|Hallo|Guten (?:Tag|Morgen)|Sehr geehrte\w*|Liebe[rs]?|Bonjour|Hola)\b.{0,60}[,!]?$/i;
const CLOSING = /^(?:(?:(?:kind|best|warm) )?regards|best|cheers|(?:many )?thanks|thank you|sincerely|yours|mit freundlichen grüßen|viele grüße|cordialement|saludos)\b.{0,24}$/i;
const REPLY = /^(?:On|Am|Le) .{5,160} (?:wrote|schrieb(?: .{1,80})?|a écrit) ?:$/m;

const lines = (text: string) => text.split("\n").map((line) => line.trim());

function isShort(text: string): boolean {
  if (text.includes("\n") || text.length > MAX_LETTERS) return false;
  const letters = text.match(UNSPACED)?.length ?? 0;
  const wordCount = text.replace(UNSPACED, " ").match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
  return wordCount + letters / 2 <= MAX_WORDS;
}

function isTrace(text: string): boolean {
  const frames = lines(text).filter((line) => FRAME.test(line)).length;
  return frames > 1 || (frames > 0 && CRASH.test(text));
}

/** Returns whether most lines start with a time. */
function isLog(text: string): boolean {
  const nonEmptyLines = lines(text).filter((line) => line !== "");
  return nonEmptyLines.length >= LOG_LINES && nonEmptyLines.filter((line) => TIMESTAMP.test(line)).length * 2 > nonEmptyLines.length;
}

function isMail(text: string): boolean {
  const nonEmptyLines = lines(text).filter((line) => line !== "");
  const headers = new Set(nonEmptyLines.slice(0, MAX_HEADER_LINES).flatMap((line) => HEADER.exec(line)?.[1] ?? []));
  if (headers.size > 1 || REPLY.test(text)) return true;
  return GREETING.test(nonEmptyLines[0] ?? "") && nonEmptyLines.slice(1).some((line) => CLOSING.test(line));
}

/** Returns the item of a `precedent://` link, or of a link to an item in a mirrored source. */
function linkedKey(link: string, sources: readonly string[]): string | null {
  const itemPath = /^precedent:\/\/item\/(.+)$/.exec(link)?.[1];
  if (itemPath !== undefined) return parseQuestion(unescapeUri(itemPath)).key;
  const [, project = "", number] = /^https?:\/\/[^/]+(\/.+?)(?:\/-)?\/(?:issues|pulls?|merge_requests|work_items|discussions)\/(\d+)(?=[/?#]|$)/.exec(link) ?? [];
  const source = sources.find((entry) => project.toLowerCase() === `/${entry.toLowerCase()}`);
  return number !== undefined && source !== undefined ? `${source}#${number}` : null;
}

/** Returns the full key for a short one: `app#12`, or `#12` if there is a single source. */
function expandKey(text: string, sources: readonly string[]): string | null {
  const [, name, number] = /^([^\s#/]*)#(\d+)$/.exec(text) ?? [];
  if (number === undefined) return null;
  const [source, ...others] = sources.filter((entry) => name === "" || entry.toLowerCase().split("/").at(-1) === name?.toLowerCase());
  return source !== undefined && others.length === 0 ? `${source}#${number}` : null;
}

function unescapeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the item whose key is the whole text, or the text as a report. */
export function parseQuestion(text: string): { key: string | null; text: string } {
  const trimmed = text.trim();
  return /^[^\s#]+\/[^\s#]+#\d+$/.test(trimmed) ? { key: trimmed, text: "" } : { key: null, text: trimmed };
}

/** Classifies a text; `null` if it is empty. */
export function classifyInput(input: string, sources: readonly string[]): ClassifiedInput | null {
  const text = input.replaceAll("\r\n", "\n").trim();
  if (text === "") return null;
  // A link may end like a key.
  if (/^(?:https?|precedent):\/\/\S+$/.test(text)) return { kind: "link", text, key: linkedKey(text, sources) };
  const key = parseQuestion(text).key ?? expandKey(text, sources);
  if (key !== null) return { kind: "key", text, key };
  if (isLog(text)) return { kind: "log", text, key: null };
  // An email may quote a stack trace, so it is checked first.
  if (isMail(text)) return { kind: "mail", text, key: null };
  if (isTrace(text)) return { kind: "trace", text, key: null };
  return { kind: isShort(text) ? "words" : "text", text, key: null };
}

const texts = words.prompt;

/** Describes a text: "a stack trace, 42 lines", "a link to acme/app#12". */
export function inputLabel({ kind, text, key }: ClassifiedInput): string {
  if (kind === "link" && key !== null) return texts.linkTo(key);
  const lineCount = lines(text).length;
  return lineCount > 1 ? texts.withLines(texts.kinds[kind], lineCount) : texts.kinds[kind];
}

/** Describes an offered text, including its content if it is a single line. */
export function describeInput(entry: ClassifiedInput): string {
  const label = entry.kind === "words" ? texts.kinds.text : inputLabel(entry);
  const isComplete = entry.text.includes("\n") || (entry.kind === "link" && entry.key !== null);
  return isComplete ? label : words.shared.named(label, entry.text);
}
