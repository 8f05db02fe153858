// The commands of the window (src-tauri/src/commands.rs), typed.

import { Channel, invoke } from "@tauri-apps/api/core";
import type {
  Failure,
  ImportReport,
  IndexReport,
  Launch,
  Mode,
  Progress,
  SearchResponse,
  Status,
  Thread,
} from "./types";

export const launch = () => invoke<Launch>("launch");
export const status = () => invoke<Status>("status");
export const thread = (key: string) => invoke<Thread>("thread", { key });
export const cancel = () => invoke<boolean>("cancel");
export const openExternal = (url: string) => invoke<void>("open_external", { url });

export const search = (query: string, mode: Mode | null) =>
  invoke<SearchResponse>("search", { request: { query, limit: 50, mode, explain: false } });

export const importSample = (onProgress: (progress: Progress) => void) =>
  invoke<ImportReport>("import_sample", { progress: channel(onProgress) });

export const updateIndex = (onProgress: (progress: Progress) => void) =>
  invoke<IndexReport>("update_index", { progress: channel(onProgress) });

function channel(onProgress: (progress: Progress) => void): Channel<Progress> {
  const channel = new Channel<Progress>();
  channel.onmessage = onProgress;
  return channel;
}

/** Whatever was thrown, in the shape of the engine's errors. */
export function failure(thrown: unknown): Failure {
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    const { code, message, hint } = thrown as Partial<Failure>;
    return { code: code ?? "internal", message: String(message), hint: hint ?? null };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: "This is a defect in Precedent; please report it." };
}
