// The article that is being written: its request, its text, and whether it was copied or saved.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/asking.svelte";
import type { Article, ArticleRequest } from "../lib/types";
import { copyText } from "../shell/clipboard";
import { words } from "../words";

const texts = words.article;

export class ArticleDraft extends EngineRequest {
  /** The request; none while the dialog is closed. */
  request = $state.raw<ArticleRequest | null>(null);
  article = $state.raw<Article | null>(null);
  /** The text of the article as HTML. */
  html = $state("");
  /** What was done with it. */
  done = $state<string | null>(null);

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
    if (text !== undefined) await this.#try(async () => copyText(text).then(() => texts.copied));
  }

  /** Saves it as a note of the report. */
  async save(): Promise<void> {
    const request = this.request;
    if (!request) return;
    await this.#try(async () => {
      const { outcome, note } = await api.storeArticle(request);
      return outcome === "duplicate" ? texts.same(note.key) : texts.saved(note.key);
    });
  }

  async #try(act: () => Promise<string>): Promise<void> {
    this.done = null;
    this.failure = null;
    try {
      this.done = await act();
    } catch (thrown) {
      this.failure = api.toFailure(thrown);
    }
  }

  async #write(request: ArticleRequest): Promise<void> {
    this.request = request;
    this.done = null;
    this.failure = null;
    const written = api.article(request).then(async (article) => ({ article, html: (await api.prose([article.markdown]))[0] ?? "" }));
    await this.run(written, (answer) => Object.assign(this, answer));
  }
}
