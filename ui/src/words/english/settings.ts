import { bytes, count, plural } from "./numbers";

export const settings = {
  version: (version: string) => `Precedent ${version}`,
  /** The heading of a column of buttons, for screen readers. */
  action: "Action",

  appearance: {
    title: "Appearance",
    theme: "Theme",
    textSize: "Text size",
    textSizeOf: (percent: number) => `${percent}%`,
    density: "Density",
    contrast: "Contrast",
    appearances: {
      theme: { system: "Same as system", light: "Light", dark: "Dark" },
      density: { comfortable: "Comfortable", compact: "Compact" },
      contrast: { system: "Same as system", more: "More" },
    },
  },

  quickPrompt: {
    title: "Ask from anywhere",
    about:
      "A small window above all others that looks up what you see in another program. It offers the text on the clipboard " +
      "and shows the known report, its solution and the wiki page in one line each. The text stays on this machine and is not saved.",
    byShortcut: "Open it with a keyboard shortcut",
    resetTo: (shortcut: string) => `Reset to ${shortcut}`,
    /** The keys that the desktop assigned instead. */
    assignedKeys: (keys: string) => `This desktop assigned ${keys}. You can change that in the desktop settings.`,
    tray: "Icon in the system tray",
    shortcut: "Shortcut",
    press: "Press the new shortcut. Esc keeps the current one.",
    unusableKey: "This key cannot be used in a shortcut.",
    needsModifier: "Combine it with Ctrl, Alt or the system key. Alone, it would stop working in every other program.",
  },

  privacy: {
    title: "Privacy",
    about:
      "No account, no telemetry. Precedent connects only to the hosts of your sources, and only to test or sync a source, to close " +
      "duplicates, or to show images that you asked for. A token is sent only to its own host. The only exception is a model that you download by name, below.",
    syncAbout: "while this window is open; you can set another interval for each source in Sources",
    notMetered: "Not on metered networks",
    isMetered: "the current network is metered",
    connectsTo: "Connects to",
    usedFor: "For",
    token: "Token",
    images: "Images",
    tokenFrom: (place: string) => `from ${place}`,
    noToken: "none",
    tokenRemoved: (host: string) => `Removed the token for ${host} from the keyring.`,
    noTokenKept: (host: string) => `The keyring had no token for ${host}.`,
    noConnections: "No tracker is mirrored, so Precedent makes no connections.",
  },

  models: {
    title: "Search by meaning",
    keywordsStillWork: "Keyword search still works.",
    about: (read: number, passages: number) =>
      "The model {model} runs on this machine and finds texts with the same meaning in other words. " +
      `It has indexed ${count(read)} of ${plural(passages, "passage")}.`,
    model: "Model",
    input: "Input",
    onDisk: "On disk",
    status: "Status",
    inputSize: (n: number) => `about ${count(n)} words per passage`,
    figures: (tokens: number | null, dimensions: number | null) => `${tokens ?? "?"} tokens, ${dimensions ?? "?"} dimensions`,
    indexSize: (size: number) => `index: ${bytes(size)}`,
    statuses: {
      inUse: "in use",
      notInUse: "not in use",
      indexKept: "not in use, index kept",
      indexing: "indexing",
      indexingProgress: (read: number, passages: number) => `indexing: ${count(read)} of ${plural(passages, "passage")}`,
    },
    use: "Use",
    removeOne: (model: string) => `Remove ${model}…`,
    add: "Add a model…",
    adding: "Add a model",
    byName: "By name",
    fromFiles: "From files",
    choose: "Choose one",
    downloadedFrom: (host: string) =>
      `It is downloaded from ${host}, which sees only this machine’s address and the model’s name.`,
    pathExample: "/home/me/model",
    pathHint: "A folder with an ONNX file and its tokenizer, the ONNX file in it, or an archive of the folder.",
    download: "Download",
    addFiles: "Add",
    added: (model: string) => `Added ${model}. Choose “Use” to search with it.`,
    removed: (model: string) => `Removed ${model} and its index.`,
  },

  storage: {
    title: "Storage",
    folder: "Folder",
    records: "Reports, comments, decisions",
    keywordIndex: "Keyword index",
    semanticIndex: "Semantic index",
    rebuildable: "can be rebuilt",
    rebuild: "Rebuild the search index…",
    confirm: (documents: number) => `This rebuilds the search index for ${plural(documents, "document")}. You can keep searching meanwhile.`,
  },
};
