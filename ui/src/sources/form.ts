// Parses the form for a source, and describes the kinds of trackers.

import { words } from "../words";

export type Tracker = "github" | "gitlab" | "gitea" | "jira" | "redmine" | "bugzilla" | "azure" | "linear" | "confluence" | "zendesk" | "discourse";

/** The properties of a kind of tracker. */
interface TrackerTraits {
  tracker: Tracker;
  /** The default host. */
  host: string | null;
  /** The number of parts in a project's name; `null` for two or more. */
  parts: number | null;
  /** Whether project names may contain spaces. */
  parseFree?: boolean;
  /** The project's name if a host is a single project. */
  parseWholeHost?: string;
  wiki: boolean;
}

/** A kind of tracker with its texts. */
interface TrackerKind extends TrackerTraits {
  name: string;
  /** The format of a project's name. */
  shape: string;
  /** The tracker's word for its tokens. */
  token: string;
  /** How to create a token, and its required permissions. */
  remedy: string;
}

const TRACKER_TRAITS: readonly TrackerTraits[] = [
  { tracker: "github", host: "github.com", parts: 2, wiki: true },
  { tracker: "gitlab", host: "gitlab.com", parts: null, wiki: true },
  { tracker: "gitea", host: null, parts: 2, wiki: true },
  { tracker: "jira", host: null, parts: 1, wiki: false },
  { tracker: "redmine", host: null, parts: 1, wiki: true },
  { tracker: "bugzilla", host: null, parts: 1, parseFree: true, wiki: false },
  { tracker: "azure", host: "dev.azure.com", parts: 2, parseFree: true, wiki: true },
  { tracker: "linear", host: "linear.app", parts: 2, wiki: false },
  { tracker: "confluence", host: null, parts: 1, wiki: false },
  { tracker: "zendesk", host: null, parts: 1, parseWholeHost: "tickets", wiki: true },
  { tracker: "discourse", host: null, parts: 1, parseWholeHost: "topics", wiki: false },
];

export const TRACKERS: readonly TrackerKind[] = TRACKER_TRAITS.map((entry) => ({ ...entry, ...words.sources.trackers[entry.tracker] }));

export function trackerKind(tracker: Tracker): TrackerKind {
  return TRACKERS.find((kind) => kind.tracker === tracker) as TrackerKind;
}

/** The parts of an address or key that are known. */
interface ParsedProject {
  /** `null` if unknown. */
  tracker: Tracker | null;
  /** The host, with the tracker's path on it; `null` if none is named. */
  host: string | null;
  project: string;
}

const PART = /^[A-Za-z0-9~][\w.-]*$/;
const FREE = /^[\p{L}\p{N}][^/]*$/u;

const HOSTS: readonly (readonly [tracker: Tracker, host: RegExp])[] = [
  ["github", /^github\.|\.ghe\.com$/],
  ["gitlab", /^gitlab\./],
  ["gitea", /^codeberg\.org$|^(?:gitea|forgejo)\./],
  ["jira", /^jira\.|\.atlassian\.net$/],
  ["redmine", /^redmine\./],
  ["bugzilla", /^bugzilla\./],
  ["azure", /^dev\.azure\.com$|\.visualstudio\.com$/],
  ["linear", /^linear\.app$/],
  ["confluence", /^confluence\./],
  ["zendesk", /\.zendesk\.com$/],
  ["discourse", /^discourse\.|\.discourse\.group$/],
];

/** Returns the kind of tracker that a host's name implies. */
function trackerAt(host: string): Tracker | null {
  const name = host.toLowerCase();
  return HOSTS.find(([, entry]) => entry.test(name))?.[0] ?? null;
}

const ALIASES: Record<string, Tracker> = { forgejo: "gitea", "azure-devops": "azure" };

