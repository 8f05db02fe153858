// Hints as the window gives them. The engine speaks to every front end, and may name a command of the command line. The part of
// a hint that names one gives way to what does the same here.

import { words } from "../words";

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

const COMMAND =
  /\bprecedent (backup|brief|calibrate|config|doctor|duplicates|export|import|index|login|mcp|model|note|restore|schema|search|show|source|status|sync|triage|troubleshoot|verdict)\b|\b(gh) auth login|(?:^|\s)--[a-z]/;

const SENTENCES = /(?<=[.!?])\s+(?=\p{Lu}|`)/u;
/** Where a part of a sentence ends that can be left out without the rest. */
const PARTS = /(?=; |, (?:or|and|then|such) )/;

/** An advice before the command that follows it, and an option behind one: "Use another token: precedent login NAME". */
const ADVICE = /^(?!To |If )(.*[^,:](?<!run|with)): (?:`?precedent|gh|--)/;
const OPTION = / with --[a-z]+(?: [A-Z]+)?(?=[.,;]|$)/g;

export function hint(text: string): Hint {
  let remedy: Remedy | null = null;
  const sentences = text.replace(OPTION, "").split(SENTENCES).map((sentence) => {
    const parts = sentence.split(PARTS);
    const named = parts.map((part) => COMMAND.exec(part)).filter((one) => one !== null);
    if (named.length === 0) return sentence;
    const command = named.map((one) => one[1] ?? one[2]).find((one) => one !== undefined);
    remedy ??= (command && REMEDIES[command]) || null;
    const instead = COMMAND.test(parts[0] ?? "") ? (ADVICE.exec(parts[0] ?? "")?.[1] ?? said[remedy ?? "other"].slice(0, -1)) : "";
    return (instead + parts.filter((part) => !COMMAND.test(part)).join("")).replace(/[.;:,]*$/, ".");
  });
  const whole = [...new Set(sentences)].join(" ").replace("run the command again", "try again");
  return { words: whole.slice(0, 1).toUpperCase() + whole.slice(1), remedy };
}

/** The words of a hint alone, for where nothing can be pressed. */
export function hinted(text: string | null): string {
  return text === null ? "" : hint(text).words;
}
