// System-wide shortcuts as text: "Ctrl+Alt+P".

import { words } from "../words";

const texts = words.settings.quickPrompt;

const MODIFIER = /^(?:Control|Alt|AltGraph|Shift|Meta|OS|CapsLock|Fn)$/;
/** Keys that type nothing, written by name. */
const NAMED_KEY = /^(?:F\d{1,2}|Space|Home|End|PageUp|PageDown|Insert|Delete|Arrow(?:Up|Down|Left|Right))$/;

/** A shortcut, the problem with it, or `null` while only modifiers are pressed. */
type ShortcutInput = { shortcut: string } | { problem: string } | null;

/** Returns the key's name. With Alt, some layouts type another character, so the position decides. */
function keyOf(event: KeyboardEvent): string | null {
  if (/^[a-z]$/i.test(event.key)) return event.key.toUpperCase();
  const position = /^(?:Key([A-Z])|Digit(\d))$/.exec(event.code);
  if (position) return position[1] ?? position[2] ?? null;
  return NAMED_KEY.test(event.code) ? event.code.replace("Arrow", "") : null;
}

export function parseShortcut(event: KeyboardEvent): ShortcutInput {
  if (MODIFIER.test(event.key)) return null;
  const key = keyOf(event);
  if (key === null) return { problem: texts.unusableKey };
  if (!event.ctrlKey && !event.altKey && !event.metaKey) return { problem: texts.needsModifier };
  const modifiers = [event.ctrlKey && "Ctrl+", event.altKey && "Alt+", event.shiftKey && "Shift+", event.metaKey && "Super+"];
  return { shortcut: [...modifiers, key].filter(Boolean).join("") };
}
