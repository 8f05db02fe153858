// How the window looks: what the system says, unless the person has chosen otherwise. Text size is in zoom.ts.

export type Theme = "system" | "light" | "dark";
export type Contrast = "system" | "more";
export type Motion = "system" | "less";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

function kept<T extends string>(key: string, values: readonly T[], fallback: T): T {
  const value = localStorage.getItem(key);
  return values.find((v) => v === value) ?? fallback;
}

class Look {
  theme = $state<Theme>("system");
  contrast = $state<Contrast>("system");
  motion = $state<Motion>("system");

  restore(): void {
    this.theme = kept("theme", THEMES, "system");
    this.contrast = kept<Contrast>("contrast", ["system", "more"], "system");
    this.motion = kept<Motion>("motion", ["system", "less"], "system");
    this.#apply();
  }

  choose(change: { theme?: Theme; contrast?: Contrast; motion?: Motion }): void {
    Object.assign(this, change);
    for (const [key, value] of Object.entries(change)) localStorage.setItem(key, value);
    this.#apply();
  }

  /** The next theme in turn. */
  turn(): Theme {
    const next = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] ?? "system";
    this.choose({ theme: next });
    return next;
  }

  #apply(): void {
    const { dataset } = document.documentElement;
    dataset["theme"] = this.theme;
    dataset["contrast"] = this.contrast;
    dataset["motion"] = this.motion;
  }
}

export const appearance = new Look();

/** Whether nothing may move. */
export function calm(): boolean {
  return appearance.motion === "less" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}
