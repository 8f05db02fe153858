// The article that is being written: its request, its text, and whether it was copied or saved.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Article, ArticleRequest, Failure } from "../lib/types";
import { copy } from "../shell/clipboard";
import { words } from "../words";

const said = words.article;

export class ArticleDraft {
  /** The request; none while the dialog is closed. */
  request = $state.raw<ArticleRequest | null>(null);
  article = $state.raw<Article | null>(null);
  /** The text of the article as HTML. */
  html = $state("");
  failure = $state.raw<Failure | null>(null);
  pending = $state(false);
  /** What was done with it. */
  done = $state<string | null>(null);

  #latest = new Latest();

  begin(key: string): void {
    this.article = null;
    void this.#write({ key, redact: true });
  }

  end(): void {
    this.request = null;
  }

  redact(redact: boolean): void {
    if (this.request) void this.#write({ ...this.request, redact });
  }

  /** Puts it onto the clipboard as Markdown. */
  async copy(): Promise<void> {
    const text = this.article?.markdown;
    if (text !== undefined) await this.#try(async () => copy(text).then(() => said.copied));
  }

  /** Saves it as a note of the report. */
  async save(): Promise<void> {
    const request = this.request;
    if (!request) return;
    await this.#try(async () => {
      const { outcome, note } = await api.storeArticle(request);
      return outcome === "duplicate" ? said.same(note.key) : said.saved(note.key);
    });
  }

  async #try(act: () => Promise<string>): Promise<void> {
    this.done = null;
    this.failure = null;
    try {
      this.done = await act();
    } catch (thrown) {
      this.failure = api.failure(thrown);
    }
  }

  async #write(request: ArticleRequest): Promise<void> {
    const isCurrent = this.#latest.begin();
    this.request = request;
    this.pending = true;
    this.done = null;
    this.failure = null;
    try {
      const article = await api.article(request);
      const [html] = await api.prose([article.markdown]);
      if (!isCurrent()) return;
      this.article = article;
      this.html = html ?? "";
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    }
    if (isCurrent()) this.pending = false;
  }
}
