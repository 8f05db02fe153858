// Where the clusters of a backlog lie on their map, and what they are called.

import { hierarchy, pack } from "d3-hierarchy";

import type { Cluster } from "../lib/types";

export interface Circle {
  cluster: Cluster;
  x: number;
  y: number;
  r: number;
}

type Node = { children: Node[] } | { cluster: Cluster };

/** A circle for each cluster, none over another, as large as it has reports; the same clusters lie in the same places. */
export function placed(clusters: readonly Cluster[], width: number, height: number): Circle[] {
  if (clusters.length === 0 || width <= 0 || height <= 0) return [];
  const root = hierarchy<Node>({ children: clusters.map((cluster) => ({ cluster })) }, (node) =>
    "children" in node ? node.children : null,
  ).sum((node) => ("cluster" in node ? node.cluster.size : 0));
  return pack<Node>()
    .size([width, height])
    .padding(4)(root)
    .leaves()
    .flatMap(({ data, x, y, r }) => ("cluster" in data ? [{ cluster: data.cluster, x, y, r }] : []));
}

/** Whether more reports came in the last 30 days than in the 30 before. */
export function isRising(cluster: Cluster): boolean {
  return cluster.recent > cluster.before;
}

/** The whole words that a text begins with, in so many characters. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, text.lastIndexOf(" ", most) + 1).replace(/[\s·]+$/, "");
}

/** The words that its titles share, else the title of its head. */
export function titleOf(cluster: Cluster): string {
  return cluster.words.length > 1 ? cluster.words.join(" · ") : cluster.head.title;
}
