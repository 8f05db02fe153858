// The brief that is being made: what goes in, what it says, what a redaction hides, and where it is written.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/asking.svelte";
import { copyText } from "../shell/clipboard";
import type { Brief, BriefFormat, BriefRequest, Failure, RedactionPreview, SectionKind } from "../lib/types";
import type { Piece } from "./pieces";
import { question } from "../prompt/recognise";

export const FORMATS: readonly { format: BriefFormat; ending: string }[] = [
  { format: "markdown", ending: "md" },
  { format: "html", ending: "html" },
  { format: "pdf", ending: "pdf" },
  { format: "json", ending: "json" },
];

/** A path with the ending of another format. */
export function withEnding(path: string, ending: string): string {
  const known = new RegExp(`\\.(?:${FORMATS.map((f) => f.ending).join("|")})$`, "i");
  return known.test(path) ? path.replace(known, `.${ending}`) : path;
}

/** The keys of pieces of which none was picked. */
export function leftOut(all: readonly Piece[], picked: ReadonlySet<string>): string[] {
  const wanted = new Set(all.filter((piece) => picked.has(piece.id)).map((piece) => piece.key));
  return [...new Set(all.map((piece) => piece.key).filter((key) => !wanted.has(key)))];
}

export class BriefMaking extends EngineRequest {
  request = $state.raw<BriefRequest | null>(null);
  brief = $state.raw<Brief | null>(null);
  hidden = $state.raw<readonly RedactionPreview[]>([]);
  /** What was doubtful and stays. */
  kept = $state.raw<readonly RedactionPreview[]>([]);
  format = $state<BriefFormat>("markdown");
  path = $state("~/brief.md");
  /** Where it was written. */
  written = $state<string | null>(null);
  copied = $state(false);
  /** Whether the system's dialog is open. */
  choosing = $state(false);
  /** Why it was not written. */
  refused = $state.raw<Failure | null>(null);

  begin(text: string, logs: readonly string[], source: string | null, leave_out: string[]): void {
    const privacy = { redact: true, redact_links: false, keep: [], notes: false };
    this.kept = [];
    const asked = logs.length > 0 ? { key: null, text: "", logs: [...logs] } : question(text);
    this.#change({ ...asked, source, without: [], leave_out, ...privacy, troubleshooting: api.CASE_SETTINGS });
  }

  redact(redact: boolean): void {
    if (this.request) this.#change({ ...this.request, redact });
  }

  redactLinks(redact_links: boolean): void {
    if (this.request) this.#change({ ...this.request, redact_links });
  }

  /** Lets something doubtful stand. */
  keep(one: RedactionPreview): void {
    if (!this.request) return;
    this.kept = [...this.kept, one];
    // Its row stays one and in its place until the answer is there: it has the focus.
    this.hidden = this.hidden.filter((h) => h.original !== one.original);
    this.#change({ ...this.request, keep: this.kept.map((k) => k.original) });
  }

  /** Takes that back. */
  replace(one: RedactionPreview): void {
    if (!this.request) return;
    this.kept = this.kept.filter((k) => k.original !== one.original);
    this.hidden = [...this.hidden, one];
    this.#change({ ...this.request, keep: this.kept.map((k) => k.original) });
  }

  /** What is replaced without a doubt. */
  get sure(): readonly RedactionPreview[] {
    return this.hidden.filter((one) => one.sure);
  }

  /** What the person decides about, also what was decided to stand: in one order, so that nothing moves under the pointer. */
  get doubtful(): readonly RedactionPreview[] {
    const all = [...this.hidden.filter((one) => !one.sure), ...this.kept];
    return all.sort((a, b) => (a.kind + a.original < b.kind + b.original ? -1 : 1));
  }

  isKept(one: RedactionPreview): boolean {
    return this.kept.some((k) => k.original === one.original);
  }

  toggle(kind: SectionKind): void {
    if (!this.request) return;
    const { without } = this.request;
    this.#change({
      ...this.request,
      without: without.includes(kind) ? without.filter((k) => k !== kind) : [...without, kind],
    });
  }

  choose(format: BriefFormat): void {
    this.format = format;
    this.written = null;
    this.path = withEnding(this.path, FORMATS.find((f) => f.format === format)?.ending ?? "md");
  }

  async write(replace: boolean): Promise<void> {
    if (!this.request) return;
    this.refused = null;
    this.written = null;
    try {
      this.written = await api.exportBrief(this.request, this.format, this.path, replace);
    } catch (thrown) {
      this.refused = api.toFailure(thrown);
    }
  }

  /** Asks with the system's dialog where it is to be written, and writes it there. The dialog has asked before it replaces a file. */
  async saveAs(): Promise<void> {
    if (!this.request || this.choosing) return;
    this.refused = null;
    this.choosing = true;
    try {
      const chosen = await api.chooseFile(this.path);
      if (chosen === null) return;
      // The ending says what somebody wants; a name without one gets that of the format.
      const meant = FORMATS.find((f) => chosen.toLowerCase().endsWith(`.${f.ending}`));
      if (meant) this.format = meant.format;
      this.path = meant ? chosen : `${chosen}.${FORMATS.find((f) => f.format === this.format)?.ending ?? "md"}`;
      await this.write(this.path === chosen);
    } catch (thrown) {
      this.refused = api.toFailure(thrown);
    } finally {
      this.choosing = false;
    }
  }

  /** Puts it onto the clipboard as Markdown. */
  async copy(): Promise<void> {
    if (!this.request) return;
    this.refused = null;
    this.copied = false;
    try {
      await copyText(await api.briefMarkdown(this.request));
      this.copied = true;
    } catch (thrown) {
      this.refused = api.toFailure(thrown);
    }
  }

  #change(request: BriefRequest): void {
    this.copied = false;
    this.request = request;
    this.written = null;
    this.refused = null;
    const making = Promise.all([api.brief(request), request.redact ? api.previewRedaction(request) : []]);
    void this.run(making, ([brief, hidden]) => Object.assign(this, { brief, hidden }));
  }
}