/** Parses `owner/name`, `gitlab:group/name` or any address of a project; `null` if it is neither. */
export function parseProject(typed: string): ParsedProject | null {
  const text = typed.trim();
  const prefixed = /^(github|gitlab|gitea|forgejo|jira|redmine|bugzilla|azure|azure-devops|linear|confluence|zendesk|discourse):(?!\/\/)(.+)$/.exec(text);
  if (prefixed?.[1] && prefixed[2]) {
    const tracker = ALIASES[prefixed[1]] ?? (prefixed[1] as Tracker);
    const place = whole(prefixed[2], tracker) ?? parseHosted(prefixed[2], tracker) ?? free(prefixed[2], tracker) ?? parseProject(prefixed[2]);
    return place && { ...place, tracker };
  }
  const address = /^(https?):\/\/([^/@\s]+)(\/.*)?$/.exec(text) ?? /^(?:ssh:\/\/)?()git@([^/:\s]+)[/:](.+)$/.exec(text);
  if (address?.[2]) return parseAddress(address[1] ?? "", address[2].replace(/^www\./, ""), address[3] ?? "");
  const parts = text.replace(/\/+$/, "").split("/");
  if (!parts.every((part) => PART.test(part))) return null;
  const known = parts.length === 1 ? trackerAt(text) : null;
  const segments = known && whole(text, known);
  if (segments) return segments;
  return { tracker: parts.length > 2 ? "gitlab" : null, host: null, project: parts.join("/") };
}

/** Parses `acme.zendesk.com`: a host that is a single project. */
function whole(text: string, tracker: Tracker): ParsedProject | null {
  const project = trackerKind(tracker).parseWholeHost;
  const host = text.replace(/\/+$/, "");
  return project !== undefined && /^[\w.-]+\.\w+(:\d+)?$/.test(host) ? { tracker, host, project } : null;
}

/** Parses `acme.example/redmine/app`: a host before the project. */
function parseHosted(text: string, tracker: Tracker): ParsedProject | null {
  const { host, parts } = trackerKind(tracker);
  const segments = text.replace(/\/+$/, "").split("/");
  if (host !== null || text.includes("://") || segments.length <= (parts ?? 2) || !segments.every((part) => part !== "")) return null;
  const cut = segments.length - (parts ?? 2);
  return { tracker, host: segments.slice(0, cut).join("/"), project: segments.slice(cut).join("/") };
}

/** Parses a project name with spaces: `azure:acme/The Kiln`. */
function free(text: string, tracker: Tracker): ParsedProject | null {
  const kind = trackerKind(tracker);
  if (!kind.parseFree || text.includes("://") || !matchesShape(decodeUri(text), kind)) return null;
  return { tracker, host: null, project: decodeUri(text) };
}

