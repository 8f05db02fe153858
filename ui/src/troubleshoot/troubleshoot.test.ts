import { expect, it } from "vitest";
import type { Band, DuplicatesResponse } from "../lib/types";
import { alike, question } from "./troubleshoot.svelte";

it("asks about an item that is named alone, and else about the text", () => {
  expect(question(" acme/app#12 \n")).toEqual({ key: "acme/app#12", text: "" });
  expect(question("group/sub/app#7").key).toBe("group/sub/app#7");
  for (const text of ["acme/app#12 crashes", "#12", "issue acme/app#12", "acme/app#", "FW-1043\nacme/app#12"]) {
    expect(question(text)).toEqual({ key: null, text });
  }
});


it("leaves out what is neither the same nor related, however it is ranked", () => {
  const all: Band[] = ["likely", "related", "none", "possible"];
  const response = { candidates: all.map((band) => ({ band })) } as DuplicatesResponse;
  expect(alike(response).candidates.map((c) => c.band)).toEqual(["likely", "related", "possible"]);
});
