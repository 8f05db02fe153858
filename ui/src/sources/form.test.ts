import { expect, it } from "vitest";
import { matchesShape, trackerKind, tokenHost } from "./form";

it("checks each tracker's project format", () => {
  expect(matchesShape("acme/app", trackerKind("github"))).toBe(true);
  expect(matchesShape("acme", trackerKind("github"))).toBe(false);
  expect(matchesShape("acme/sub/app", trackerKind("gitlab"))).toBe(true);
  expect(matchesShape("acme/sub/app", trackerKind("gitea"))).toBe(false);
  expect(matchesShape("APP", trackerKind("jira"))).toBe(true);
  expect(matchesShape("acme/app", trackerKind("redmine"))).toBe(false);
  expect(matchesShape("Kiln App", trackerKind("bugzilla"))).toBe(true);
  expect(matchesShape("Kiln App", trackerKind("jira"))).toBe(false);
  expect(matchesShape("~ada", trackerKind("confluence"))).toBe(true);
  expect(matchesShape("tickets", trackerKind("zendesk"))).toBe(true);
});

it("stores a token per host", () => {
  expect(tokenHost("acme.example/redmine")).toBe("acme.example");
  expect(tokenHost("http://127.0.0.1:8080/x")).toBe("http://127.0.0.1:8080");
});
