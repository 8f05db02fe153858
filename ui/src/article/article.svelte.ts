// The draft of an article: its request, its text, and the result of copying or saving it.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Article, ArticleRequest } from "../lib/types";
import { words } from "../words";

const texts = words.article;

export class ArticleDraft extends EngineRequest {
  /** `null` while the dialog is closed. */
  request = $state.raw<ArticleRequest | null>(null);
  article = $state.raw<Article | null>(null);
  html = $state("");
  /** The message after copying or saving. */
  message = $state<string | null>(null);

  #isActing = false;

  /** `onSaved` is called after the article was saved, which the linked items show. */
  constructor(private readonly onSaved: () => void) {
    super();
  }

  start(key: string): void {
    this.article = null;
    void this.#write({ key, redact: true });
  }

  close(): void {
    this.request = null;
  }

  setRedaction(redact: boolean): void {
    if (this.request) void this.#write({ ...this.request, redact });
  }

  async copy(): Promise<void> {
    const text = this.article?.markdown;
    if (text === undefined) return;
    await this.#act(async () => {
      await api.copyText(text);
      return texts.copied;
    });
  }

  /** Saves the article as a note linked to the report. */
  async save(): Promise<void> {
    const request = this.request;
    if (!request) return;
    await this.#act(async () => {
      const { outcome, note } = await api.storeArticle(request);
      this.onSaved();
      return outcome === "duplicate" ? texts.same(note.key) : texts.saved(note.key);
    });
  }

  async #act(action: () => Promise<string>): Promise<void> {
    if (this.#isActing) return;
    this.#isActing = true;
    this.message = null;
    await this.attempt(async () => (this.message = await action()));
    this.#isActing = false;
  }

  async #write(request: ArticleRequest): Promise<void> {
    this.request = request;
    this.message = null;
    this.failure = null;
    const response = api.article(request).then(async (article) => ({ article, html: (await api.prose([article.markdown]))[0] ?? "" }));
    await this.run(response, (answer) => Object.assign(this, answer));
  }
}
