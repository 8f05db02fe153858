// The state of the whole window: casebook status, current view, running jobs and messages.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latestRequest";
import { Problems } from "../problems/problems.svelte";
import { SplitPane } from "../search/splitPane.svelte";
import { parseQuestion } from "../prompt/classify";
import { Reader } from "../search/reader.svelte";
import { SavedSearches } from "../search/saved.svelte";
import { Search } from "../search/search.svelte";
import { Sources } from "../sources/sources.svelte";
import { ArticleDraft } from "../article/article.svelte";
import { Notes } from "../notes/notes.svelte";
import { Answer } from "../answer/answer.svelte";
import { Triage } from "../triage/triage.svelte";
import { sentence } from "../lib/text";
import type { EvidenceSection } from "../answer/evidence";
import { isLog } from "../sources/fileImport.svelte";
import type { Dropped, Failure, Launch, Status } from "../lib/types";
import { words } from "../words";
import { QuickPrompt } from "./quickPrompt.svelte";
import { AutoSync } from "./autosync";
import type { CurrentItem } from "./clipboard";
import { Commands } from "./commands.svelte";
import { History } from "./history.svelte";
import { itemCommands, currentKey, currentItem } from "./items";
import { Jobs } from "./jobs.svelte";
import type { ViewId } from "./keys";
import { currentPlace, isSamePlace, showPlace, type Place } from "./places";
import { repairCommands } from "./repair";
import { Session } from "./session.svelte";
import { LocalStore, type TriageSettings } from "./localStore.svelte";
import { Toasts } from "./toasts.svelte";
import { UndoStack } from "./undo.svelte";
import { Visits } from "./visits";

const STATUS_INTERVAL = 1500;

export class AppState {
  readonly store = new LocalStore();
  readonly search = new Search(
    () => this.recordPlace(),
    () => this.splitPane.activeReader.key,
    (query, isTyping) => this.answer.follow(query, isTyping),
  );
  readonly reader = new Reader(
    () => this.recordPlace(),
    (thread) => this.store.recordRead(thread),
    // With two panes, the list controls the second one.
    (key) => !this.splitPane.isOpen && this.search.select(key),
  );
  readonly splitPane = new SplitPane(this);
  readonly jobs = new Jobs();
  readonly toasts = new Toasts();
  readonly undo = new UndoStack(this.toasts, (error) => this.showError(error));
  readonly history = new History<Place>(isSamePlace);
  readonly commands = new Commands();
  readonly triage = new Triage(this);
  readonly sources = new Sources(this);
  readonly answer = new Answer(this.jobs, () => this.status?.sources.map((source) => source.key) ?? []);
  readonly article = new ArticleDraft(() => this.refreshVisible());
  readonly notes = new Notes(this);
  readonly problems = new Problems();
  readonly savedSearches = new SavedSearches(this.store);
  readonly session = new Session(this);
  readonly autosync = new AutoSync(this);
  readonly quickPrompt = new QuickPrompt(this);
  readonly visits = new Visits(this);

  view = $state<ViewId>("search");
  launch = $state.raw<Launch | null>(null);
  status = $state.raw<Status | null>(null);
  /** The reason why the casebook cannot be opened. */
  openFailure = $state.raw<Failure | null>(null);
  message = $state.raw<Failure | null>(null);
  /** The error in the settings file, until the user has handled it. */
  settingsFailure = $state.raw<Failure | null>(null);
  isOpening = $state(true);
  /** Whether files are dragged over the window. */
  isDragging = $state(false);
  /** Whether scores and figures are shown. */
  showsDetails = $state(false);
  /** The item that the palette or a menu was opened for. */
  menuItem = $state<string | null>(null);

  #statusRequest = new LatestRequest();
  #statusTime = 0;
  #isWatching = false;

  constructor() {
    this.commands.register(itemCommands(this));
    this.commands.register(repairCommands(this));
  }

