import { expect, it } from "vitest";
import { project } from "./form";

it("reads a project from its key or any address of it", () => {
  expect(project(" acme/app ")).toEqual({ key: "acme/app", host: null });
  expect(project("https://github.com/acme/app/issues?q=is%3Aopen")).toEqual({ key: "acme/app", host: "github.com" });
  expect(project("git@git.acme.example:acme/app.git")).toEqual({ key: "acme/app", host: "git.acme.example" });
  expect(project("https://www.github.com/acme/app/")).toEqual({ key: "acme/app", host: "github.com" });
});

it("takes nothing else for one", () => {
  for (const text of ["", "acme", "acme/app/more", "-x/y", "https://github.com/acme"]) expect(project(text), text).toBe(null);
});
