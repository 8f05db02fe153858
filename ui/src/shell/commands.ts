// The commands of the palette.

import type { Desk } from "./desk.svelte";
import { VIEWS, type ViewId } from "./keys";
import { appearance } from "./look.svelte";
import type { Command } from "./palette";

const THEME_NAMES = { system: "as the system", light: "light", dark: "dark" };

/** What can be done just now. */
export function commands(desk: Desk, go: (view: ViewId) => void, toSearch: () => void): Command[] {
  const found: Command[] = VIEWS.map((view, at) => ({
    id: `view-${view.id}`,
    title: view.name,
    detail: view.about,
    keys: [String(at + 1)],
    run: () => (view.id === "search" ? toSearch() : go(view.id)),
  }));
  found.push({ id: "add", title: "Add a source…", detail: "A project to mirror, or files", run: () => desk.sources.startAdding() });
  found.push({ id: "note", title: "New note…", run: () => desk.notes.startWriting() });
  const thread = desk.view === "search" ? desk.reader.thread : null;
  if (thread) {
    found.push({
      id: "attach",
      title: `New note on ${thread.key}…`,
      run: () => desk.notes.startWriting({ attach: [thread.key] }),
    });
  }
  const live = desk.sources.mirrors;
  if (live.length > 0 && !desk.jobs.get("sync")) {
    found.push({ id: "sync", title: "Sync all sources", run: () => void desk.sources.sync([]) });
  }
  for (const { source } of live.length > 1 && !desk.jobs.get("sync") ? live : []) {
    found.push({ id: `sync-${source}`, title: `Sync ${source}`, run: () => void desk.sources.sync([source]) });
  }
  if (!desk.isEmpty && !desk.jobs.get("triage")) {
    found.push({
      id: "scan",
      title: "Check open reports for duplicates",
      detail: "Those that are new or changed",
      run: () => {
        go("triage");
        void desk.triage.scan();
      },
    });
  }
  if (!desk.isEmpty && !desk.jobs.get("index")) {
    found.push({ id: "index", title: "Bring the index up to date", run: () => void desk.update() });
  }
  for (const job of desk.jobs.running) {
    found.push({ id: `stop-${job.kind}`, title: `Cancel: ${job.kind}`, run: () => void desk.jobs.cancel(job.kind).catch((e: unknown) => desk.say(e)) });
  }
  found.push({
    id: "theme",
    title: "Change the theme",
    detail: `Now ${THEME_NAMES[appearance.theme]}`,
    run: () => desk.toasts.say(`Theme: ${THEME_NAMES[appearance.turn()]}.`),
  });
  const url = desk.view === "search" ? desk.reader.thread?.url : null;
  if (url) found.push({ id: "browser", title: "Open in the browser", detail: desk.reader.thread?.key ?? "", run: () => void desk.openExternal(url) });
  return found;
}
