export const notes = {
  kind: "Kind",
  allKinds: "All kinds",
  kinds: {
    lesson: { name: "Lesson", about: "what a case taught you", none: "No lessons yet." },
    curiosity: { name: "Curiosity", about: "a question worth following up", none: "No curiosities yet." },
    thesis: { name: "Thesis", about: "a claim to test", none: "No theses yet." },
    signal: { name: "Signal", about: "an observation", none: "No signals yet." },
    episode: { name: "Episode", about: "a single event", none: "No episodes yet." },
    watchpoint: { name: "Watchpoint", about: "something to keep an eye on", none: "No watchpoints yet." },
    summary: { name: "Summary", about: "a summary of other notes", none: "No summaries yet." },
    article: { name: "Article", about: "an article about a solved problem", none: "No articles yet." },
  },
  newNoteDraft: "New note (draft)",

  none: "No notes yet.",
  noneHint:
    "Keep what you learn next to the cases. If you save a lesson that already exists, Precedent shows the existing one " +
    "instead of adding a duplicate.",

  archived: "archived",
  draft: "draft",
  linkedTo: "Linked to",

  edit: "Edit",
  archive: "Archive",
  unarchive: "Unarchive",
  removing: (key: string) => `Remove ${key}`,
  confirmRemove: (key: string) => `Remove ${key} permanently?`,

  form: {
    edit: (key: string) => `Edit ${key}`,
    title: "Title",
    text: "Text",
    tags: "Tags",
    tagsHint: "separated by commas",
    about: "About",
    notChecked: "Saved even if an identical note exists, because events repeat.",
    similar: "Similar",
    identical: "identical",
    sameWording: "same wording",
    similarWording: "similar wording",
    differences: (differences: string) => `(differs in ${differences})`,
    save: "Save",
    discard: "Discard",
    escKeeps: "Esc keeps it as a draft.",
    escKeepsPasted: "Esc keeps it as a draft until you close Precedent. Pasted text is not written to disk until you save.",

    duplicateNote: "This note already exists and was not saved again.",
    similarity: (label: string) => `(${label})`,
    similarityArchived: (label: string) => `(${label}, archived)`,
    show: "Show",
    replace: "Replace its text",
    saveAnyway: "Save anyway",
  },

  toasts: {
    saved: (key: string) => `Saved ${key}.`,
    savedConnected: (key: string, others: string) => `Saved ${key} and linked it to ${others}.`,
    kept: "Kept as a draft. Open the form again to continue.",
    draftDiscarded: "Discarded the draft.",
    changesDiscarded: (key: string) => `Discarded the changes to ${key}.`,
    archived: (key: string) => `Archived ${key}.`,
    inUse: (key: string) => `Unarchived ${key}.`,
    removed: (key: string) => `Removed ${key}.`,
  },
};
