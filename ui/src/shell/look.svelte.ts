// How the window looks: what the system says, unless the person has chosen otherwise. Text size is in zoom.svelte.ts.

export type Theme = "system" | "light" | "dark";
export type Contrast = "system" | "more";
export type Motion = "system" | "less";
export type Density = "comfortable" | "compact";

export const THEMES: readonly Theme[] = ["system", "light", "dark"];

/** The heights of rows in long lists, in rem; all other room is in app.css. */
const ROWS: Record<Density, { document: number; report: number; problem: number }> = {
  comfortable: { document: 3.5, report: 4.25, problem: 2.25 },
  compact: { document: 2.75, report: 3.5, problem: 1.75 },
};

function kept<T extends string>(key: string, values: readonly T[], fallback: T): T {
  const value = localStorage.getItem(key);
  return values.find((v) => v === value) ?? fallback;
}

class Look {
  theme = $state<Theme>("system");
  contrast = $state<Contrast>("system");
  motion = $state<Motion>("system");
  density = $state<Density>("comfortable");

  get rows(): { document: number; report: number; problem: number } {
    return ROWS[this.density];
  }

  restore(): void {
    this.theme = kept("theme", THEMES, "system");
    this.contrast = kept<Contrast>("contrast", ["system", "more"], "system");
    this.motion = kept<Motion>("motion", ["system", "less"], "system");
    this.density = kept<Density>("density", ["comfortable", "compact"], "comfortable");
    this.#apply();
  }

  choose(change: { theme?: Theme; contrast?: Contrast; motion?: Motion; density?: Density }): void {
    Object.assign(this, change);
    for (const [key, value] of Object.entries(change)) localStorage.setItem(key, value);
    this.#apply();
  }

  #apply(): void {
    const { dataset } = document.documentElement;
    dataset["theme"] = this.theme;
    dataset["contrast"] = this.contrast;
    dataset["motion"] = this.motion;
    dataset["density"] = this.density;
  }
}

export const appearance = new Look();

/** Whether nothing may move. */
export function calm(): boolean {
  return appearance.motion === "less" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
