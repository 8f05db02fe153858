// The draft of a brief: its parts, preview, redaction and export.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Brief, BriefFormat, BriefRequest, Failure, RedactionPreview, SectionKind } from "../lib/types";
import type { EvidenceItem } from "./evidence";
import { parseQuestion } from "../prompt/classify";

const EXTENSIONS: Record<BriefFormat, string> = { markdown: "md", html: "html", pdf: "pdf", json: "json" };
export const FORMATS = Object.keys(EXTENSIONS) as BriefFormat[];

/** Replaces the file extension of a path if it is a known one. */
export function replaceExtension(path: string, extension: string): string {
  return path.replace(new RegExp(`\\.(?:${Object.values(EXTENSIONS).join("|")})$`, "i"), `.${extension}`);
}

/** Returns the keys of evidence that is not selected. */
export function omittedKeys(all: readonly EvidenceItem[], selectedIds: ReadonlySet<string>): string[] {
  const selectedKeys = new Set(all.filter((piece) => selectedIds.has(piece.id)).map((piece) => piece.key));
  return [...new Set(all.map((piece) => piece.key).filter((key) => !selectedKeys.has(key)))];
}

export class BriefDraft extends EngineRequest {
  request = $state.raw<BriefRequest | null>(null);
  brief = $state.raw<Brief | null>(null);
  redactions = $state.raw<readonly RedactionPreview[]>([]);
  /** Uncertain redactions that the user switched off. */
  keptTexts = $state.raw<readonly RedactionPreview[]>([]);
  format = $state<BriefFormat>("markdown");
  path = $state("~/brief.md");
  savedPath = $state<string | null>(null);
  isCopied = $state(false);
  isChoosing = $state(false);
  exportFailure = $state.raw<Failure | null>(null);
  #isExporting = false;

  begin(text: string, logs: readonly string[], source: string | null, leave_out: string[]): void {
    const privacy = { redact: true, redact_links: false, keep: [], notes: false };
    Object.assign(this, { brief: null, redactions: [], keptTexts: [], failure: null });
    const subject = logs.length > 0 ? { key: null, text: "", logs: [...logs] } : parseQuestion(text);
    this.#preview({ ...subject, source, without: [], leave_out, ...privacy, troubleshooting: api.CASE_SETTINGS });
  }

  change(fields: Partial<BriefRequest>): void {
    if (this.request) this.#preview({ ...this.request, ...fields });
  }

  /** Switches an uncertain redaction off or on again. */
  keepText(entry: RedactionPreview, isKept: boolean): void {
    const without = (entries: readonly RedactionPreview[]) => entries.filter((other) => other.original !== entry.original);
    this.keptTexts = [...without(this.keptTexts), ...(isKept ? [entry] : [])];
    // Keeps its row in place until the new preview arrives: it has the focus.
    this.redactions = [...without(this.redactions), ...(isKept ? [] : [entry])];
    this.change({ keep: this.keptTexts.map(({ original }) => original) });
  }

  get certain(): readonly RedactionPreview[] {
    return this.redactions.filter((entry) => entry.sure);
  }

  /** The uncertain redactions, on or off, in a fixed order so that no row moves. */
  get uncertain(): readonly RedactionPreview[] {
    const all = [...this.redactions.filter((entry) => !entry.sure), ...this.keptTexts];
    return all.sort((a, b) => (a.kind + a.original < b.kind + b.original ? -1 : 1));
  }

  isKept(entry: RedactionPreview): boolean {
    return this.keptTexts.some((k) => k.original === entry.original);
  }

  toggle(kind: SectionKind): void {
    const without = this.request?.without ?? [];
    this.change({ without: without.includes(kind) ? without.filter((other) => other !== kind) : [...without, kind] });
  }

  setFormat(format: BriefFormat): void {
    this.format = format;
    this.savedPath = null;
    this.path = replaceExtension(this.path, EXTENSIONS[format]);
  }

  async export(replace: boolean): Promise<void> {
    if (!this.request || this.#isExporting) return;
    this.#isExporting = true;
    this.exportFailure = null;
    this.savedPath = null;
    try {
      this.savedPath = await api.exportBrief(this.request, this.format, this.path, replace);
    } catch (error) {
      this.exportFailure = api.toFailure(error);
    }
    this.#isExporting = false;
  }

  /** Asks for a path with the system's dialog, which confirms replacing a file, and exports to it. */
  async saveAs(): Promise<void> {
    if (!this.request || this.isChoosing) return;
    this.exportFailure = null;
    this.isChoosing = true;
    try {
      const chosenPath = await api.chooseFile(this.path);
      if (chosenPath === null) return;
      // A known extension chooses the format; otherwise the format's extension is added.
      const format = FORMATS.find((entry) => chosenPath.toLowerCase().endsWith(`.${EXTENSIONS[entry]}`));
      this.format = format ?? this.format;
      this.path = format ? chosenPath : `${chosenPath}.${EXTENSIONS[this.format]}`;
      await this.export(this.path === chosenPath);
    } catch (error) {
      this.exportFailure = api.toFailure(error);
    } finally {
      this.isChoosing = false;
    }
  }

  async copy(): Promise<void> {
    const { request } = this;
    if (!request) return;
    this.exportFailure = null;
    this.isCopied = false;
    try {
      await api.copyText(await api.briefMarkdown(request));
      this.isCopied = request === this.request;
    } catch (error) {
      this.exportFailure = api.toFailure(error);
    }
  }

  #preview(request: BriefRequest): void {
    this.isCopied = false;
    this.request = request;
    this.savedPath = null;
    this.exportFailure = null;
    const preview = Promise.all([api.brief(request), request.redact ? api.previewRedaction(request) : []]);
    void this.run(preview, ([brief, redactions]) => Object.assign(this, { brief, redactions }));
  }
}
