export const notes = {
  kind: "Kind",
  allKinds: "All kinds",
  kinds: {
    lesson: { name: "Lesson", about: "something that was learnt", none: "No lessons yet." },
    curiosity: { name: "Curiosity", about: "a question worth following", none: "No curiosities yet." },
    thesis: { name: "Thesis", about: "a claim to be tested", none: "No theses yet." },
    signal: { name: "Signal", about: "something that was observed", none: "No signals yet." },
    episode: { name: "Episode", about: "what happened, once", none: "No episodes yet." },
    watchpoint: { name: "Watchpoint", about: "what to keep an eye on", none: "No watchpoints yet." },
    summary: { name: "Summary", about: "what other notes come to", none: "No summaries yet." },
  },
  kindAbout: (name: string, about: string) => `${name}: ${about}`,
  newNote: "New note",
  /** The same where one was begun. */
  newNoteBegun: "New note (draft)",

  none: "No notes yet.",
  noneWhy:
    "Keep what you learn from a case next to the cases. When you save a lesson that you have already, Precedent shows it, so " +
    "that there is only one.",

  archived: "archived",
  draft: "draft",
  updated: "updated {time}",
  linkedTo: "Linked to",

  edit: "Edit",
  archive: "Archive",
  useAgain: "Use again",
  remove: "Remove…",
  removing: {
    name: (key: string) => `Remove ${key}`,
    question: (key: string) => `Remove ${key} for good?`,
    keep: "Keep it",
    remove: "Remove it",
  },

  form: {
    edit: (key: string) => `Edit ${key}`,
    title: "Title",
    text: "Text",
    tags: "Tags",
    tagsHow: "separated by commas",
    about: "About",
    notChecked: "Saved even if a note says the same: moments repeat.",
    similar: "Similar",
    /** How near a note is to what was written. */
    same: "the same",
    wordForWord: "word for word",
    muchTheSame: "says much the same",
    /** In what a similar note differs. */
    but: (differences: string) => `but ${differences}`,
    save: "Save",
    discard: "Discard",
    escKeeps: "Esc keeps it as a draft.",
    escKeepsPasted: "Esc keeps it as a draft until you close Precedent. Pasted text is not written to disk before you save.",

    thereAlready: "This note already exists, so it was not saved.",
    near: (how: string) => `(${how})`,
    nearArchived: (how: string) => `(${how}, archived)`,
    show: "Show it",
    replace: "Replace its text with this",
    saveAnyway: "Save it anyway",
  },

  done: {
    saved: (key: string) => `${key} is saved.`,
    savedConnected: (key: string, others: string) => `${key} is saved and linked to ${others}.`,
    kept: "Kept as a draft. Open the form again to go on with it.",
    draftDiscarded: "The draft is discarded.",
    changesDiscarded: (key: string) => `The changes to ${key} are discarded.`,
    archived: (key: string) => `${key} is archived.`,
    inUse: (key: string) => `${key} is in use again.`,
    removed: (key: string) => `${key} is removed.`,
  },
};
