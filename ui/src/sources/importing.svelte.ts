// Files on the way into the casebook: looked at first, corrected where they were misread, then imported.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import { plural } from "../lib/text";
import type { ColumnView, Failure, FileView, Imported, ImportRequest, Understood } from "../lib/types";
import type { Desk } from "../shell/desk.svelte";

/** What a column can give, in the words of the engine and in a person's. */
export const FIELDS: readonly { field: string; name: string }[] = [
  { field: "number", name: "Number or key" },
  { field: "title", name: "Title" },
  { field: "body", name: "Text" },
  { field: "state", name: "State" },
  { field: "category", name: "State’s category" },
  { field: "reason", name: "Resolution" },
  { field: "author", name: "Author" },
  { field: "labels", name: "Labels" },
  { field: "milestone", name: "Version or milestone" },
  { field: "created", name: "Created" },
  { field: "updated", name: "Updated" },
  { field: "closed", name: "Closed" },
  { field: "url", name: "Address" },
  { field: "comments", name: "Comments" },
  { field: "comment author", name: "Comment’s author" },
  { field: "comment date", name: "Comment’s date" },
  { field: "duplicates", name: "Is a duplicate of" },
  { field: "duplicated", name: "Has duplicates" },
  { field: "related", name: "Related" },
];

/** The field that a person reads a column's name for. */
export function fieldName(column: ColumnView): string {
  return FIELDS.find((one) => one.field === column.field)?.name ?? column.field ?? "";
}

/** "Jira CSV: 12 items, 30 comments". */
export function holds(file: FileView): string {
  const parts = [
    file.items > 0 && plural(file.items, "item"),
    file.comments > 0 && plural(file.comments, "comment"),
    file.pages > 0 && plural(file.pages, "wiki page"),
    file.links > 0 && plural(file.links, "link"),
  ].filter((part) => part !== false);
  return `${file.kind}: ${parts.length > 0 ? parts.join(", ") : "nothing"}`;
}

/** What an import did, in one line. */
export function told(report: Imported): string {
  const into = report.sources.map((share) => share.source).join(", ") || report.source;
  const skipped = report.skipped > 0 ? `, ${plural(report.skipped, "record")} could not be used` : "";
  return `${into}: ${plural(report.new, "new record")}, ${report.updated} updated${skipped}.`;
}

/** Whether somebody who drops this path surely means a log. */
export function isLog(path: string): boolean {
  return /\.(?:log|out|err)(?:\.\d+)?(?:\.(?:gz|zst|xz|bz2))?$/i.test(path);
}

export class Importing {
  paths = $state.raw<readonly string[]>([]);
  /** The source that the person names; without it, what the files name. */
  source = $state("");
  understood = $state.raw<Understood | null>(null);
  failure = $state.raw<Failure | null>(null);
  pending = $state(false);

  readonly #desk: Desk;
  #map = new Map<string, string>();
  #latest = new Latest();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get #request(): ImportRequest {
    return { paths: [...this.paths], source: this.source.trim() || null, map: [...this.#map] };
  }

  /** Begins with other files. Whether they hold something to import. */
  async begin(paths: readonly string[]): Promise<boolean> {
    this.paths = paths;
    this.#map = new Map();
    return this.look();
  }

  /** Looks at the files as they are read now. */
  async look(): Promise<boolean> {
    const isCurrent = this.#latest.begin();
    this.pending = true;
    this.failure = null;
    try {
      const understood = await this.#desk.jobs.run("import", (onProgress) => api.understandFiles(this.#request, onProgress));
      if (!isCurrent()) return false;
      this.understood = understood;
    } catch (thrown) {
      if (!isCurrent()) return false;
      this.understood = null;
      this.failure = api.failure(thrown);
    }
    this.pending = false;
    return this.understood !== null && this.understood.understood.length > 0;
  }

  /** Says what a column gives; an empty field leaves it out. */
  async correct(column: ColumnView, field: string): Promise<void> {
    if (column.field) this.#map.set(column.field, "");
    if (field) this.#map.set(field, column.column);
    await this.look();
  }

  async run(): Promise<void> {
    if (this.pending) return;
    this.pending = true;
    this.failure = null;
    try {
      const report = await this.#desk.jobs.run("import", (onProgress) => api.importFiles(this.#request, onProgress));
      this.#desk.sources.selected = report.sources[0]?.source ?? report.source;
      this.#desk.sources.adding = false;
      this.#desk.toasts.say(told(report));
      this.clear();
      await this.#desk.changed();
    } catch (thrown) {
      this.failure = api.failure(thrown);
      this.pending = false;
    }
  }

  clear(): void {
    this.#latest.forget();
    this.paths = [];
    this.source = "";
    this.understood = null;
    this.failure = null;
    this.pending = false;
    this.#map = new Map();
  }
}
