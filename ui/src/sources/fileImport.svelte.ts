// An import of files: they are previewed, corrected and then imported.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { ColumnView, DetectedFiles, FileView, ImportRequest, ImportResult } from "../lib/types";
import type { AppState } from "../shell/appState.svelte";
import { words } from "../words";

const { files: texts } = words.sources;
const { shared } = words;

/** The fields that a column can provide. */
export const COLUMN_FIELDS = Object.entries(texts.fields).map(([field, name]) => ({ field, name }));

export function fieldName(column: ColumnView): string {
  return COLUMN_FIELDS.find((entry) => entry.field === column.field)?.name ?? column.field ?? "";
}

/** Describes a file: "Jira CSV: 12 items, 30 comments". */
export function fileContents(file: FileView): string {
  const parts = [
    file.items > 0 && texts.items(file.items),
    file.comments > 0 && shared.comments(file.comments),
    file.pages > 0 && shared.pages(file.pages),
    file.links > 0 && texts.links(file.links),
    file.releases > 0 && texts.releases(file.releases),
  ].filter((part) => part !== false);
  return texts.summary(file.kind, parts);
}

function importSummary(report: ImportResult): string {
  const source = shared.list(report.sources.map((share) => share.source)) || report.source;
  const releases = report.understood.reduce((sum, file) => sum + file.releases, 0);
  return texts.imported(source, [
    (report.new > 0 || releases === 0) && texts.newRecords(report.new),
    report.updated > 0 && texts.updatedRecords(report.updated),
    releases > 0 && texts.releases(releases),
    report.skipped > 0 && texts.unusedRecords(report.skipped),
  ].filter((part) => part !== false));
}

/** Returns whether a path certainly names a log. */
export function isLog(path: string): boolean {
  return /\.(?:log|out|err)(?:\.\d+)?(?:\.(?:gz|zst|xz|bz2))?$/i.test(path);
}

export class FileImport extends EngineRequest {
  paths = $state.raw<readonly string[]>([]);
  /** The chosen source; empty for the one named in the files. */
  source = $state("");
  files = $state.raw<DetectedFiles | null>(null);

  #map = new Map<string, string>();

  constructor(private readonly app: AppState) {
    super();
  }

  get #request(): ImportRequest {
    return { paths: [...this.paths], source: this.source.trim() || null, map: [...this.#map] };
  }

  /** Previews other files. Returns whether they contain anything to import. */
  async start(paths: readonly string[]): Promise<boolean> {
    this.paths = paths;
    this.#map = new Map();
    return this.preview();
  }

  async preview(): Promise<boolean> {
    this.failure = null;
    const job = this.app.jobs.run("import", (onProgress) => api.previewFiles(this.#request, onProgress));
    const isCurrent = await this.run(job, (preview) => (this.files = preview));
    if (this.failure !== null) this.files = null;
    return isCurrent && this.files !== null && this.files.understood.length > 0;
  }

  /** Sets the field of a column; an empty field ignores the column. */
  async setColumn(column: ColumnView, field: string): Promise<void> {
    if (column.field) this.#map.set(column.field, "");
    if (field) this.#map.set(field, column.column);
    await this.preview();
  }

  async import(): Promise<void> {
    if (this.pending) return;
    this.pending = true;
    const isImported = await this.attempt(async () => {
      const report = await this.app.jobs.run("import", (onProgress) => api.importFiles(this.#request, onProgress));
      this.app.sources.selected = report.sources[0]?.source ?? report.source;
      this.app.sources.isAdding = false;
      this.app.toasts.show(importSummary(report));
      this.clear();
      await this.app.reloadAll();
    });
    this.pending = false;
    if (!isImported && this.failure === null) this.app.toasts.show(words.shell.stopped);
  }

  clear(): void {
    this.cancel();
    Object.assign(this, { paths: [], source: "", files: null, failure: null });
    this.#map = new Map();
  }
}
