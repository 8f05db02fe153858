// The appearance settings, which default to the system's. The text size is in zoom.svelte.ts.

/** The options of each setting, default first. */
export const APPEARANCE_OPTIONS = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  contrast: ["system", "more"],
} as const;

export type AppearanceChoices = { -readonly [Setting in keyof typeof APPEARANCE_OPTIONS]: (typeof APPEARANCE_OPTIONS)[Setting][number] };

/** Row heights of long lists, in rem; other dimensions are in app.css. */
const ROW_HEIGHTS: Record<AppearanceChoices["density"], { document: number; report: number; problem: number }> = {
  comfortable: { document: 3.5, report: 4.25, problem: 2.25 },
  compact: { document: 2.75, report: 3.5, problem: 1.75 },
};

class Appearance {
  choices = $state.raw<AppearanceChoices>({ theme: "system", density: "comfortable", contrast: "system" });

  get rowHeights(): { document: number; report: number; problem: number } {
    return ROW_HEIGHTS[this.choices.density];
  }

  restore(): void {
    const stored = Object.entries(APPEARANCE_OPTIONS).map(([setting, values]) => [setting, values.find((value) => value === localStorage.getItem(setting)) ?? values[0]]);
    this.#show(Object.fromEntries(stored) as AppearanceChoices);
  }

  choose(change: Partial<AppearanceChoices>): void {
    for (const [setting, value] of Object.entries(change)) localStorage.setItem(setting, value);
    this.#show({ ...this.choices, ...change });
  }

  #show(choices: AppearanceChoices): void {
    this.choices = choices;
    const contrast = matchMedia("(prefers-contrast: more)");
    contrast.onchange = () => this.#show(this.choices);
    Object.assign(document.documentElement.dataset, choices, contrast.matches && { contrast: "more" });
  }
}

export const appearance = new Appearance();