  /** The target of item commands: the menu's item, the focused or selected one, or the first result. */
  get item(): CurrentItem | null {
    const key = this.menuItem ?? currentKey() ?? (this.view === "search" ? (this.search.hits[0]?.key ?? null) : null);
    return key === null ? null : currentItem(this, key);
  }

  /** Returns whether the casebook has the source of a key. */
  mirrors(key: string): boolean {
    const source = key.replace(/[#:][^#:]*$/, "");
    return this.status?.sources.some((entry) => entry.key === source) ?? false;
  }

  get isEmpty(): boolean {
    return this.status !== null && this.status.sources.length === 0;
  }

  /** Opens the casebook; "Retry" calls it again. */
  async start(): Promise<void> {
    this.isOpening = true;
    // Start the first results before the status, which is slower.
    this.search.refresh();
    try {
      // The launch options are needed even if the casebook cannot be opened.
      [, this.status] = await Promise.all([this.#loadLaunch(), api.status()]);
      this.session.dropMissing(this.status.sources.map((source) => source.key));
      this.openFailure = null;
    } catch (error) {
      this.openFailure = api.toFailure(error);
      return;
    } finally {
      this.isOpening = false;
    }
    this.#watch();
    if (this.isEmpty) {
      if (this.launch?.sample) await this.openSample();
    } else {
      void this.sources.load().then(() => this.visits.start());
      await this.updateIndexes();
    }
  }

  async #loadLaunch(): Promise<void> {
    const launch = await api.launch();
    this.launch = launch;
    this.store.open(launch.casebook);
    this.triage.restore();
    this.search.sort = this.store.state.sort;
    this.session.open(launch.casebook);
    const settingsError = launch.wrong_settings;
    // Without the settings file, a different casebook may be open; the hint says which.
    const casebookNote = words.shell.settings.currentCasebook(launch.casebook);
    this.settingsFailure = settingsError && { ...settingsError, hint: words.shared.sentences([sentence(settingsError.hint ?? ""), casebookNote]) };
  }

  /** Renames the invalid settings file. */
  async setSettingsAside(): Promise<void> {
    try {
      const newPath = await api.setSettingsAside();
      this.toasts.show(newPath === null ? words.shell.settings.valid : words.shell.settings.movedAside(newPath));
      this.settingsFailure = null;
    } catch (error) {
      this.settingsFailure = api.toFailure(error);
    }
  }

  go(view: ViewId): void {
    if (view === this.view) return;
    this.recordPlace();
    this.view = view;
  }

  /** Records the current place before leaving it. */
  recordPlace(): void {
    this.history.leave(currentPlace(this));
  }

  async back(): Promise<void> {
    const place = this.history.back(currentPlace(this));
    if (place) await showPlace(this, place);
  }

  async forward(): Promise<void> {
    const place = this.history.forward(currentPlace(this));
    if (place) await showPlace(this, place);
  }

  async openDocument(key: string, anchor: string | null = null): Promise<void> {
    if (this.view !== "search") this.go("search");
    else if (this.reader.position?.key !== key) this.recordPlace();
    this.reader.isReading = true;
    this.answer.isOpen = false;
    this.splitPane.pane = "first";
    await this.reader.show({ key, anchor }, true);
  }

  searchFor(query: string, isPasted = false): void {
    this.search.replace(query, isPasted);
    this.go("search");
    this.reader.isReading = false;
  }

  /** Shows the pair of a report that waits for a decision. */
  openPair(key: string, setting: TriageSettings): void {
    this.go("triage");
    this.triage.open(key, setting);
  }

  /** Shows a report's duplicates: in triage if it waits there, otherwise by a lookup. */
  async findDuplicates(key: string): Promise<void> {
    if (!this.triage.rows.some((item) => item.key === key)) return this.lookUp(key, "related");
    if (this.view === "triage") return this.triage.jump(key);
    this.go("triage");
    this.triage.select(key);
  }

  /** Looks up a report by key or text and shows a section of its evidence. */
  async lookUp(report: string, section: EvidenceSection): Promise<void> {
    if (this.view === "search") this.recordPlace();
    this.go("search");
    // A text may be from the clipboard, so it is never saved.
    this.search.replace(report, parseQuestion(report).key === null);
    this.reader.isReading = true;
    await this.answer.show(section);
  }

  /** Imports the sample casebook and indexes it. */
  async openSample(): Promise<void> {
    if (this.jobs.get("import")) return;
    if (await this.attempt(() => this.jobs.run("import", api.importSample))) await this.reloadAll();
  }

  /** Shows imported or removed items and updates the indexes. */
  async reloadAll(): Promise<void> {
    await Promise.all([this.refresh(), this.sources.load()]);
    if (this.triage.loaded) void this.triage.load();
    this.refreshVisible();
    await this.updateIndexes();
  }

  async updateIndexes(): Promise<void> {
    if (this.jobs.get("index")) return;
    await this.attempt(async () => {
      const report = await this.jobs.run("index", api.updateIndex, (_progress, isNewPhase) => this.#handleIndexing(isNewPhase));
      if (report.busy_elsewhere) {
        this.toasts.show(words.shell.indexedElsewhere);
      } else {
        this.refreshVisible();
        if (report.calibrated.length > 0) await this.sources.showCalibrations(report.calibrated);
      }
    });
    await this.refresh();
    void this.savedSearches.refresh();
  }

  /** Reloads the results and documents on screen. */
  refreshVisible(): void {
    this.search.refresh();
    this.answer.refresh();
    void this.reader.refresh();
    void this.splitPane.reader.refresh();
    if (this.view === "problems") void this.problems.load();
  }

  async refresh(): Promise<void> {
    this.#statusTime = Date.now();
    // A job triggers frequent requests, whose responses may arrive out of order.
    const isCurrent = this.#statusRequest.begin();
    await this.attempt(async () => {
      const status = await api.status();
      if (isCurrent()) this.status = status;
    });
  }

  /** Runs an action and shows its error. Returns whether it succeeded. */
  async attempt(action: () => Promise<unknown>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      this.showError(error);
      return false;
    }
  }

  async openExternal(url: string): Promise<void> {
    await this.attempt(() => api.openExternal(url));
  }

  /** Shows an error. A canceled job is not an error. */
  showError(error: unknown): void {
    const failure = api.toFailure(error);
    // A list laid out twice in a frame is harmless.
    if (/^ResizeObserver loop/.test(failure.message)) return;
    if (failure.code === "cancelled") this.toasts.show(words.shell.stopped);
    else this.message = failure;
  }

  #handleIndexing(isNewPhase: boolean): void {
    // Full text is searchable after its phase; embeddings may take long.
    if (isNewPhase) this.search.refresh();
    // The status must not lag behind the results.
    if (isNewPhase || Date.now() - this.#statusTime > STATUS_INTERVAL) void this.refresh();
  }

  #handleDrop(drop: Dropped): void {
    this.isDragging = drop.what === "over";
    if (drop.what === "files") void this.openFiles(drop.paths);
  }

  /** Opens files: tracker exports after a preview, everything else as logs. */
  async openFiles(paths: readonly string[]): Promise<void> {
    const fileImport = this.sources.fileImport;
    if (!paths.every(isLog) && !this.jobs.get("import") && (await fileImport.start(paths))) {
      this.sources.startAdding("files");
      return;
    }
    fileImport.clear();
    this.searchFor(paths.join("\n"), true);
    this.answer.wantsFocus = true;
  }

  /** Starts the background services and the watchers. */
  #watch(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.autosync.start();
    void this.quickPrompt.start();
    void this.attempt(() => api.watchLinks((key) => void this.openDocument(key)));
    void this.attempt(() => api.watchDrops((drop) => this.#handleDrop(drop)));
  }
}
