// The sources: mirrors, their freshness and gaps, and the form to add one.

import { SvelteMap } from "svelte/reactivity";
import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Access, CalibrationReport, Failure, MirrorView, NewMirror, SourceView, SyncReport } from "../lib/types";
import type { AppState } from "../shell/appState.svelte";
import { words } from "../words";
import { FileImport } from "./fileImport.svelte";

const { news } = words.sources;

/** The result of "Test access". */
type AccessTest = { access: Access } | { failure: Failure } | "pending";

export class Sources extends EngineRequest {
  mirrors = $state.raw<readonly MirrorView[]>([]);
  selected = $state<string | null>(null);
  isAdding = $state(false);
  sourceType = $state<"tracker" | "files">("tracker");
  /** The last sync's report per source. */
  readonly reports = new SvelteMap<string, SyncReport>();
  readonly accessTests = new SvelteMap<string, AccessTest>();
  readonly calibrations = new SvelteMap<string, CalibrationReport>();
  readonly fileImport: FileImport;

  /** Sources to sync after the running sync. */
  #pendingSources = new Set<string>();

  constructor(private readonly app: AppState) {
    super();
    this.fileImport = new FileImport(app);
  }

  get all(): readonly SourceView[] {
    return this.app.status?.sources ?? [];
  }

  get source(): SourceView | null {
    return this.all.find((source) => source.key === this.selected) ?? this.all[0] ?? null;
  }

  mirror(key: string): MirrorView | null {
    return this.mirrors.find((mirror) => mirror.source === key) ?? null;
  }

  /** Whether the last sync of any source ended early. */
  get hasProblem(): boolean {
    return this.mirrors.some((mirror) => mirror.gaps.some((gap) => gap.kind === "ended" || gap.kind === "refused"));
  }

  startAdding(sourceType: "tracker" | "files" = "tracker"): void {
    this.app.go("sources");
    this.sourceType = sourceType;
    this.isAdding = true;
  }

  move(delta: number): void {
    const index = this.all.findIndex((source) => source.key === this.source?.key);
    this.selected = this.all[Math.min(Math.max(index + delta, 0), this.all.length - 1)]?.key ?? null;
  }

  async load(): Promise<void> {
    await this.run(api.mirrors(), (mirrors) => (this.mirrors = mirrors));
  }

  /** Adds a mirror and syncs it; one that cannot be read is removed again. */
  async addMirror(mirror: NewMirror, tokenHost: string, token: string): Promise<void> {
    const knownKeys = new Set(this.all.map((source) => source.key));
    const source = await api.addMirror(mirror);
    let access: Access;
    try {
      // Without the token, the tracker would return less.
      if (token) await api.saveToken(tokenHost, token);
      access = await api.testSource(source.key);
    } catch (error) {
      // A mistyped source must not stay and fail every day.
      if (!knownKeys.has(source.key)) await this.app.jobs.run("remove", (onProgress) => api.removeSource(source.key, onProgress));
      throw error;
    }
    this.accessTests.set(source.key, { access });
    this.selected = source.key;
    this.isAdding = false;
    await Promise.all([this.app.refresh(), this.load()]);
    if (this.app.jobs.get("sync")) {
      this.#pendingSources.add(source.key);
      this.app.toasts.show(news.addedForLater(source.key));
    } else await this.sync([source.key]);
  }

  /** Stores a new token for a source's host and tests it. */
  async saveToken(key: string, tokenHost: string, token: string): Promise<void> {
    await this.test(key, () => api.saveToken(tokenHost, token));
  }

  /** Syncs these sources, or all. A quiet sync reports errors in a toast. Returns whether it finished. */
  async sync(keys: readonly string[], { full = false, isQuiet = false } = {}): Promise<boolean> {
    if (this.app.jobs.get("sync")) return false;
    let isDone = false;
    let refreshTime = 0;
    try {
      const reports = await this.app.jobs.run(
        "sync",
        (onProgress) => api.sync(keys, full, onProgress),
        () => {
          if (Date.now() - refreshTime < 2000) return;
          refreshTime = Date.now();
          void this.app.refresh();
          void this.load();
        },
      );
      for (const report of reports) this.reports.set(report.source, report);
      this.#showReports(reports);
      isDone = true;
    } catch (error) {
      // An automatic sync must not interrupt.
      if (isQuiet) this.app.toasts.show(news.syncFailed(api.toFailure(error).message));
      else this.app.showError(error);
    }
    await this.app.reloadAll();
    const pendingSources = [...this.#pendingSources];
    this.#pendingSources.clear();
    if (pendingSources.length > 0) await this.sync(pendingSources);
    return isDone;
  }

  async test(key: string, prepare = async () => {}): Promise<void> {
    this.accessTests.set(key, "pending");
    try {
      await prepare();
      this.accessTests.set(key, { access: await api.testSource(key) });
    } catch (error) {
      this.accessTests.set(key, { failure: api.toFailure(error) });
    }
  }

  /** Trusts the host of a source that came with a casebook file. */
  async trust(key: string): Promise<void> {
    await this.app.attempt(async () => this.app.toasts.show(news.trusted((await api.trustSource(key)).host)));
    await this.app.reloadAll();
  }

  async remove(key: string): Promise<void> {
    await this.app.attempt(async () => {
      await this.app.jobs.run("remove", (onProgress) => api.removeSource(key, onProgress));
      this.app.toasts.show(news.removed(key));
    });
    this.selected = null;
    await this.app.reloadAll();
  }

  async showCalibrations(reports: readonly CalibrationReport[]): Promise<void> {
    for (const report of reports) {
      this.calibrations.set(report.source, report);
      this.app.toasts.show(news.tuned(report.source, report.labels));
    }
    await this.load();
  }

  async calibrate(key: string): Promise<void> {
    await this.app.attempt(async () => {
      this.calibrations.set(key, await this.app.jobs.run("calibrate", (onProgress) => api.calibrate(key, onProgress)));
      await this.app.reloadAll();
    });
  }

  #showReports(reports: readonly SyncReport[]): void {
    if (reports.some((report) => report.problem?.code === "cancelled")) this.app.toasts.show(news.stopped);
    const completed = reports.filter((report) => report.problem === null);
    if (completed.length === 0) return;
    const recordCount = completed.reduce((n, report) => n + report.new + report.updated, 0);
    const name = completed.length === 1 ? (completed[0]?.source ?? "") : news.sources(completed.length);
    this.app.toasts.show(recordCount > 0 ? news.newRecords(name, recordCount) : news.nothingNew(name));
  }
}
