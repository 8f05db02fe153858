import { count, percent, plural } from "./numbers";

const ATLASSIAN = "Cloud: an API token from your Atlassian account, with its email address. Data Center: a personal access token, without an email address.";

export const sources = {
  syncAll: "Sync all",
  missing: (gaps: number) => `${count(gaps)} missing`,

  freshness: {
    imported: "imported {time}",
    importedFromFiles: "imported from files",
    syncing: "syncing now",
    syncingSoFar: (progress: string) => `syncing now: ${progress}`,
    waiting: "waiting for the tracker",
    synced: "synced {time}",
    neverSynced: "never synced",
  },
  /** The progress of a sync; the unit comes from the engine. */
  soFar: (done: number, total: number | null, unit: string) => `${count(done)}${total !== null ? ` of ${count(total)}` : ""} ${unit}`,

  adding: {
    whereFrom: "From",
    mirror: "Connect a tracker",
    readFiles: "Import files",
    project: "Project",
    projectForms: "its address, or owner/name",
    trackerUnknown: "The address does not identify the tracker. Choose it below.",
    detected: (project: string, host: string, tracker: string) => `Found ${project} at ${host} (${tracker}).`,
    projectHint: (shape: string) => `The address of the project or of any issue, or ${shape}.`,
    noProject: (typed: string, tracker: string) => `“${typed}” is not a ${tracker} project`,
    noProjectHint: (shape: string) => `Write it as ${shape}, or paste its address.`,
    tracker: "Tracker",
    host: "Host",
    hostExample: "tracker.acme.example",
    jiraHostExample: "acme.atlassian.net",
    githubHosts: "github.com, your company’s `name.ghe.com`, or a GitHub Enterprise Server.",
    hostFolder: (folder: string) => `If it is installed in a folder, add the folder: \`acme.example/${folder}\`.`,
    optional: "optional",
    tokenHint: "Stored only in the system’s keyring. Public projects need none.",
    name: "Name",
    nameByHost: "host/project by default, or your own: acme/app",
    nameByTracker: "the tracker’s name by default, or your own: acme/app",
    includeWiki: "Include its wiki",
    submit: "Test, add and sync",
    unreachable: "Check the host and your network. Nothing was added.",
  },
  asking: (host: string) => `Contacting ${host}…`,
  account: "Account",
  accountExample: "you@acme.example",

  /** Each tracker's project format, its word for tokens, and how to create one, in the tracker's own words. */
  trackers: {
    github: {
      name: "GitHub",
      shape: "owner/name",
      token: "Token",
      remedy:
        "Settings › Developer settings › Personal access tokens: read access to issues, pull requests and discussions; for releases and a wiki, also contents. " +
        "Without a token, Precedent uses the account that gh is signed in to.",
    },
    gitlab: {
      name: "GitLab",
      shape: "group/name",
      token: "Token",
      remedy: "Preferences › Access tokens: the scope read_api; for a wiki, also read_repository.",
    },
    gitea: {
      name: "Gitea or Forgejo",
      shape: "owner/name",
      token: "Token",
      remedy: "Settings › Applications: read access to issues; for releases and a wiki, also the repository.",
    },
    jira: { name: "Jira", shape: "the project’s key, such as APP", token: "Token", remedy: ATLASSIAN },
    redmine: {
      name: "Redmine",
      shape: "the project’s identifier",
      token: "API key",
      remedy: "My account › API access key › Show. An administrator must have enabled the REST interface.",
    },
    bugzilla: {
      name: "Bugzilla",
      shape: "the product’s name",
      token: "API key",
      remedy: "Preferences › API Keys › Generate a new API key. It can read what your account can see.",
    },
    azure: {
      name: "Azure DevOps",
      shape: "organization/project",
      token: "Personal access token",
      remedy: "User settings › Personal access tokens: Work Items (Read); for a wiki, also Code (Read).",
    },
    linear: {
      name: "Linear",
      shape: "workspace/TEAM-KEY",
      token: "API key",
      remedy: "Settings › Security & access › Personal API keys: read access. Each key covers one workspace.",
    },
    confluence: { name: "Confluence", shape: "the space’s key, such as ENG", token: "Token", remedy: ATLASSIAN },
    zendesk: {
      name: "Zendesk",
      shape: "the account’s address, such as acme.zendesk.com",
      token: "API token",
      remedy: "Admin Center › Apps and integrations › APIs › API tokens. Only an administrator can create it. Enter that administrator’s email address as the account.",
    },
    discourse: {
      name: "Discourse",
      shape: "the forum’s address, or a category’s",
      token: "API key",
      remedy: "Public forums need none. Admin › API keys: a key for one user who can read topics. Write a key for all users as USER:KEY.",
    },
  },

  files: {
    title: "Files",
    hint:
      "Drop files on the window, or enter their paths, one per line: an export from Jira, GitLab, Zendesk, Azure DevOps, Linear and " +
      "others as CSV, JSON or XML, compressed or not; or a folder.",
    nameByFiles: "taken from the files, or your own: acme/app",
    preview: "Preview",
    import: "Import",
    contents: "Contents",
    summary: (kind: string, parts: readonly string[]) => `${kind}: ${parts.length > 0 ? parts.join(", ") : "nothing"}`,
    encodedAs: (summary: string, encoding: string) => `${summary}, encoded as ${encoding}`,
    items: (n: number) => plural(n, "item"),
    links: (n: number) => plural(n, "link"),
    unusable: (records: number) => `${plural(records, "record")} cannot be used`,
    share: (source: string, items: number) => `${source}: ${plural(items, "item")}`,
    columnsOf: (file: string) => `Columns of ${file}`,
    column: "Column",
    usedAs: "Used as",
    columnUsedAs: (column: string) => `Field for ${column}`,
    notUsed: "not used",
    fields: {
      number: "Number or key",
      title: "Title",
      body: "Text",
      state: "State",
      category: "State’s category",
      reason: "Resolution",
      author: "Author",
      labels: "Labels",
      milestone: "Version or milestone",
      created: "Created",
      updated: "Updated",
      closed: "Closed",
      url: "Address",
      comments: "Comments",
      "comment author": "Comment’s author",
      "comment date": "Comment’s date",
      duplicates: "Is a duplicate of",
      duplicated: "Has duplicates",
      related: "Related",
    },
    firstOf: (items: number) => `First of ${count(items)}`,
    leftOut: (files: number) => `${plural(files, "file")} skipped`,
    releases: (n: number) => plural(n, "release"),
    newRecords: (records: number) => plural(records, "new record"),
    updatedRecords: (records: number) => `${count(records)} updated`,
    unusedRecords: (records: number) => `${plural(records, "record")} could not be used`,
    imported: (source: string, parts: readonly string[]) => `${source}: ${parts.join(", ")}.`,
  },

  detail: {
    mirroredFrom: (host: string) => `Mirrored from ${host}.`,
    /** A project that was renamed at its tracker. */
    mirroredAs: (host: string, project: string) => `Mirrored from ${host}, where it is now named ${project}.`,
    lastSync: "Last sync {time}.",
    neverSynced: "Never synced.",
    importedAt: "Imported from files {time}.",
    imported: "Imported from files.",
    test: "Test access",
    confirmRemove: (key: string, items: number, comments: number) =>
      `Remove ${key} with ${plural(items, "item")} and ${plural(comments, "comment")} from this casebook? ` +
      "The tracker is not affected, and your decisions are kept.",

    inCasebook: "In this casebook",
    issues: "Issues",
    pullRequests: "Pull requests",
    comments: "Comments",
    pages: "Wiki pages",
    lastSyncResult: (created: number, updated: number, seconds: number, requests: number, deleted: number) =>
      `The last sync fetched ${count(created)} new and ${plural(updated, "updated record")} in ${plural(seconds, "second")}, ` +
      `with ${plural(requests, "request")}${deleted > 0 ? `; ${count(deleted)} ${deleted === 1 ? "was" : "were"} deleted on the tracker` : ""}.`,

    lists: "Lists",
    /** The lists of a tracker, by the engine's name. */
    streams: {
      items: "Issues and pull requests",
      comments: "Comments",
      review_comments: "Review comments",
      discussions: "Discussions",
    },
    allBefore: (time: string) => `Complete up to ${time}`,
    refused: (reason: string) => `refused: ${reason}`,
    reading: (pages: number) => `reading, ${plural(pages, "page")} so far`,
    complete: "complete, read {time}",
    notRead: "not read yet",
    deletions: "Deletions",
    checked: "checked {time}",
    neverChecked: "never checked",

    missing: "Missing",
    untrusted: (host: string) =>
      `Imported with a casebook file. ${host} gets none of your tokens until you confirm that you trust it.`,
    trust: (host: string) => `Trust ${host}`,
    missingComments: (n: number) => `${plural(n, "comment")} that the tracker has but this casebook does not.`,
    nothingMissing: "Nothing known to be missing.",
    unknownForImports: "Can’t be determined for imported files.",
    readAgain: "Full sync",
    readAgainAbout: "Fetch everything again and look for deleted items",
  },

  interval: {
    /** `every` is one of the choices in Settings. */
    asInSettings: (every: string) => `As in Settings (${every.toLowerCase()})`,
  },

  token: {
    open: (token: string) => `${token}…`,
    another: (host: string) => `New token for ${host}`,
    save: "Save and test",
    about: (host: string) => `Sent only to ${host}. Replaces the one in the system’s keyring.`,
  },

  access: {
    title: "Access",
    /** `user` is the token's owner; `null` without a token. */
    account: (user: string | null, isPrivate: boolean, isArchived: boolean) =>
      `${user ? `Signed in as ${user}` : "Without a token"}${isPrivate ? ", a private project" : ""}${isArchived ? ", archived" : ""}.`,
    requestsLeft: (remaining: number, limit: number) => `${count(remaining)} of ${count(limit)} requests left.`,
    requestsLeftUntil: (remaining: number, limit: number) => `${count(remaining)} of ${count(limit)} requests left, reset {time}.`,
  },

  tuning: {
    title: "Duplicates",
    tuned: (known: number) => `Tuned on ${plural(known, "known duplicate")} from this source.`,
    untuned: (pairs: number) => `This source has ${pairs === 0 ? "no known duplicates to tune on" : plural(pairs, "known duplicate")}. It uses the default calibration.`,
    /** Both shares are of the known duplicates: ranked first, and in the first ten. */
    result: (known: number, first: number, inTen: number) =>
      `Tuned on ${plural(known, "known duplicate")} from this source: the right one is first for ${percent(first)}, ` +
      `in the first ten for ${percent(inTen)}.`,
    builtIn: (first: number, inTen: number) => `With the default calibration: ${percent(first)} and ${percent(inTen)}.`,
    tooFewDuplicates: (known: number) => `This source has too few known duplicates (${count(known)}). It keeps the default calibration.`,
    about: "Tune the ranking and the confidence using the known duplicates of this source",
    tune: "Tune on known duplicates",
    again: "Tune again",
  },

  news: {
    addedForLater: (key: string) => `Added ${key}. It will sync after the current sync.`,
    syncFailed: (reason: string) => `Not synced: ${reason}.`,
    trusted: (host: string) => `${host} now gets its saved token.`,
    removed: (key: string) => `Removed ${key}. Your decisions about its reports are kept.`,
    tuned: (source: string, known: number) => `${source}: duplicate checks are now tuned on ${plural(known, "known duplicate")}.`,
    stopped: "Stopped. Progress is kept, and the next sync continues from there.",
    sources: (n: number) => plural(n, "source"),
    newRecords: (name: string, records: number) => `${name}: ${plural(records, "new or changed record")}.`,
    nothingNew: (name: string) => `${name}: nothing new.`,
  },
};
