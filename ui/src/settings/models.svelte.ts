// The installed embedding models, the model in use, and adding others.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Catalog, ModelView } from "../lib/types";
import type { AppState } from "../shell/appState.svelte";
import { words } from "../words";

export type ModelOrigin = "catalog" | "files";

export class Models extends EngineRequest {
  list = $state.raw<readonly ModelView[]>([]);
  catalog = $state.raw<Catalog | null>(null);

  constructor(private readonly app: AppState) {
    super();
  }

  /** The catalog's models that are not installed. */
  get available(): Catalog["models"] {
    return this.catalog?.models.filter(({ name }) => !this.list.some((model) => model.name === name)) ?? [];
  }

  async load(): Promise<void> {
    await this.run(Promise.all([api.models(), api.catalog()]), ([list, catalog]) => Object.assign(this, { list, catalog }));
  }

  /** Adds a model by its name in the catalog or from a path. Returns whether it succeeded. */
  async add(origin: ModelOrigin, value: string): Promise<boolean> {
    const isAdded = await this.attempt(async () => {
      const model = await this.app.jobs.run("model", (onProgress) =>
        origin === "catalog" ? api.installModel(value, onProgress) : api.importModel(value, null, onProgress),
      );
      this.app.toasts.show(words.settings.models.added(model.name));
    });
    if (isAdded) await this.load();
    else if (this.failure === null) this.app.toasts.show(words.shell.stopped);
    return isAdded;
  }

  /** Indexes with another model, which replaces the current one once its index is complete. */
  async use(name: string): Promise<void> {
    if (!(await this.attempt(() => api.useModel(name)))) return;
    await Promise.all([this.load(), this.app.refresh()]);
    await this.app.updateIndexes();
    await this.load();
  }

  async remove(name: string): Promise<void> {
    await this.attempt(async () => {
      await api.removeModel(name);
      this.app.toasts.show(words.settings.models.removed(name));
    });
    await this.load();
  }
}
