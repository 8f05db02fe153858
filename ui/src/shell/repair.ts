// Checks and repairs the casebook, and rebuilds its index.

import * as api from "../lib/api";
import type { Failure, Finding, Health } from "../lib/types";
import { words } from "../words";
import type { Handlers } from "./commands.svelte";
import type { AppState } from "./appState.svelte";

/** Returns the worst remaining problem; notices do not count. */
function worstFinding({ findings }: Health): Finding | null {
  return findings.find((entry) => !entry.repaired && entry.severity !== "notice") ?? null;
}

export async function repair(app: AppState): Promise<void> {
  let health: Health;
  try {
    health = await app.jobs.run("repair", api.repair);
  } catch (error) {
    app.showError(error);
    return;
  }
  const repairedCount = health.findings.filter((entry) => entry.repaired).length;
  const finding = worstFinding(health);
  const failure: Failure | null = finding && { code: "corrupt", message: finding.what, hint: words.shared.sentences([finding.why, finding.hint.text]), remedy: finding.hint.remedy ?? null };
  app.message = null;
  if (app.openFailure) await app.start();
  else await app.reloadAll();
  if (failure && app.openFailure) app.openFailure = failure;
  else if (failure) app.message = failure;
  else app.toasts.show(repairedCount > 0 ? words.shell.repaired(repairedCount) : words.shell.noProblems);
}

async function rebuild(app: AppState): Promise<void> {
  if (!(await app.attempt(api.forgetIndexes))) return;
  app.message = null;
  await app.updateIndexes();
}

export function repairCommands(app: AppState): Handlers {
  return {
    repair: { run: () => void repair(app), when: () => app.jobs.running.length === 0 },
    rebuild: { run: () => void rebuild(app), when: () => app.status !== null && app.jobs.get("index") === null },
  };
}
