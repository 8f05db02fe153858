// Hints for the window. The engine's hints may name commands of the command line; such parts are
// replaced by the window's equivalent.

import { words } from "../words";
import type { Code } from "./types";

const texts = words.shared.remedies;

/** The action of a button next to a hint. */
export type Remedy = "repair" | "rebuild" | "models" | "sources" | "add" | "notes";

interface Hint {
  text: string;
  remedy: Remedy | null;
}

/** The window's equivalent of each command. */
const REMEDIES: Record<string, Remedy> = {
  doctor: "repair", index: "rebuild", model: "models", note: "notes", import: "add", source: "sources", sync: "sources", login: "sources",
  calibrate: "sources", gh: "sources",
};

/** The remedy for an error code whose hint names no command. */
const BY_CODE: Partial<Record<Code, Remedy>> = { corrupt: "repair", authentication: "sources", model_unavailable: "models" };

/** Commands follow a backquote, a colon or a comma; options may appear anywhere. */
const COMMAND = /(?:`|[:,] (?:or )?)precedent (\w+)|\b(gh) auth login|(?:^|\s)--[a-z]/;
const SENTENCES = /(?<=[.!?])\s+(?=\p{Lu}|`)/u;
/** The boundaries of clauses that can be left out. */
const PARTS = /(?=; |, (?:or|and|then|such) )/;
/** Advice before a command: "Use another token: precedent login NAME". */
const ADVICE = /^(?!To |If )(.*[^,:](?<!run|with)): (?:`?precedent|gh|--)/;
/** An option after the advice: "Choose another folder with --casebook." */
const OPTION = / with --[a-z]+(?: [A-Z]+)?(?=[.,;]|$)/g;

export function adaptHint(text: string, code: Code | null = null): Hint {
  let remedy: Remedy | null = null;
  const sentences = text.replace(OPTION, "").split(SENTENCES).map((sentence) => {
    const parts = sentence.split(PARTS);
    const commands = parts.map((part) => COMMAND.exec(part)).filter((one) => one !== null);
    if (commands.length === 0) return sentence;
    const command = commands.map((one) => one[1] ?? one[2]).find((one) => one !== undefined);
    remedy ??= (command && REMEDIES[command]) || null;
    const [first = "", ...others] = parts;
    const replacement = COMMAND.test(first) ? (ADVICE.exec(first)?.[1] ?? texts[remedy ?? "other"].slice(0, -1)) : first;
    const whole = replacement + others.filter((part) => !COMMAND.test(part)).join("");
    return whole.endsWith(".") ? whole : `${whole}.`;
  });
  const whole = [...new Set(sentences)].join(" ").replace("run the command again", "try again");
  return { text: whole.slice(0, 1).toUpperCase() + whole.slice(1), remedy: remedy ?? (code && BY_CODE[code]) ?? null };
}

/** Returns the text of a hint, for places without buttons. */
export function hintText(text: string | null): string {
  return text === null ? "" : adaptHint(text).text;
}
