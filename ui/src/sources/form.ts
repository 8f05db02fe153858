// Reading what a person types into the form for a source, and what the form says of each kind of tracker.

import { words } from "../words";

export type Tracker = "github" | "gitlab" | "gitea" | "jira" | "redmine" | "bugzilla" | "azure" | "linear" | "confluence" | "zendesk" | "discourse";

/** How a kind of tracker is read and asked. */
interface Ways {
  tracker: Tracker;
  /** The host that is meant where none is named. */
  host: string | null;
  /** How many parts the name of a project has; null for two or more. */
  parts: number | null;
  /** Whether people give its projects any name, spaces among it. */
  free?: boolean;
  /** What stands for the project where a host is one project as a whole. */
  whole?: string;
  wiki: boolean;
}

/** What the form says of a kind of tracker. */
export interface Kind extends Ways {
  name: string;
  /** How a project is written. */
  shape: string;
  /** What its tokens are called there. */
  token: string;
  /** Where a token is made, and what it must be allowed. */
  remedy: string;
}

const WAYS: readonly Ways[] = [
  { tracker: "github", host: "github.com", parts: 2, wiki: true },
  { tracker: "gitlab", host: "gitlab.com", parts: null, wiki: true },
  { tracker: "gitea", host: null, parts: 2, wiki: true },
  { tracker: "jira", host: null, parts: 1, wiki: false },
  { tracker: "redmine", host: null, parts: 1, wiki: true },
  { tracker: "bugzilla", host: null, parts: 1, free: true, wiki: false },
  { tracker: "azure", host: "dev.azure.com", parts: 2, free: true, wiki: true },
  { tracker: "linear", host: "linear.app", parts: 2, wiki: false },
  { tracker: "confluence", host: null, parts: 1, wiki: false },
  { tracker: "zendesk", host: null, parts: 1, whole: "tickets", wiki: true },
  { tracker: "discourse", host: null, parts: 1, whole: "topics", wiki: false },
];

export const KINDS: readonly Kind[] = WAYS.map((one) => ({ ...one, ...words.sources.trackers[one.tracker] }));

export function kindOf(tracker: Tracker): Kind {
  return KINDS.find((kind) => kind.tracker === tracker) as Kind;
}

