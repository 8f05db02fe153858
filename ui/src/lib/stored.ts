// Values stored by this or another version of the window.

/** Parses JSON; `null` if it is missing or invalid. */
export function parseStored(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** Returns a stored value with the types of the default; parts of another type are replaced by theirs. */
export function withDefaults<T>(stored: unknown, defaults: T): T {
  if (defaults === null) return (typeof stored === "string" || typeof stored === "object" ? stored : null) as T;
  if (typeof stored !== typeof defaults || stored === null || Array.isArray(stored) !== Array.isArray(defaults)) return defaults;
  if (Array.isArray(defaults) || typeof defaults !== "object" || Object.keys(defaults).length === 0) return stored as T;
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, withDefaults((stored as Record<string, unknown>)[name], value)])) as T;
}
