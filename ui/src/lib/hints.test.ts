import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adaptHint, hintText } from "./hints";

it("replaces commands with buttons", () => {
  expect(adaptHint("Run `precedent index --rebuild` to rebuild it from the database.")).toEqual({ text: "The search index can be rebuilt.", remedy: "rebuild" });
  expect(adaptHint("Did you mean minilm? Run `precedent model list --catalog` to list all models.")).toEqual({ text: "Did you mean minilm? See the models in Settings.", remedy: "models" });
  expect(adaptHint("Install the newer version, or open another casebook with --casebook.").text).toBe("Install the newer version, or open another casebook.");
  expect(adaptHint("Free some disk space and run the command again.")).toEqual({ text: "Free some disk space and try again.", remedy: null });
  expect(adaptHint("Use another token: precedent login acme")).toEqual({ text: "Use another token.", remedy: "sources" });
  expect(adaptHint("Create a new token, or sign in again: gh auth login")).toEqual({ text: "Create a new token.", remedy: "sources" });
  // Text about other programs is kept.
  expect(hintText("Nothing sets a precedent here. Check --the log.")).toBe("Nothing sets a precedent here. Use the command line for this.");
  expect(hintText(null)).toBe("");
  // Without a command, the error code determines the remedy.
  expect(adaptHint("Set GH_TOKEN.", "authentication")).toEqual({ text: "Set GH_TOKEN.", remedy: "sources" });
});

/** The string literals of the engine's sources without tests; a backslash joins two lines. */
function texts(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".rs") && !/(?:^|\/)(?:tests|mcp|eval)\//.test(name))
    .flatMap((name) => {
      const source = readFileSync(join(folder, name), "utf8").split("#[cfg(test)]")[0] ?? "";
      const code = source.replace(/^\s*\/\/.*$/gm, "");
      return [...code.matchAll(/"((?:[^"\\]|\\[\s\S])*)"/g)].map((found) => (found[1] ?? "").replace(/\\\n\s*/g, "").replace(/\\(.)/g, "$1"));
    });
}

it("no engine hint keeps a command", () => {
  const named = texts("../crates").filter((text) => /`?\bprecedent (?:[a-z]+ ?){1,2}|--[a-z]+/.test(text) && /^[\p{Lu}`{]/u.test(text) && text.includes(" ") && !text.includes("pipeline"));
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((text) => hintText(text) === "")).toEqual([]);
  expect(named.map(hintText).filter((words) => /\bprecedent [a-z]+ |`precedent|(?:^| )--[a-z]|gh auth/.test(words))).toEqual([]);
});
