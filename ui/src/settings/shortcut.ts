// A pressed key as a shortcut of the whole system is written: "Ctrl+Alt+P".

import { words } from "../words";

const texts = words.settings.quickPrompt;

const MODIFIER = /^(?:Control|Alt|AltGraph|Shift|Meta|OS|CapsLock|Fn)$/;
/** Keys that type nothing, and so may be written by their names alone. */
const NAMED = /^(?:F\d{1,2}|Space|Home|End|PageUp|PageDown|Insert|Delete|Arrow(?:Up|Down|Left|Right))$/;

/** What was pressed: keys, a reason why they will not do, or nothing yet while only modifiers are held. */
export type Pressed = { shortcut: string } | { problem: string } | null;

/** The key itself. A letter is what stands on it; with Alt some layouts type a sign instead, then its place tells. */
function keyOf(event: KeyboardEvent): string | null {
  if (/^[a-z]$/i.test(event.key)) return event.key.toUpperCase();
  const place = /^(?:Key([A-Z])|Digit(\d))$/.exec(event.code);
  if (place) return place[1] ?? place[2] ?? null;
  return NAMED.test(event.code) ? event.code.replace("Arrow", "") : null;
}

export function pressed(event: KeyboardEvent): Pressed {
  if (MODIFIER.test(event.key)) return null;
  const key = keyOf(event);
  if (key === null) return { problem: texts.notThisKey };
  if (!event.ctrlKey && !event.altKey && !event.metaKey) return { problem: texts.notAlone };
  const held = [event.ctrlKey && "Ctrl+", event.altKey && "Alt+", event.shiftKey && "Shift+", event.metaKey && "Super+"];
  return { shortcut: [...held, key].filter(Boolean).join("") };
}
