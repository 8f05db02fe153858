/**
 * Replaces up to `max` matches in the text nodes outside `skipped` elements with elements of the
 * same text. Matches for which `create` returns `null` stay.
 */
export function replaceText(root: Node, pattern: RegExp, max: number, create: (match: RegExpExecArray) => HTMLElement | null, skipped?: string): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) if (!skipped || !walker.currentNode.parentElement?.closest(skipped)) nodes.push(walker.currentNode as Text);
  let count = 0;
  for (const node of nodes) {
    let offset = 0;
    const parts = document.createDocumentFragment();
    for (const match of node.data.matchAll(pattern)) {
      if (count >= max) break;
      const element = create(match);
      if (!element) continue;
      parts.append(node.data.slice(offset, match.index), element);
      offset = match.index + (element.textContent ?? "").length;
      count++;
    }
    if (offset === 0) continue;
    parts.append(node.data.slice(offset));
    node.replaceWith(parts);
  }
}
