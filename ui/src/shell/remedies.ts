// The buttons next to hints, provided through the component context.

import { getContext, setContext } from "svelte";
import { provideLinkActions, type ImagePolicy } from "../lib/linkActions";
import type { Code, Failure, Remedy } from "../lib/types";
import { words } from "../words";
import type { AppState } from "./appState.svelte";

const texts = words.shell;

interface RemedyAction {
  label: string;
  run: () => void;
}

const KEY = Symbol("remedies");
type RemedyFinder = (failure: Failure) => RemedyAction | null;

/** The remedies for failures that name none. */
const BY_CODE: Partial<Record<Code, Remedy>> = { corrupt: "repair", authentication: "sources", model_unavailable: "models" };

/** Provides remedies and link actions to all components below. */
export function provideRemedies(app: AppState, read: (key: string) => void): void {
  setContext<RemedyFinder>(KEY, (failure) => {
    const remedy = failure.remedy ?? BY_CODE[failure.code];
    return remedy ? remedyActions(app)[remedy] : null;
  });
  provideLinkActions({ openItem: read, openAddress: (url) => void app.openExternal(url), mirrors: (key) => app.mirrors(key), images: imagePolicy(app) });
}

function imagePolicy({ store, sources }: AppState): ImagePolicy {
  return {
    isSourceHost: (host) => sources.mirrors.some((mirror) => mirror.host.split("/")[0] === host),
    isAllowed: (host) => store.state.images.includes(host),
    allow: (host) => store.showImages(host, true),
  };
}

/** Returns the remedy finder, which finds none outside the main window. */
export function remedyFinder(): RemedyFinder {
  return getContext<RemedyFinder | undefined>(KEY) ?? (() => null);
}

function remedyActions(app: AppState): Record<Remedy, RemedyAction | null> {
  const isOpen = app.openFailure === null;
  const command = (id: "repair" | "rebuild", label: string): RemedyAction | null =>
    app.commands.isAvailable(id) ? { label, run: () => app.commands.run(id) } : null;
  // No button leads to the current view.
  const openView = (view: "settings" | "sources" | "notes"): RemedyAction | null =>
    isOpen && app.view !== view ? { label: texts.views[view].name, run: () => app.go(view) } : null;
  return {
    repair: command("repair", texts.remedies.repair),
    rebuild: isOpen ? command("rebuild", texts.remedies.rebuild) : null,
    models: openView("settings"),
    sources: openView("sources"),
    notes: openView("notes"),
    add: isOpen && !app.sources.isAdding ? { label: words.shell.commands["sources.add"], run: () => app.sources.startAdding() } : null,
  };
}
