import { expect, test, vi } from "vitest";

import * as api from "../lib/api";
import type { LogError, LogResponse } from "../lib/types";
import { Jobs } from "../shell/jobs.svelte";
import type { AppState } from "../shell/appState.svelte";
import { setUpPage, mountComponent, text } from "../testing/testPage";
import { logs as sampleLogs } from "../testing/samples";
import { verdictCounts, Logs, occurrences, parsePaths, logSummary } from "./logs.svelte";
import LogView from "./LogView.svelte";

vi.mock("../lib/api");
setUpPage();

const place = { file: "app.log", line: 7, at: null };
const error = (change: Partial<LogError>): LogError => ({ ...sampleLogs("plain").errors[0]!, count: 1, first: place, last: place, verdict: "new", ...change });
const response = (errors: LogError[]): LogResponse => ({
  ...sampleLogs("plain"), errors, lines: 12000, distinct: errors.length, known: 0,
  solved: errors.filter((entry) => entry.verdict === "solved").length, new: errors.filter((entry) => entry.verdict === "new").length,
});

test("only paths are read as files", () => {
  expect(parsePaths("/var/log/app.log")).toEqual(["/var/log/app.log"]);
  expect(parsePaths("file:///srv/a.log\n~/bundle.tar.gz\n")).toEqual(["/srv/a.log", "~/bundle.tar.gz"]);
  expect(parsePaths("C:\\logs\\app.log")).toEqual(["C:\\logs\\app.log"]);
  for (const text of [
    "",
    "upload stops",
    "acme/app#12",
    "/srv/pool.js:12",
    "/srv/pool.js:12:9",
    "/usr/bin/ld: cannot find -lz",
    "/var/log/app.log is full of errors",
    "/var/log/app.log\nit stops there",
  ]) {
    expect(parsePaths(text), text).toEqual([]);
  }
});

test("summarizes errors and their places", () => {
  const errors = [error({ verdict: "solved" }), error({}), error({})];
  expect(logSummary(response(errors))).toBe("3 distinct errors in 12,000 lines of 1 file");
  expect(verdictCounts(response(errors))).toEqual(["1 solved", "2 not seen before"]);
  expect(occurrences(error({}))).toEqual(["once", "app.log:7"]);
  const last = { file: "b.log", line: 9, at: "10:00" };
  expect(occurrences(error({ count: 1413, last }))).toEqual(["1,413 times", "last b.log:9", "10:00", "first app.log:7"]);
});

test("shows the last log or its error", async () => {
  const jobs = new Jobs();
  const logs = new Logs(jobs);
  vi.mocked(api.readLogs).mockResolvedValueOnce(response([error({}), error({ message: "pool is dry" })]));
  await logs.read(["/srv/app.log"]);
  expect(logs.isActive && logs.response?.distinct).toBe(2);
  logs.move(1);
  logs.move(1);
  expect(logs.error?.message).toBe("pool is dry");
  logs.toggle(1);
  expect(logs.expanded.has(1)).toBe(true);
  vi.mocked(api.toFailure).mockReturnValueOnce({ code: "not_found", message: "no such file", hint: null });
  vi.mocked(api.readLogs).mockRejectedValueOnce(new Error());
  await logs.read(["/srv/none.log"]);
  expect([logs.response, logs.failure?.message, logs.pending]).toEqual([null, "no such file", false]);
  logs.clear();
  expect(logs.isActive).toBe(false);
});

test("reports hidden errors and unread files", () => {
  const logs = Object.assign(new Logs(new Jobs()), { files: ["agent.log"], isActive: true, response: sampleLogs("plain") });
  mountComponent(LogView, { app: { answer: { logs } } as unknown as AppState });
  expect(text(".nothing")).toBe("28 more errors and warnings not shown here.");
  expect(text("summary")).toBe("1 file not read completely");
});

test("a new log waits for the end of the canceled one", async () => {
  const jobs = new Jobs();
  const logs = new Logs(jobs);
  let end = () => {};
  vi.mocked(api.readLogs).mockClear().mockReturnValueOnce(new Promise((_, reject) => (end = () => reject(new Error()))));
  vi.mocked(api.readLogs).mockResolvedValueOnce(response([error({})]));
  const reading = [logs.read(["/srv/a.log"])];
  await new Promise((resolve) => setTimeout(resolve, 0));
  reading.push(logs.read(["/srv/b.log"]), logs.read(["/srv/c.log"]));
  // The engine refuses a second job of the same kind.
  expect(vi.mocked(api.readLogs).mock.calls.length).toBe(1);
  end();
  await Promise.all(reading);
  expect([vi.mocked(api.readLogs).mock.calls.map(([files]) => files[0]), logs.response?.distinct, jobs.running]).toEqual([["/srv/a.log", "/srv/c.log"], 1, []]);
});
