// How the window looks: what the system says, unless the person has chosen otherwise. Text size is in zoom.svelte.ts.

/** What can be chosen; the first is what holds until something is. */
export const LOOKS = {
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  contrast: ["system", "more"],
  motion: ["system", "less"],
} as const;

export type Looks = { -readonly [Part in keyof typeof LOOKS]: (typeof LOOKS)[Part][number] };

/** The heights of rows in long lists, in rem; all other room is in app.css. */
const ROWS: Record<Looks["density"], { document: number; report: number; problem: number }> = {
  comfortable: { document: 3.5, report: 4.25, problem: 2.25 },
  compact: { document: 2.75, report: 3.5, problem: 1.75 },
};

class Look {
  chosen = $state.raw<Looks>({ theme: "system", density: "comfortable", contrast: "system", motion: "system" });

  get rows(): { document: number; report: number; problem: number } {
    return ROWS[this.chosen.density];
  }

  restore(): void {
    const kept = Object.entries(LOOKS).map(([part, values]) => [part, values.find((value) => value === localStorage.getItem(part)) ?? values[0]]);
    this.#show(Object.fromEntries(kept) as Looks);
  }

  choose(change: Partial<Looks>): void {
    for (const [part, value] of Object.entries(change)) localStorage.setItem(part, value);
    this.#show({ ...this.chosen, ...change });
  }

  #show(chosen: Looks): void {
    this.chosen = chosen;
    Object.assign(document.documentElement.dataset, chosen);
  }
}

export const appearance = new Look();

/** Whether nothing may move. */
export function calm(): boolean {
  return appearance.chosen.motion === "less" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
