// Looks at every part of the casebook, mends what can be mended, and says what is left.

import * as api from "../lib/api";
import { hinted } from "../lib/hints";
import type { Failure, Finding, Health } from "../lib/types";
import { words } from "../words";
import type { Handlers } from "./commands.svelte";
import type { Desk } from "./desk.svelte";

/** The worst that was found and not mended; what is only worth knowing is not meant. */
function left({ findings }: Health): Finding | null {
  return findings.find((one) => !one.repaired && one.severity !== "notice") ?? null;
}

export async function repair(desk: Desk): Promise<void> {
  let health: Health;
  try {
    health = await desk.jobs.run("repair", api.repair);
  } catch (thrown) {
    desk.say(thrown);
    return;
  }
  const mended = health.findings.filter((one) => one.repaired).length;
  const worst = left(health);
  const failure: Failure | null = worst && { code: "corrupt", message: worst.what, hint: words.shared.sentences([worst.why, hinted(worst.remedy)]) };
  desk.dismiss();
  if (desk.closed) await desk.start();
  else await desk.changed();
  if (failure && desk.closed) desk.closed = failure;
  else if (failure) desk.message = { tone: "error", failure };
  else desk.toasts.say(mended > 0 ? words.shell.mended(mended) : words.shell.nothingWrong);
}

/** Makes the search index anew from the casebook. */
async function rebuild(desk: Desk): Promise<void> {
  try {
    await api.forgetIndexes();
  } catch (thrown) {
    desk.say(thrown);
    return;
  }
  desk.dismiss();
  await desk.update();
}

export function repairs(desk: Desk): Handlers {
  return {
    repair: { run: () => void repair(desk), when: () => desk.jobs.running.length === 0 },
    rebuild: { run: () => void rebuild(desk), when: () => desk.status !== null && desk.jobs.get("index") === null },
  };
}