/** Returns a query parameter of an address. */
function queryParameter(rawPath: string, name: string): string | null {
  const query = /\?([^#]*)/.exec(rawPath)?.[1] ?? "";
  return new URLSearchParams(query).get(name);
}

function parseAddress(scheme: string, host: string, rawPath: string): ParsedProject | null {
  const path = decodeUri(rawPath.replace(/[?#].*$/, ""))
    .replace(/\.git$/, "")
    .split("/")
    .filter((part) => part !== "");
  const local = scheme === "http" && /^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(host);
  const place = (tracker: Tracker | null, rootPath: readonly string[], project: string): ParsedProject | null => {
    const root = [host, ...rootPath].join("/");
    return project.split("/").every((part) => PART.test(part)) && project !== ""
      ? { tracker, host: local ? `http://${root}` : root, project }
      : null;
  };
  const known = trackerAt(host);
  // Bugzilla: a list's address names the product, a bug's does not.
  const page = path.at(-1) ?? "";
  if (known === "bugzilla" || page.endsWith(".cgi")) {
    const product = queryParameter(rawPath, "product") ?? (known === "bugzilla" && !page.endsWith(".cgi") ? page : null);
    const rootPath = page.endsWith(".cgi") ? path.slice(0, -1) : [];
    const root = [host, ...rootPath].join("/");
    return product ? { tracker: "bugzilla", host: local ? `http://${root}` : root, project: product } : null;
  }
  // Every address of an account belongs to its tickets.
  if (known === "zendesk") return place("zendesk", [], "tickets");
  // Discourse: /t/pump-stalls/12 is a topic, /c/help/support/5 a category.
  const index = path.findIndex((part, n) => (part === "t" || part === "c") && path.slice(n + 1).some((rest) => /^\d+$/.test(rest)));
  if (index >= 0 || (known === "discourse" && path.length === 0)) {
    const category = path[index] === "c" ? path.slice(index + 1).filter((part) => !/^\d+$/.test(part) && part !== "l" && part !== "latest") : [];
    return place("discourse", path.slice(0, Math.max(index, 0)), category.at(-1) ?? "topics");
  }
  if (known === "azure") {
    const parts = host === "dev.azure.com" ? path : [host.replace(/\.visualstudio\.com$/, ""), ...path.filter((part) => part !== "DefaultCollection")];
    const project = parts.slice(0, 2).join("/");
    return matchesShape(project, trackerKind("azure")) ? { tracker: "azure", host: "dev.azure.com", project } : null;
  }
  // Linear: /acme/issue/ENG-12/title, /acme/team/ENG/active.
  if (known === "linear") {
    const key = path[1] === "issue" ? (path[2] ?? "").replace(/-\d+$/, "") : path[1] === "team" ? path[2] : undefined;
    return place("linear", [], [path[0], key].join("/"));
  }
  // Confluence: /wiki/spaces/ENG/pages/…; on Data Center also /display/ENG/….
  const space = path.findIndex((part) => part === "spaces" || part === "display");
  if (space >= 0 && path[space + 1] !== undefined) {
    const rootPath = host.endsWith(".atlassian.net") ? [] : path.slice(0, space);
    return place("confluence", rootPath, path[space + 1] as string);
  }
  // GitLab puts a project's pages below /-/.
  const dash = path.indexOf("-");
  if (dash > 1) return place("gitlab", [], path.slice(0, dash).join("/"));
  // Jira: /browse/APP-12, /projects/APP; on Cloud also below /jira/software.
  const browse = path.indexOf("browse");
  const jiraKey = /^([A-Z][A-Z0-9_]+)(-\d+)?$/.exec(path[browse + 1] ?? "");
  if (browse >= 0 && jiraKey?.[1]) return place("jira", dropCloudPath(host, path.slice(0, browse)), jiraKey[1]);
  const projects = path.indexOf("projects");
  const project = path[projects + 1];
  if (projects >= 0 && project !== undefined) {
    if (/^[A-Z][A-Z0-9_]+$/.test(project)) return place("jira", dropCloudPath(host, path.slice(0, projects)), project);
    return place(known ?? "redmine", path.slice(0, projects), project);
  }
  if (known === "gitlab") return place(known, [], path.join("/"));
  if (known === "jira" || known === "redmine" || known === "confluence") return place(known, path.slice(0, -1), path.at(-1) ?? "");
  if (path.length < 2) return null;
  return place(known, [], path.slice(0, 2).join("/"));
}

/** Removes the page names that Cloud puts before a project. */
function dropCloudPath(host: string, rootPath: readonly string[]): readonly string[] {
  return host.endsWith(".atlassian.net") ? [] : rootPath.filter((part, index) => !(index > 0 && part === "software"));
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns whether a project's name has the tracker's format. */
export function matchesShape(project: string, kind: TrackerKind): boolean {
  const parts = project.split("/");
  return parts.every((part) => (kind.parseFree ? FREE : PART).test(part)) && (kind.parts === null ? parts.length >= 2 : parts.length === kind.parts);
}

/** Returns whether a token needs an account name, as in Atlassian's cloud and at Zendesk. */
export function needsAccount(tracker: Tracker, host: string): boolean {
  const isCloud = (tracker === "jira" || tracker === "confluence") && /^[^/]+\.atlassian\.net(\/|$)/.test(host.trim().toLowerCase());
  return isCloud || tracker === "zendesk";
}

/** Returns the stored form of a token, with its account. */
export function formatSecret(account: string, token: string): string {
  const [name, secret] = [account.trim(), token.trim()];
  return secret && name ? `${name}:${secret}` : secret;
}

/** Returns the host that a token is stored for, without the tracker's path. */
export function tokenHost(host: string): string {
  const scheme = /^https?:\/\//.exec(host)?.[0] ?? "";
  return scheme + (host.slice(scheme.length).split("/")[0] ?? "");
}
