// Kinds of trackers and their tokens.

import { words } from "../words";

export type Tracker = keyof typeof words.sources.trackers;

interface TrackerTraits {
  tracker: Tracker;
  host: string | null;
  /** The number of parts in a project's name; `null` for two or more. */
  parts: number | null;
  /** Whether project names may contain spaces. */
  hasFreeNames?: boolean;
  wiki: boolean;
}

const TRACKER_TRAITS: readonly TrackerTraits[] = [
  { tracker: "github", host: "github.com", parts: 2, wiki: true },
  { tracker: "gitlab", host: "gitlab.com", parts: null, wiki: true },
  { tracker: "gitea", host: null, parts: 2, wiki: true },
  { tracker: "jira", host: null, parts: 1, wiki: false },
  { tracker: "redmine", host: null, parts: 1, wiki: true },
  { tracker: "bugzilla", host: null, parts: 1, hasFreeNames: true, wiki: false },
  { tracker: "azure", host: "dev.azure.com", parts: 2, hasFreeNames: true, wiki: true },
  { tracker: "linear", host: "linear.app", parts: 2, wiki: false },
  { tracker: "confluence", host: null, parts: 1, wiki: false },
  { tracker: "zendesk", host: null, parts: 1, wiki: true },
  { tracker: "discourse", host: null, parts: 1, wiki: false },
];

export const TRACKERS = TRACKER_TRAITS.map((entry) => ({ ...entry, ...words.sources.trackers[entry.tracker] }));

type TrackerKind = (typeof TRACKERS)[number];

export function trackerKind(tracker: Tracker): TrackerKind {
  return TRACKERS.find((kind) => kind.tracker === tracker) as TrackerKind;
}

const NAME_PART = /^[A-Za-z0-9~][\w.-]*$/;
const FREE_NAME = /^[\p{L}\p{N}][^/]*$/u;

/** Returns whether a project's name has the tracker's format. */
export function matchesShape(project: string, kind: TrackerKind): boolean {
  const parts = project.split("/");
  return parts.every((part) => (kind.hasFreeNames ? FREE_NAME : NAME_PART).test(part)) && (kind.parts === null ? parts.length >= 2 : parts.length === kind.parts);
}

/** Returns whether a token needs an account name, as in Atlassian's cloud and at Zendesk. */
export function needsAccount(tracker: Tracker, host: string): boolean {
  const isCloud = (tracker === "jira" || tracker === "confluence") && /^[^/]+\.atlassian\.net(\/|$)/.test(host.trim().toLowerCase());
  return isCloud || tracker === "zendesk";
}

/** Formats a token for storage, with its account if it has one. */
export function formatSecret(account: string, token: string): string {
  const [name, secret] = [account.trim(), token.trim()];
  return secret && name ? `${name}:${secret}` : secret;
}

/** Returns the host that a token is stored for, without the tracker's path. */
export function tokenHost(host: string): string {
  const scheme = /^https?:\/\//.exec(host)?.[0] ?? "";
  return scheme + (host.slice(scheme.length).split("/")[0] ?? "");
}
