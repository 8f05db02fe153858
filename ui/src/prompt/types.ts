// What the window and the prompt tell each other and the program.

/** How the prompt is opened. */
export interface PromptSettings {
  /** The keys that open it from anywhere, as "Ctrl+Alt+P"; none: no keys do. */
  shortcut: string | null;
  /** Whether an icon in the system tray opens it. */
  tray: boolean;
}

/** How it can be opened now, and what the system refused. */
export interface PromptState extends PromptSettings {
  shortcut_problem: string | null;
  tray_problem: string | null;
  default_shortcut: string;
}

/** What the prompt asks the main window to show. */
export type PromptTarget =
  | { view: "item"; key: string }
  | { view: "search"; query: string }
  | { view: "triage"; text: string }
  | { view: "troubleshoot"; text: string }
  | { view: "brief"; text: string };
