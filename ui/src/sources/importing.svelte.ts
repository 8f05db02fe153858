// Files on the way into the casebook: looked at first, corrected where they were misread, then imported.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latest";
import type { ColumnView, Failure, FileView, Imported, ImportRequest, Understood } from "../lib/types";
import type { AppState } from "../shell/desk.svelte";
import { words } from "../words";

const { files: texts } = words.sources;
const { shared } = words;

/** What a column can give, in the words of the engine and in a person's. */
export const FIELDS = Object.entries(texts.fields).map(([field, name]) => ({ field, name }));

/** The field that a person reads a column's name for. */
export function fieldName(column: ColumnView): string {
  return FIELDS.find((one) => one.field === column.field)?.name ?? column.field ?? "";
}

/** "Jira CSV: 12 items, 30 comments". */
export function holds(file: FileView): string {
  const parts = [
    file.items > 0 && texts.items(file.items),
    file.comments > 0 && shared.comments(file.comments),
    file.pages > 0 && shared.pages(file.pages),
    file.links > 0 && texts.links(file.links),
    file.releases > 0 && texts.releases(file.releases),
  ].filter((part) => part !== false);
  return texts.holds(file.kind, parts);
}

/** What an import did, in one line. */
export function told(report: Imported): string {
  const into = shared.list(report.sources.map((share) => share.source)) || report.source;
  const releases = report.understood.reduce((sum, file) => sum + file.releases, 0);
  return texts.imported(into, [
    (report.new > 0 || releases === 0) && texts.fresh(report.new),
    report.updated > 0 && texts.changed(report.updated),
    releases > 0 && texts.releases(releases),
    report.skipped > 0 && texts.refused(report.skipped),
  ].filter((part) => part !== false));
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

  readonly #app: AppState;
  #map = new Map<string, string>();
  #latest = new LatestRequest();

  constructor(app: AppState) {
    this.#app = app;
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
      const understood = await this.#app.jobs.run("import", (onProgress) => api.previewFiles(this.#request, onProgress));
      if (!isCurrent()) return false;
      this.understood = understood;
    } catch (thrown) {
      if (!isCurrent()) return false;
      this.understood = null;
      this.failure = api.toFailure(thrown);
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
      const report = await this.#app.jobs.run("import", (onProgress) => api.importFiles(this.#request, onProgress));
      this.#app.sources.selected = report.sources[0]?.source ?? report.source;
      this.#app.sources.adding = false;
      this.#app.toasts.show(told(report));
      this.clear();
      await this.#app.reloadAll();
    } catch (thrown) {
      this.failure = api.toFailure(thrown);
      this.pending = false;
    }
  }

  clear(): void {
    this.#latest.invalidate();
    this.paths = [];
    this.source = "";
    this.understood = null;
    this.failure = null;
    this.pending = false;
    this.#map = new Map();
  }
}
