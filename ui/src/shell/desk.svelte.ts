// The window as a whole: what the casebook holds, which view is shown, the jobs that run, and what there is to say.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import { Problems } from "../problems/problems.svelte";
import { Beside } from "../search/beside.svelte";
import { question } from "../prompt/recognise";
import { Reader } from "../search/reader.svelte";
import { SavedSearches } from "../search/saved.svelte";
import { Search } from "../search/search.svelte";
import { Sources } from "../sources/sources.svelte";
import { ArticleDraft } from "../article/article.svelte";
import { Notes } from "../notes/notes.svelte";
import { Answer } from "../answer/answer.svelte";
import { Triage } from "../triage/triage.svelte";
import { sentence } from "../lib/text";
import type { Section } from "../answer/pieces";
import { FIRST_KEYS } from "../search/tour";
import { isLog } from "../sources/importing.svelte";
import type { Dropped, Failure, Launch, Progress, Status } from "../lib/types";
import { words } from "../words";
import { Anywhere } from "./anywhere.svelte";
import { AutoSync } from "./autosync";
import type { Subject } from "./clipboard";
import { Commands } from "./commands.svelte";
import { History } from "./history.svelte";
import { itemCommands, keyAtHand, subject } from "./items";
import { Jobs } from "./jobs.svelte";
import type { ViewId } from "./keys";
import { here, same, show, type Place } from "./places";
import { repairs } from "./repair";
import { Session } from "./session.svelte";
import { Shelf, type DeskSetting } from "./shelf.svelte";
import { Toasts } from "./toasts.svelte";
import { Undo } from "./undo.svelte";
import { Visits } from "./visits";

export interface Message {
  tone: "error" | "info";
  failure: Failure;
}

const STATUS_EVERY = 1500;

export class Desk {
  readonly shelf = new Shelf();
  readonly search = new Search(
    () => this.leave(),
    () => this.beside.led.key,
    (query, typed) => this.answer.follow(query, typed),
  );
  readonly reader = new Reader(
    () => this.leave(),
    (thread) => {
      this.shelf.read(thread);
      this.tried("read");
    },
    // Beside another document the list leads the second one.
    (key) => !this.beside.isOpen && this.search.mark(key),
  );
  readonly beside = new Beside(this);
  readonly jobs = new Jobs();
  readonly toasts = new Toasts();
  readonly undo = new Undo(this.toasts, (thrown) => this.say(thrown));
  readonly history = new History<Place>(same);
  readonly commands = new Commands();
  readonly triage = new Triage(this);
  readonly sources = new Sources(this);
  readonly answer = new Answer(this.jobs, () => this.status?.sources.map((source) => source.key) ?? []);
  readonly article = new ArticleDraft();
  readonly notes = new Notes(this);
  readonly problems = new Problems();
  readonly saved = new SavedSearches(this.shelf);
  readonly session = new Session(this);
  readonly autosync = new AutoSync(this);
  readonly anywhere = new Anywhere(this);
  readonly visits = new Visits(this);

  view = $state<ViewId>("search");
  launch = $state.raw<Launch | null>(null);
  status = $state.raw<Status | null>(null);
  /** Why the casebook cannot be opened. */
  closed = $state.raw<Failure | null>(null);
  message = $state.raw<Message | null>(null);
  /** What is wrong with the file of settings, until the person has dealt with it. */
  wrongSettings = $state.raw<Failure | null>(null);
  opening = $state(true);
  /** Whether files are held over the window. */
  dropping = $state(false);
  /** Whether scores and figures are shown beside the words. */
  details = $state(false);
  /** The item that the palette or a menu was opened for. */
  aimed = $state<string | null>(null);

  #asking = new Latest();
  #statusAt = 0;
  #watching = false;

  constructor() {
    this.commands.serve(itemCommands(this));
    this.commands.serve(repairs(this));
    this.commands.onGiven = (id) => this.tried(id);
  }

  /** The item that commands are about: the one that a menu was opened for, else the one at hand, else the first result. */
  get item(): Subject | null {
    const key = this.aimed ?? keyAtHand() ?? (this.view === "search" ? (this.search.hits[0]?.key ?? null) : null);
    return key === null ? null : subject(this, key);
  }

