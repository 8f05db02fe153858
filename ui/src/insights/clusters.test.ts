import { describe, expect, it } from "vitest";

import type { Cluster, ClusterMember } from "../lib/types";
import { beginning, isRising, placed, titleOf } from "./clusters";

const member = (key: string): ClusterMember => ({
  key,
  title: `Title of ${key}`,
  url: null,
  open: true,
  created_at: null,
  known: true,
  confidence: 1,
  via: null,
});

const cluster = (key: string, size: number, changes: Partial<Cluster> = {}): Cluster => ({
  head: member(key),
  members: [],
  size,
  open: size,
  words: [],
  months: [],
  recent: 0,
  before: 0,
  ...changes,
});

describe("the map of clusters", () => {
  it("cuts no word of a name", () => {
    expect(beginning("Pump stops at night", 12)).toBe("Pump stops");
    expect(beginning("Pump stops at night", 10)).toBe("Pump stops");
    expect(beginning("Pump stops", 10)).toBe("Pump stops");
    expect(beginning("Interoperability", 10)).toBe("");
  });

  it("lies inside its frame, and no circle covers another", () => {
    const clusters = [9, 5, 3, 3, 2, 2, 2].map((size, at) => cluster(`a/b#${at}`, size));
    const circles = placed(clusters, 600, 300);
    expect(circles).toHaveLength(clusters.length);
    for (const [at, one] of circles.entries()) {
      expect(one.x - one.r).toBeGreaterThanOrEqual(0);
      expect(one.y + one.r).toBeLessThanOrEqual(300);
      for (const other of circles.slice(at + 1)) {
        expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThan(one.r + other.r);
      }
    }
    expect(circles[0]!.r).toBeGreaterThan(circles[6]!.r);
    expect(placed(clusters, 600, 300)).toEqual(circles);
  });

  it("is empty where there is nothing", () => {
    expect(placed([], 600, 300)).toEqual([]);
    expect(placed([cluster("a/b#1", 2)], 0, 300)).toEqual([]);
  });

  it("names a cluster by its words, else by its head", () => {
    expect(titleOf(cluster("a/b#1", 2, { words: ["upload", "bundle"] }))).toBe("upload · bundle");
    expect(titleOf(cluster("a/b#1", 2, { words: ["upload"] }))).toBe("Title of a/b#1");
    expect(isRising(cluster("a/b#1", 2, { recent: 2, before: 1 }))).toBe(true);
    expect(isRising(cluster("a/b#1", 2, { recent: 1, before: 1 }))).toBe(false);
  });
});

it("ends no name of a circle with what stands between words", () => {
  expect(beginning("certificate · chain · agent", 14)).toBe("certificate");
  expect(beginning("certificate · chain · agent", 20)).toBe("certificate · chain");
});
