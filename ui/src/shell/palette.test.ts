import { expect, it } from "vitest";
import { openWindow, press, setUpPage, settle } from "../testing/testPage";
import { paletteSections, isKey, scoreTitle, matchingCommands, type Command } from "./palette";

setUpPage();

const command = (title: string): Command => ({ id: title, title, run: () => {} });

it("prefers whole words to scattered letters", () => {
  const commands = ["Show sources", "Sync all sources", "Settings"].map(command);
  expect(matchingCommands(commands, "sync").map((c) => c.title)).toEqual(["Sync all sources"]);
  expect(matchingCommands(commands, "sas")[0]?.title).toBe("Sync all sources");
  expect(matchingCommands(commands, "zzz")).toEqual([]);
});

it("ignores letters inside words", () => {
  const commands = ["Check open reports for duplicates", "Open in the tracker"].map(command);
  expect(matchingCommands(commands, "cer")).toEqual([]);
  expect(matchingCommands(commands, "cor")[0]?.title).toBe("Check open reports for duplicates");
  expect(matchingCommands(commands, "opentr")[0]?.title).toBe("Open in the tracker");
});

it("keeps the order without a query", () => {
  const commands = ["b", "a"].map(command);
  expect(matchingCommands(commands, " ").map((c) => c.title)).toEqual(["b", "a"]);
  expect(scoreTitle("anything", "")).toBe(0);
});

it("recognizes document keys", () => {
  expect(["acme/app#12", "group/sub/app#12 ", "acme/app:Upgrade-to-3", "#7", "error 7", "https://a.example/b:c"].map(isKey)).toEqual([true, true, true, false, false, false]);
});

const titles = (input: string, items: readonly Command[] = []) =>
  paletteSections([{ id: "go", title: "Go to", commands: ["Search", "Sources"].map(command) }], input, items, { open: () => {}, search: () => {} }).map(
    (section) => [section.title, ...section.commands.map((entry) => entry.title)],
  );

it("lists all items with a number", () => {
  expect(titles("12", ["first #12", "second #12"].map(command))).toEqual([
    ["Items", "first #12", "second #12"], ["Search", "Search for “12”"],
  ]);
});

it("opens an exact key at once", () => {
  expect(titles("acme/app#12")).toEqual([["Open", "Read acme/app#12"], ["Search", "Search for “acme/app#12”"]]);
});

it("offers commands, items and a search", () => {
  expect(titles("so", [command("Socket closes")])).toEqual([
    ["Commands", "Sources"], ["Items", "Socket closes"], ["Search", "Search for “so”"],
  ]);
  expect(titles(" ")).toEqual([["Go to", "Search", "Sources"]]);
});

it("finds commands by keywords, and recent items", () => {
  const sections = [
    { id: "more", title: "More", commands: [{ ...command("Use compact lists"), keywords: "density" }, { ...command("Theme: dark") }] },
    { id: "recent", title: "Recent", commands: [{ ...command("Dark rooms"), detail: "acme/app#4" }] },
  ];
  const find = (input: string) => paletteSections(sections, input, [], { open: () => {}, search: () => {} }).map((section) => [section.id, ...section.commands.map((entry) => entry.title)]);
  expect(find("density")[0]).toEqual(["commands", "Use compact lists"]);
  expect(find("dark").slice(0, 2)).toEqual([["commands", "Theme: dark"], ["items", "Dark rooms"]]);
});

it("opens nothing after it was closed", async () => {
  const app = await openWindow("full");
  app.commands.run("palette");
  const box = document.querySelector<HTMLInputElement>("#palette")!;
  box.value = "12";
  box.dispatchEvent(new InputEvent("input", { bubbles: true }));
  box.focus();
  press("Enter");
  box.closest("dialog")?.close();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await settle();
  expect(app.reader.key).toBe(null);
});
