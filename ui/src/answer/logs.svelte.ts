// Local logs and support bundles: their distinct errors and what is known about each.

import { SvelteSet } from "svelte/reactivity";
import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { LogError, LogPlace, LogResponse, LogVerdict } from "../lib/types";
import { words } from "../words";
import type { Jobs } from "../shell/jobs.svelte";

const texts = words.answer.logs;

/** Returns the paths if the text consists only of paths. */
export function parsePaths(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/^file:\/\//, ""))
    .filter((line) => line !== "");
  const isPath = (line: string) => /^(?:~?\/[^/\s]|[A-Za-z]:[\\/])/.test(line) && !/[:;]\s/.test(line.slice(2)) && line.length < 400;
  // A stack trace line may also start with a path, but a file path ends with a name.
  const isFile = (line: string) => isPath(line) && !/:\d+(?::\d+)?$/.test(line) && !/^\/\S+ \S+ \S+/.test(line);
  return lines.length > 0 && lines.length <= 20 && lines.every(isFile) ? lines : [];
}

export function logSummary(response: LogResponse): string {
  const fileCount = response.files.filter((file) => file.skipped === null).length;
  return texts.summary(response.distinct, response.lines, fileCount);
}

const VERDICTS: readonly LogVerdict[] = ["solved", "known", "perhaps", "new"];

/** Formats the number of errors per verdict. */
export function verdictCounts(response: LogResponse): string[] {
  return VERDICTS.filter((verdict) => response[verdict] > 0).map((verdict) => texts.countOf(response[verdict], texts.verdicts[verdict]));
}

function formatPlace({ file, line, at: time }: LogPlace, label = (place: string) => place): string[] {
  return [label(`${file}:${line}`), ...(time === null ? [] : [time])];
}

/** Returns how often and where an error occurs. */
export function occurrences(error: LogError): string[] {
  if (error.count === 1) return [texts.once, ...formatPlace(error.last)];
  return [texts.times(error.count), ...formatPlace(error.last, texts.last), ...formatPlace(error.first, texts.first)];
}

export class Logs extends EngineRequest {
  /** Whether the query is about logs. */
  isActive = $state(false);
  files = $state.raw<readonly string[]>([]);
  response = $state.raw<LogResponse | null>(null);
  currentIndex = $state(0);
  readonly expanded = new SvelteSet<number>();

  constructor(private readonly jobs: Jobs) {
    super();
  }

  get error(): LogError | null {
    return this.response?.errors[this.currentIndex] ?? null;
  }

  async read(files: readonly string[], text = ""): Promise<void> {
    this.clear();
    this.files = files;
    this.isActive = true;
    this.currentIndex = 0;
    this.expanded.clear();
    // The engine runs one job at a time, and a canceled one ends a moment later.
    await this.runInTurn(
      () => this.jobs.run("logs", (onProgress) => api.readLogs(files, text, onProgress)),
      (response) => (this.response = response),
    );
  }

  clear(): void {
    if (this.pending) void this.jobs.cancel("logs").catch(() => {});
    this.cancel();
    this.files = [];
    this.isActive = false;
    this.response = null;
    this.failure = null;
  }

  move(delta: number): void {
    const last = (this.response?.errors.length ?? 0) - 1;
    this.currentIndex = Math.min(Math.max(this.currentIndex + delta, 0), Math.max(last, 0));
  }

  toggle(index: number): void {
    if (!this.expanded.delete(index)) this.expanded.add(index);
    this.currentIndex = index;
  }
}