  /** Something was done by key or otherwise; of what a newcomer is shown first, that is remembered. */
  tried(id: string): void {
    if (FIRST_KEYS.some((one) => one.id === id)) this.shelf.learn(id);
  }

  /** Whether the casebook has the source that a key is of. */
  mirrors(key: string): boolean {
    const source = key.replace(/[#:][^#:]*$/, "");
    return this.status?.sources.some((one) => one.key === source) ?? false;
  }

  get isEmpty(): boolean {
    return this.status !== null && this.status.sources.length === 0;
  }

  /** Opens the casebook; called again by "Retry". */
  async start(): Promise<void> {
    this.opening = true;
    // What is seen first is asked for at once, and not behind the figures of the casebook.
    this.search.refresh();
    try {
      // How it was started is told though the casebook cannot be opened.
      [, this.status] = await Promise.all([this.#launched(), api.status()]);
      this.session.settle(this.status.sources.map((source) => source.key));
      this.closed = null;
    } catch (thrown) {
      this.closed = api.failure(thrown);
      return;
    } finally {
      this.opening = false;
    }
    this.#watch();
    if (this.isEmpty) {
      if (this.launch?.sample) await this.openSample();
    } else {
      void this.sources.load().then(() => this.visits.start());
      await this.update();
    }
  }

  async #launched(): Promise<void> {
    const launch = await api.launch();
    this.launch = launch;
    this.shelf.open(launch.casebook);
    this.triage.restore();
    this.search.sort = this.shelf.kept.sort;
    this.session.open(launch.casebook);
    const wrong = launch.wrong_settings;
    // Without the one that the file may have named, another casebook is shown: that must not be a riddle.
    const meanwhile = words.shell.settings.meanwhile(launch.casebook);
    this.wrongSettings = wrong && { ...wrong, hint: words.shared.sentences([sentence(wrong.hint ?? ""), meanwhile]) };
  }

  /** Moves the wrong file of settings to another name. */
  async setSettingsAside(): Promise<void> {
    try {
      const aside = await api.setSettingsAside();
      this.toasts.say(aside === null ? words.shell.settings.right : words.shell.settings.aside(aside));
      this.wrongSettings = null;
    } catch (thrown) {
      this.wrongSettings = api.failure(thrown);
    }
  }

  go(view: ViewId): void {
    if (view === this.view) return;
    this.leave();
    this.view = view;
  }

  /** Notes where it is now, before it goes somewhere else. */
  leave(): void {
    this.history.leave(here(this));
  }

  async back(): Promise<void> {
    const place = this.history.back(here(this));
    if (place) await show(this, place);
  }

  async forward(): Promise<void> {
    const place = this.history.forward(here(this));
    if (place) await show(this, place);
  }

  /** Shows a document in the reading pane. */
  async read(key: string, anchor: string | null = null): Promise<void> {
    if (this.view !== "search") this.go("search");
    else if (this.reader.place?.key !== key) this.leave();
    this.reader.reading = true;
    this.answer.open = false;
    this.beside.pane = "first";
    await this.reader.show({ key, anchor }, true);
  }

  /** Shows what a query finds. */
  lookFor(query: string, isPasted = false): void {
    this.search.begin(query, isPasted);
    this.go("search");
    this.reader.reading = false;
  }

  /** Goes to the pair of a report that waits for a decision. */
  decideAt(key: string, setting: DeskSetting): void {
    this.go("triage");
    this.triage.open(key, setting);
  }

  /** Goes where a report's duplicates are: to the desk if it waits there, else they are looked up. */
  async findDuplicates(key: string): Promise<void> {
    if (!this.triage.rows.some((item) => item.key === key)) return this.lookUp(key, "related");
    if (this.view === "triage") return this.triage.jump(key);
    this.go("triage");
    this.triage.select(key);
  }

  /** Looks up what is known of a report, named by its key or as a text, and goes to the first of a sort of answers. */
  async lookUp(report: string, section: Section): Promise<void> {
    if (this.view === "search") this.leave();
    this.go("search");
    // What is no key may have been on the clipboard, and is never among the searches that are kept.
    this.search.begin(report, question(report).key === null);
    this.reader.reading = true;
    await this.answer.show(section);
  }

  /** Asks about a text that stands somewhere else, as about a pasted one. */
  askAbout(text: string): void {
    void this.lookUp(text, "problem");
  }

  /** Brings the sample in and makes it searchable. */
  async openSample(): Promise<void> {
    if (this.jobs.get("import")) return;
    try {
      await this.jobs.run("import", api.importSample);
    } catch (thrown) {
      this.say(thrown);
      return;
    }
    await this.changed();
  }

  /** After something came in or went: shows it and brings the indexes up to date. */
  async changed(): Promise<void> {
    await Promise.all([this.refresh(), this.sources.load()]);
    this.refreshShown();
    await this.update();
  }

  /** Brings the indexes up to date. */
  async update(): Promise<void> {
    if (this.jobs.get("index")) return;
    try {
      const report = await this.jobs.run("index", api.updateIndex, (progress, isNewPhase) => this.#indexing(progress, isNewPhase));
      if (report.busy_elsewhere) {
        this.#inform(words.shell.indexedElsewhere, words.shell.indexedElsewhereHint);
      } else {
        this.refreshShown();
        if (report.calibrated.length > 0) await this.sources.learnt(report.calibrated);
      }
    } catch (thrown) {
      this.say(thrown);
    }
    await this.refresh();
    void this.saved.refresh();
  }

  /** Asks anew for the results and the documents that are shown. */
  refreshShown(): void {
    this.search.refresh();
    this.answer.refresh();
    void this.reader.refresh();
    void this.beside.reader.refresh();
    if (this.view === "problems") void this.problems.load();
  }

  /** Asks the engine what there is now. */
  async refresh(): Promise<void> {
    this.#statusAt = Date.now();
    // While a job runs it is asked often, and an older answer may come last.
    const isCurrent = this.#asking.begin();
    try {
      const status = await api.status();
      if (isCurrent()) this.status = status;
    } catch (thrown) {
      this.say(thrown);
    }
  }

  async openExternal(url: string): Promise<void> {
    try {
      await api.openExternal(url);
    } catch (thrown) {
      this.say(thrown);
    }
  }

  /** Shows what went wrong. What the person stopped is no failure. */
  say(thrown: unknown): void {
    const failure = api.failure(thrown);
    // A list that is laid out twice in one frame is no failure of anything.
    if (/^ResizeObserver loop/.test(failure.message)) return;
    if (failure.code === "cancelled") this.toasts.say(words.shell.stopped);
    else this.message = { tone: "error", failure };
  }

  dismiss(): void {
    this.message = null;
  }

  #inform(message: string, hint: string): void {
    this.message = { tone: "info", failure: { code: "busy", message, hint } };
  }

  #indexing(_progress: Progress, isNewPhase: boolean): void {
    // The full text is searchable as soon as it is through; the vectors may take long.
    if (isNewPhase) this.search.refresh();
    // What is told of the indexes must not lag behind what is found in them.
    if (isNewPhase || Date.now() - this.#statusAt > STATUS_EVERY) void this.refresh();
  }

  #dropped(dropped: Dropped): void {
    this.dropping = dropped.what === "over";
    if (dropped.what === "files") void this.take(dropped.paths);
  }

  /** Takes files: what a tracker exported is imported, once the person has seen how it is read; everything else is read as logs. */
  async take(paths: readonly string[]): Promise<void> {
    const importing = this.sources.importing;
    if (!paths.every(isLog) && !this.jobs.get("import") && (await importing.begin(paths))) {
      this.sources.startAdding("files");
      return;
    }
    importing.clear();
    this.lookFor(paths.join("\n"), true);
    this.answer.wanted = true;
  }

  /** What other programs and the prompt ask to be shown. */
  #watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.autosync.start();
    void this.anywhere.start();
    void api.watchLinks((key) => void this.read(key)).catch((thrown: unknown) => this.say(thrown));
    void api.watchDrops((dropped) => this.#dropped(dropped)).catch((thrown: unknown) => this.say(thrown));
  }
}