/** What an address, a key or a half of either says. */
export interface Place {
  /** Nothing where it cannot be told. */
  tracker: Tracker | null;
  /** With the path below which the tracker is; nothing where none is named. */
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

/** The kind of tracker that runs at a host, where its name says so. */
export function trackerAt(host: string): Tracker | null {
  const name = host.toLowerCase();
  return HOSTS.find(([, one]) => one.test(name))?.[0] ?? null;
}

const ALIASES: Record<string, Tracker> = { forgejo: "gitea", "azure-devops": "azure" };

/** Reads `owner/name`, `gitlab:group/name` or any address of a project. Nothing where it is none. */
export function readPlace(typed: string): Place | null {
  const text = typed.trim();
  const named = /^(github|gitlab|gitea|forgejo|jira|redmine|bugzilla|azure|azure-devops|linear|confluence|zendesk|discourse):(?!\/\/)(.+)$/.exec(text);
  if (named?.[1] && named[2]) {
    const tracker = ALIASES[named[1]] ?? (named[1] as Tracker);
    const place = whole(named[2], tracker) ?? hosted(named[2], tracker) ?? free(named[2], tracker) ?? readPlace(named[2]);
    return place && { ...place, tracker };
  }
  const address = /^(https?):\/\/([^/@\s]+)(\/.*)?$/.exec(text) ?? /^(?:ssh:\/\/)?()git@([^/:\s]+)[/:](.+)$/.exec(text);
  if (address?.[2]) return fromAddress(address[1] ?? "", address[2].replace(/^www\./, ""), address[3] ?? "");
  const parts = text.replace(/\/+$/, "").split("/");
  if (!parts.every((part) => PART.test(part))) return null;
  const known = parts.length === 1 ? trackerAt(text) : null;
  const all = known && whole(text, known);
  if (all) return all;
  return { tracker: parts.length > 2 ? "gitlab" : null, host: null, project: parts.join("/") };
}

/** `acme.zendesk.com`: a host that is one project as a whole. */
function whole(text: string, tracker: Tracker): Place | null {
  const project = kindOf(tracker).whole;
  const host = text.replace(/\/+$/, "");
  return project !== undefined && /^[\w.-]+\.\w+(:\d+)?$/.test(host) ? { tracker, host, project } : null;
}

/** `acme.example/redmine/app`: where the tracker has no host of its own, one stands before the project. */
function hosted(text: string, tracker: Tracker): Place | null {
  const { host, parts } = kindOf(tracker);
  const all = text.replace(/\/+$/, "").split("/");
  if (host !== null || text.includes("://") || all.length <= (parts ?? 2) || !all.every((part) => part !== "")) return null;
  const cut = all.length - (parts ?? 2);
  return { tracker, host: all.slice(0, cut).join("/"), project: all.slice(cut).join("/") };
}

/** A project that people may have named with spaces: `azure:acme/The Kiln`. */
function free(text: string, tracker: Tracker): Place | null {
  const kind = kindOf(tracker);
  if (!kind.free || text.includes("://") || !fits(decoded(text), kind)) return null;
  return { tracker, host: null, project: decoded(text) };
}

/** What a parameter of an address says. */
function parameter(rawPath: string, name: string): string | null {
  const query = /\?([^#]*)/.exec(rawPath)?.[1] ?? "";
  return new URLSearchParams(query).get(name);
}

function fromAddress(scheme: string, host: string, rawPath: string): Place | null {
  const path = decoded(rawPath.replace(/[?#].*$/, ""))
    .replace(/\.git$/, "")
    .split("/")
    .filter((part) => part !== "");
  const local = scheme === "http" && /^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(host);
  const place = (tracker: Tracker | null, before: readonly string[], project: string): Place | null => {
    const root = [host, ...before].join("/");
    return project.split("/").every((part) => PART.test(part)) && project !== ""
      ? { tracker, host: local ? `http://${root}` : root, project }
      : null;
  };
  const known = trackerAt(host);
  // Bugzilla: the address of a bug does not tell its product, that of a list does.
  const page = path.at(-1) ?? "";
  if (known === "bugzilla" || page.endsWith(".cgi")) {
    const product = parameter(rawPath, "product") ?? (known === "bugzilla" && !page.endsWith(".cgi") ? page : null);
    const before = page.endsWith(".cgi") ? path.slice(0, -1) : [];
    const root = [host, ...before].join("/");
    return product ? { tracker: "bugzilla", host: local ? `http://${root}` : root, project: product } : null;
  }
  // Every address of an account is one of its tickets' place.
  if (known === "zendesk") return place("zendesk", [], "tickets");
  // Discourse: /t/pump-stalls/12 is a topic, /c/help/support/5 a category.
  const at = path.findIndex((part, n) => (part === "t" || part === "c") && path.slice(n + 1).some((rest) => /^\d+$/.test(rest)));
  if (at >= 0 || (known === "discourse" && path.length === 0)) {
    const category = path[at] === "c" ? path.slice(at + 1).filter((part) => !/^\d+$/.test(part) && part !== "l" && part !== "latest") : [];
    return place("discourse", path.slice(0, Math.max(at, 0)), category.at(-1) ?? "topics");
  }
  if (known === "azure") {
    const parts = host === "dev.azure.com" ? path : [host.replace(/\.visualstudio\.com$/, ""), ...path.filter((part) => part !== "DefaultCollection")];
    const project = parts.slice(0, 2).join("/");
    return fits(project, kindOf("azure")) ? { tracker: "azure", host: "dev.azure.com", project } : null;
  }
  // Linear: /acme/issue/ENG-12/title, /acme/team/ENG/active.
  if (known === "linear") {
    const key = path[1] === "issue" ? (path[2] ?? "").replace(/-\d+$/, "") : path[1] === "team" ? path[2] : undefined;
    return place("linear", [], [path[0], key].join("/"));
  }
  // Confluence: /wiki/spaces/ENG/pages/…, on Data Center /display/ENG/… too.
  const space = path.findIndex((part) => part === "spaces" || part === "display");
  if (space >= 0 && path[space + 1] !== undefined) {
    const before = host.endsWith(".atlassian.net") ? [] : path.slice(0, space);
    return place("confluence", before, path[space + 1] as string);
  }
  // GitLab puts what belongs to a project below /-/.
  const dash = path.indexOf("-");
  if (dash > 1) return place("gitlab", [], path.slice(0, dash).join("/"));
  // Jira: /browse/APP-12, /projects/APP, on Cloud below /jira/software too.
  const browse = path.indexOf("browse");
  const jiraKey = /^([A-Z][A-Z0-9_]+)(-\d+)?$/.exec(path[browse + 1] ?? "");
  if (browse >= 0 && jiraKey?.[1]) return place("jira", cloudless(host, path.slice(0, browse)), jiraKey[1]);
  const projects = path.indexOf("projects");
  const project = path[projects + 1];
  if (projects >= 0 && project !== undefined) {
    if (/^[A-Z][A-Z0-9_]+$/.test(project)) return place("jira", cloudless(host, path.slice(0, projects)), project);
    return place(known ?? "redmine", path.slice(0, projects), project);
  }
  if (known === "gitlab") return place(known, [], path.join("/"));
  if (known === "jira" || known === "redmine" || known === "confluence") return place(known, path.slice(0, -1), path.at(-1) ?? "");
  if (path.length < 2) return null;
  return place(known, [], path.slice(0, 2).join("/"));
}

/** On Cloud, what comes before the project is a page of the program, not where it is. */
function cloudless(host: string, before: readonly string[]): readonly string[] {
  return host.endsWith(".atlassian.net") ? [] : before.filter((part, at) => !(at > 0 && part === "software"));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Whether a project is written as its tracker writes it. */
export function fits(project: string, kind: Kind): boolean {
  const parts = project.split("/");
  return parts.every((part) => (kind.free ? FREE : PART).test(part)) && (kind.parts === null ? parts.length >= 2 : parts.length === kind.parts);
}

/** Whether a token goes with the name of an account: in Atlassian's cloud and at Zendesk. */
export function isNamed(tracker: Tracker, host: string): boolean {
  const isCloud = (tracker === "jira" || tracker === "confluence") && /^[^/]+\.atlassian\.net(\/|$)/.test(host.trim().toLowerCase());
  return isCloud || tracker === "zendesk";
}

/** A token as it is kept, with the account that it goes with. */
export function secretOf(account: string, token: string): string {
  const [name, secret] = [account.trim(), token.trim()];
  return secret && name ? `${name}:${secret}` : secret;
}

/** The host that a token is kept for: without the path below which the tracker is. */
export function tokenHost(host: string): string {
  const scheme = /^https?:\/\//.exec(host)?.[0] ?? "";
  return scheme + (host.slice(scheme.length).split("/")[0] ?? "");
}
