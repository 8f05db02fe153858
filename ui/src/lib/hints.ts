// Hints as the window gives them. The engine speaks to every front end, and may name a command of the command line. The part of
// a hint that names one gives way to what does the same here.

import { words } from "../words";
import type { Code } from "./types";

const said = words.shared.remedies;

/** What a button beside a hint does. */
export type Remedy = "repair" | "rebuild" | "models" | "sources" | "add" | "notes";

export interface Hint {
  words: string;
  remedy: Remedy | null;
}

/** What does here what a command does there. */
const REMEDIES: Record<string, Remedy> = {
  doctor: "repair", index: "rebuild", model: "models", note: "notes", import: "add", source: "sources", sync: "sources", login: "sources",
  calibrate: "sources", gh: "sources",
};

/** What the code of a failure asks for, where its hint names no command. */
const BY_CODE: Partial<Record<Code, Remedy>> = { corrupt: "repair", authentication: "sources", model_unavailable: "models" };

/** A command stands in back quotes, or behind a colon or a comma; an option stands anywhere. */
const COMMAND = /(?:`|[:,] (?:or )?)precedent (\w+)|\b(gh) auth login|(?:^|\s)--[a-z]/;
const SENTENCES = /(?<=[.!?])\s+(?=\p{Lu}|`)/u;
/** Where a part of a sentence ends that can be left out without the rest. */
const PARTS = /(?=; |, (?:or|and|then|such) )/;
/** An advice before the command that follows it: "Use another token: precedent login NAME". */
const ADVICE = /^(?!To |If )(.*[^,:](?<!run|with)): (?:`?precedent|gh|--)/;
/** An option behind an advice: "Choose another folder with --casebook." */
const OPTION = / with --[a-z]+(?: [A-Z]+)?(?=[.,;]|$)/g;

export function hint(text: string, code: Code | null = null): Hint {
  let remedy: Remedy | null = null;
  const sentences = text.replace(OPTION, "").split(SENTENCES).map((sentence) => {
    const parts = sentence.split(PARTS);
    const named = parts.map((part) => COMMAND.exec(part)).filter((one) => one !== null);
    if (named.length === 0) return sentence;
    const command = named.map((one) => one[1] ?? one[2]).find((one) => one !== undefined);
    remedy ??= (command && REMEDIES[command]) || null;
    const [first = "", ...others] = parts;
    const instead = COMMAND.test(first) ? (ADVICE.exec(first)?.[1] ?? said[remedy ?? "other"].slice(0, -1)) : first;
    const whole = instead + others.filter((part) => !COMMAND.test(part)).join("");
    return whole.endsWith(".") ? whole : `${whole}.`;
  });
  const whole = [...new Set(sentences)].join(" ").replace("run the command again", "try again");
  return { words: whole.slice(0, 1).toUpperCase() + whole.slice(1), remedy: remedy ?? (code && BY_CODE[code]) ?? null };
}

/** The words of a hint alone, for where nothing can be pressed. */
export function hinted(text: string | null): string {
  return text === null ? "" : hint(text).words;
}
