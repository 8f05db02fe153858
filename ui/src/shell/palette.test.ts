import { expect, it } from "vitest";
import { paletteSections, documentKey, scoreTitle, matchingCommands, type Command } from "./palette";

const command = (title: string): Command => ({ id: title, title, run: () => {} });

it("prefers a whole word to scattered letters", () => {
  const commands = ["Show sources", "Sync all sources", "Settings"].map(command);
  expect(matchingCommands(commands, "sync").map((c) => c.title)).toEqual(["Sync all sources"]);
  expect(matchingCommands(commands, "sas")[0]?.title).toBe("Sync all sources");
  expect(matchingCommands(commands, "zzz")).toEqual([]);
});

it("takes no letters from the middle of words", () => {
  const commands = ["Check open reports for duplicates", "Open in the tracker"].map(command);
  expect(matchingCommands(commands, "cer")).toEqual([]);
  expect(matchingCommands(commands, "cor")[0]?.title).toBe("Check open reports for duplicates");
  expect(matchingCommands(commands, "opentr")[0]?.title).toBe("Open in the tracker");
});

it("keeps the order while nothing is typed", () => {
  const commands = ["b", "a"].map(command);
  expect(matchingCommands(commands, " ").map((c) => c.title)).toEqual(["b", "a"]);
  expect(scoreTitle("anything", "")).toBe(0);
});

it("knows the key of a document", () => {
  expect(documentKey("acme/app#12")).toBe("acme/app#12");
  expect(documentKey(" #7 ")).toBe("7");
  expect(documentKey("acme/app:Upgrade-to-3")).toBe("acme/app:Upgrade-to-3");
  expect(documentKey("error 7")).toBe(null);
});

const titles = (typed: string, items: readonly Command[] = []) =>
  paletteSections([{ id: "go", title: "Go to", commands: ["Search", "Sources"].map(command) }], typed, items, { open: () => {}, search: () => {} }).map(
    (section) => [section.title, ...section.commands.map((one) => one.title)],
  );

it("lists the items that have a number, in place of guessing which one is meant", () => {
  expect(titles("12", ["first #12", "second #12"].map(command))).toEqual([
    ["Items", "first #12", "second #12"], ["Search", "Search for “12”"],
  ]);
});

it("opens a document that is named whole at once, before anything is found", () => {
  expect(titles("acme/app#12")).toEqual([["Open", "Read acme/app#12"], ["Search", "Search for “acme/app#12”"]]);
});

it("offers commands, items and a search for words", () => {
  expect(titles("so", [command("Socket closes")])).toEqual([
    ["Commands", "Sources"], ["Items", "Socket closes"], ["Search", "Search for “so”"],
  ]);
  expect(titles(" ")).toEqual([["Go to", "Search", "Sources"]]);
});

it("finds a command by its other words, and lists a recent item among the items", () => {
  const all = [
    { id: "more", title: "More", commands: [{ ...command("Use compact lists"), keywords: "density" }, { ...command("Theme: dark") }] },
    { id: "recent", title: "Recent", commands: [{ ...command("Dark rooms"), detail: "acme/app#4" }] },
  ];
  const found = (typed: string) => paletteSections(all, typed, [], { open: () => {}, search: () => {} }).map((section) => [section.id, ...section.commands.map((one) => one.title)]);
  expect(found("density")[0]).toEqual(["commands", "Use compact lists"]);
  expect(found("dark").slice(0, 2)).toEqual([["commands", "Theme: dark"], ["items", "Dark rooms"]]);
});
