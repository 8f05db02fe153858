// Logs and support bundles that lie on this machine: the distinct errors in them, and what is known of each.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/asking.svelte";
import type { LogError, LogPlace, LogResponse, LogVerdict } from "../lib/types";
import { words } from "../words";
import type { Jobs } from "../shell/jobs.svelte";

const texts = words.answer.logs;

/** The paths that a text consists of; none if it is something else. */
export function paths(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/^file:\/\//, ""))
    .filter((line) => line !== "");
  const isPath = (line: string) => /^(?:~?\/[^/\s]|[A-Za-z]:[\\/])/.test(line) && !/[:;]\s/.test(line.slice(2)) && line.length < 400;
  // A line of a trace may begin with a path, too: what is a file ends with a name.
  const isFile = (line: string) => isPath(line) && !/:\d+(?::\d+)?$/.test(line) && !/^\/\S+ \S+ \S+/.test(line);
  return lines.length > 0 && lines.length <= 20 && lines.every(isFile) ? lines : [];
}

/** What all of it came to, in one line. */
export function summary(response: LogResponse): string {
  const read = response.files.filter((file) => file.skipped === null).length;
  return texts.summary(response.distinct, response.lines, read);
}

const VERDICTS: readonly LogVerdict[] = ["solved", "known", "perhaps", "new"];

/** How many errors are solved, known and new. */
export function counts(response: LogResponse): string[] {
  return VERDICTS.filter((verdict) => response[verdict] > 0).map((verdict) => texts.counts[verdict](response[verdict]));
}

/** A place in a file, and when that was written, with what is said of the place. */
function place({ file, line, at }: LogPlace, say = (place: string) => place): string[] {
  return [say(`${file}:${line}`), ...(at === null ? [] : [at])];
}

/** How often, and where, in parts. */
export function often(error: LogError): string[] {
  if (error.count === 1) return [texts.once, ...place(error.last)];
  return [texts.times(error.count), ...place(error.last, texts.last), ...place(error.first, texts.first)];
}

export class Logs extends EngineRequest {
  /** Whether logs are what is asked about. */
  active = $state(false);
  files = $state.raw<readonly string[]>([]);
  response = $state.raw<LogResponse | null>(null);
  /** The error that the keys act on. */
  at = $state(0);
  /** The errors whose evidence is open, by their place. */
  opened = $state.raw<ReadonlySet<number>>(new Set());

  readonly #jobs: Jobs;

  constructor(jobs: Jobs) {
    super();
    this.#jobs = jobs;
  }

  get error(): LogError | null {
    return this.response?.errors[this.at] ?? null;
  }

  /** Reads files, else a text that was pasted. */
  async read(files: readonly string[], text = ""): Promise<void> {
    if (this.pending) await this.stop();
    this.files = files;
    this.active = true;
    this.response = null;
    this.failure = null;
    this.at = 0;
    this.opened = new Set();
    await this.run(this.#jobs.run("logs", (onProgress) => api.readLogs(files, text, onProgress)), (response) => (this.response = response));
  }

  async stop(): Promise<void> {
    await this.#jobs.cancel("logs").catch(() => {});
  }

  clear(): void {
    if (this.pending) void this.stop();
    this.cancel();
    this.files = [];
    this.active = false;
    this.response = null;
    this.failure = null;
  }

  move(by: number): void {
    const last = (this.response?.errors.length ?? 0) - 1;
    this.at = Math.min(Math.max(this.at + by, 0), Math.max(last, 0));
  }

  /** Opens the evidence of an error, or closes it. */
  toggle(at: number): void {
    const opened = new Set(this.opened);
    if (!opened.delete(at)) opened.add(at);
    this.opened = opened;
    this.at = at;
  }
}
