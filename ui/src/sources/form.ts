// Reading what a person types into the form for a source.

/** A project as `owner/name`, with the host where an address names one. Nothing where it is no project. */
export function project(typed: string): { key: string; host: string | null } | null {
  const text = typed.trim().replace(/\.git$/, "").replace(/\/+$/, "");
  const part = "[A-Za-z0-9][\\w.-]*";
  const plain = new RegExp(`^(${part}/${part})$`).exec(text);
  if (plain?.[1]) return { key: plain[1], host: null };
  const address = new RegExp(`^(?:https?://|git@|ssh://git@)([\\w.-]+(?::\\d+)?)[/:](${part}/${part})(?:/.*)?$`).exec(text);
  return address?.[1] && address[2] ? { key: address[2], host: address[1].replace(/^www\./, "") } : null;
}
