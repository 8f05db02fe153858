import { expect, it } from "vitest";
import { matchesShape, trackerKind, parseProject, tokenHost } from "./form";

it.each([
  [" acme/app ", null, null, "acme/app"],
  ["https://github.com/acme/app/issues?q=is%3Aopen", "github", "github.com", "acme/app"],
  ["https://www.github.com/acme/app/", "github", "github.com", "acme/app"],
  ["git@git.acme.example:acme/app.git", null, "git.acme.example", "acme/app"],
  ["https://acme.ghe.com/acme/app", "github", "acme.ghe.com", "acme/app"],
  ["https://gitlab.com/group/sub/app", "gitlab", "gitlab.com", "group/sub/app"],
  ["https://git.acme.example/group/sub/app/-/issues/12", "gitlab", "git.acme.example", "group/sub/app"],
  ["group/sub/app", "gitlab", null, "group/sub/app"],
  ["gitlab:group/app", "gitlab", null, "group/app"],
  ["https://codeberg.org/forgejo/forgejo/issues", "gitea", "codeberg.org", "forgejo/forgejo"],
  ["forgejo:codeberg.org/acme/app", "gitea", "codeberg.org", "acme/app"],
  ["https://acme.atlassian.net/browse/APP-12", "jira", "acme.atlassian.net", "APP"],
  ["https://acme.atlassian.net/jira/software/projects/APP/boards/3", "jira", "acme.atlassian.net", "APP"],
  ["https://acme.example/jira/browse/APP-12", "jira", "acme.example/jira", "APP"],
  ["jira:acme.atlassian.net/APP", "jira", "acme.atlassian.net", "APP"],
  ["https://acme.example/redmine/projects/app/issues", "redmine", "acme.example/redmine", "app"],
  ["redmine:acme.example/redmine/app", "redmine", "acme.example/redmine", "app"],
  ["bugzilla:bugs.acme.example/Kiln App", "bugzilla", "bugs.acme.example", "Kiln App"],
  ["https://bugs.acme.example/bz/buglist.cgi?product=Kiln+App&order=x", "bugzilla", "bugs.acme.example/bz", "Kiln App"],
  ["https://dev.azure.com/acme/Kiln%20App/_workitems/edit/12", "azure", "dev.azure.com", "acme/Kiln App"],
  ["https://acme.visualstudio.com/DefaultCollection/Kiln/_workitems", "azure", "dev.azure.com", "acme/Kiln"],
  ["azure:acme/Kiln App", "azure", null, "acme/Kiln App"],
  ["azure-devops:acme/Kiln", "azure", null, "acme/Kiln"],
  ["https://linear.app/acme/issue/ENG-12/pump-stalls", "linear", "linear.app", "acme/ENG"],
  ["https://linear.app/acme/team/ENG/active", "linear", "linear.app", "acme/ENG"],
  ["linear:acme/ENG", "linear", null, "acme/ENG"],
  ["https://acme.atlassian.net/wiki/spaces/ENG/pages/12/Kiln", "confluence", "acme.atlassian.net", "ENG"],
  ["https://acme.example/confluence/display/ENG/Kiln", "confluence", "acme.example/confluence", "ENG"],
  ["confluence:acme.atlassian.net/wiki/ENG", "confluence", "acme.atlassian.net/wiki", "ENG"],
  ["acme.zendesk.com", "zendesk", "acme.zendesk.com", "tickets"],
  ["zendesk:support.acme.example", "zendesk", "support.acme.example", "tickets"],
  ["https://acme.zendesk.com/agent/tickets/12", "zendesk", "acme.zendesk.com", "tickets"],
  ["https://acme.zendesk.com/hc/en-us/articles/360001-Kiln", "zendesk", "acme.zendesk.com", "tickets"],
  ["discourse:forum.acme.example", "discourse", "forum.acme.example", "topics"],
  ["discourse:forum.acme.example/support", "discourse", "forum.acme.example", "support"],
  ["https://forum.acme.example/t/pump-stalls/12/3", "discourse", "forum.acme.example", "topics"],
  ["https://acme.example/forum/c/help/support/5", "discourse", "acme.example/forum", "support"],
  ["https://discourse.acme.example/", "discourse", "discourse.acme.example", "topics"],
  ["http://127.0.0.1:8080/acme/app", null, "http://127.0.0.1:8080", "acme/app"],
])("parses %s", (typed, tracker, host, project) => {
  expect(parseProject(typed)).toEqual({ tracker, host, project });
});

it("rejects other texts", () => {
  for (const text of ["", "acme app", "-x/y", "https://github.com/acme", "https://bugs.acme.example/show_bug.cgi?id=7", "https://linear.app/acme/settings", "javascript:alert(1)", "https://a b/c/d"]) {
    expect(parseProject(text), text).toBe(null);
  }
});

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
