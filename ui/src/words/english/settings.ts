import { bytes, count, plural } from "./numbers";

export const settings = {
  version: (version: string) => `Precedent ${version}`,
  /** The heading of a column of buttons, for who hears it. */
  action: "Action",

  appearance: {
    title: "Appearance",
    theme: "Theme",
    themes: { system: "Same as system", light: "Light", dark: "Dark" },
    textSize: "Text size",
    textSizeOf: (percent: number) => `${percent}\u00a0%`,
    density: "Density",
    densities: { comfortable: "Comfortable", compact: "Compact" },
    contrast: "Contrast",
    contrasts: { system: "Same as system", more: "More" },
    motion: "Motion",
    motions: { system: "Same as system", less: "Less" },
  },

  anywhere: {
    title: "Ask from anywhere",
    about:
      "A small window above all others, for what you are looking at in another program. It offers the text on the clipboard when you open " +
      "it, and says in one line each what is known, what solved it and which wiki page is about it. The text stays on this machine and is not kept.",
    byShortcut: "Open it with a keyboard shortcut",
    resetTo: (shortcut: string) => `Reset to ${shortcut}`,
    /** The keys that a desktop gave instead of those that were asked for. */
    given: (keys: string) => `This desktop opens it with ${keys}. Its own settings can change that.`,
    tray: "Icon in the system tray",
    shortcut: "Shortcut",
    press: "Press the keys that should open it. Esc keeps the current ones.",
    notThisKey: "This key cannot be part of a shortcut.",
    notAlone: "Hold Ctrl, Alt or the system’s key with it. On its own it would be taken from every program.",
  },

  privacy: {
    title: "Privacy",
    about:
      "No account, no telemetry. Precedent connects only to the hosts of your own sources, and only while a source is tested, " +
      "synced or has duplicates closed in it. A token goes to its own host alone. The one exception is a model that you download by name, below.",
    sync: "Sync",
    syncAbout: "while this window is open; a source may have an interval of its own in Sources",
    notMetered: "Not on metered networks",
    isMetered: "the current one is metered",
    connectsTo: "Connects to",
    for: "For",
    token: "Token",
    tokenFrom: (place: string) => `from ${place}`,
    noToken: "none",
    remove: "Remove",
    tokenRemoved: (host: string) => `The token for ${host} is removed from the keyring.`,
    noTokenKept: (host: string) => `The keyring had no token for ${host}.`,
    connectsToNobody: "No tracker is mirrored, so Precedent connects to nobody.",
  },

  models: {
    title: "Search by meaning",
    wordsStillWork: "Search by words still works.",
    about: (read: number, passages: number) =>
      "The model {model} runs on this machine and finds what says the same in other words. " +
      `It has read ${count(read)} of ${plural(passages, "passage")}.`,
    model: "Model",
    reads: "Reads",
    onDisk: "On disk",
    status: "Status",
    wordsAtOnce: (n: number) => `about ${count(n)} words at once`,
    figures: (tokens: number | null, dimensions: number | null) => `${tokens ?? "?"} tokens, ${dimensions ?? "?"} dimensions`,
    indexOf: (size: number) => `index: ${bytes(size)}`,
    standings: {
      inUse: "in use",
      notInUse: "not in use",
      indexKept: "not in use, its index is kept",
      gettingReady: "getting ready",
      gettingReadySoFar: (read: number, passages: number) => `getting ready: ${count(read)} of ${plural(passages, "passage")}`,
    },
    use: "Use",
    remove: "Remove…",
    removeOne: (model: string) => `Remove ${model}…`,
    removeIt: "Remove it",
    keep: "Keep it",
    add: "Add a model…",
    adding: "Add a model",
    whereFrom: "Where it comes from",
    byName: "By name",
    fromFiles: "From files",
    choose: "Choose one",
    description: (model: string) => `${model}.`,
    downloadedFrom: (host: string) =>
      `It is downloaded from ${host}, which learns this machine’s address and the model’s name, and nothing else.`,
    path: "Path",
    pathExample: "/home/me/model",
    pathHint: "A folder with an ONNX file and its tokenizer, the ONNX file in such a folder, or an archive of one.",
    download: "Download",
    addFiles: "Add",
    added: (model: string) => `${model} is added. Choose “Use” to search with it.`,
    removed: (model: string) => `${model} is removed, with its index.`,
  },

  storage: {
    title: "Storage",
    folder: "Folder",
    records: "Reports, comments, decisions",
    wordIndex: "Index for words",
    meaningIndex: "Index for meaning",
    rebuildable: "can be rebuilt",
    rebuild: "Rebuild the search index…",
    confirm: (documents: number) => `The search index for ${plural(documents, "document")} is built again. You can go on searching meanwhile.`,
    rebuildIt: "Rebuild it",
    keepIt: "Keep it",
  },
};
