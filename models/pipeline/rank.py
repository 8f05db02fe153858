#!/usr/bin/env python3
"""Fits ../../src/duplicates/ranking.json: in which order candidates come, and how sure an answer may be.

    precedent eval SET… --by duplicates --features evidence.tsv
    .venv/bin/python rank.py evidence.tsv

The order is fitted on the trackers' marks, how sure an answer may be on pairs that people read (../judged) with the marks.
Prints, for each set, the figures with what was fitted on the other sets alone, then writes the table that is fitted on all
of them. The same evidence gives the same table. `--without SET --out FILE` writes the table that a set can be judged with
(`precedent eval SET --weights FILE`).
"""

import argparse
import collections
import json
import math
import pathlib

import numpy as np
from scipy.optimize import minimize

HERE = pathlib.Path(__file__).resolve()
OUT = HERE.parents[2] / "src" / "duplicates" / "ranking.json"
JUDGED = HERE.parents[1] / "judged"
# In the order of src/duplicates/features.rs.
NAMES = [
    "words",
    "words_squared",
    "title_title_words",
    "title_body_words",
    "body_title_words",
    "title_covered",
    "length",
    "code_words",
    "identifiers",
    "signatures",
    "title_title_cosine",
    "title_text_cosine",
    "text_title_cosine",
    "text_text_cosine",
    "text_text_cosine_squared",
    "text_mean_cosine",
    "age",
    "age_squared",
    "words_of_best",
    "text_text_cosine_of_best",
    "comments",
    "quiet",
    "said_anew",
    "said_text_cosine",
    "said_title_cosine",
    "same_title",
    "same_author",
    "copy",
    "series",
]
# In the order of src/duplicates/reading.rs.
READING = [
    "resemblance",
    "contained",
    "runs",
    "titles",
    "title_information",
    "frames",
    "failure",
    "names",
    "content",
]
ALL = [*NAMES, "share", *READING]
AT = {name: i for i, name in enumerate(ALL)}
# What decides by itself, by a rule of src/duplicates/score.rs, and what tells how sure to be and not what comes first.
RULES = ("copy", "series")
COPY, SERIES = 0.95, 0.05
UNWEIGHTED = {"same_title", *RULES}
# More evidence never counts against a candidate. Only what bends a curve, and what is none by itself, may have either sign.
FREE = {
    "words_squared",
    "length",
    "text_text_cosine_squared",
    "age",
    "age_squared",
    "comments",
    "quiet",
    "same_author",
}
# Strengths of the ridge: on standardised features of the order, and on the terms of the judge, in pairs.
RIDGE_ORDER, RIDGE_JUDGE = 3e-3, 3.0
# So many of the first candidates are read side by side, and judged (src/duplicates/mod.rs).
READ = 10
# A pair that was read stands for no more answers than this in a fit: one of a thousand would drown the others.
MOST_WEIGHT = 150.0


class Set:
    """The evidence of a set: a row for each candidate of each report, the reports one after the other."""

    def __init__(self, name, rows):
        self.name = name
        rows.sort(key=lambda r: r[0])
        self.query = np.array([r[0] for r in rows])
        self.weight = np.array([r[1] for r in rows])
        self.document = np.array([r[2] for r in rows])
        self.label = np.array([r[3] for r in rows])
        self.ids = [(r[4], r[5]) for r in rows]
        self.x = np.zeros((len(rows), len(ALL)))
        for i, r in enumerate(rows):
            self.x[i, : len(r) - 6] = r[6:]
        _, self.start = np.unique(self.query, return_index=True)
        self.end = np.append(self.start[1:], len(self.query))
        self.queries = int((self.weight[self.start] == 1.0).sum())

    def lists(self):
        return zip(self.start, self.end)


def read(paths):
    rows = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding="utf8") as lines:
            for line in lines:
                c = line.rstrip("\n").split("\t")
                rows[c[0]].append(
                    (int(c[1]), float(c[2]), int(c[3]), int(c[4]), c[5], c[6], *map(float, c[7:]))
                )
    return [Set(name, r) for name, r in sorted(rows.items())]


def read_judged(name):
    pairs = {}
    path = JUDGED / f"{name}.tsv"
    if path.is_file():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                later, earlier, verdict, weight = line.split("\t")[:4]
                pairs[later, earlier] = (verdict, float(weight))
    return pairs


def fit_order(sets):
    """Softmax over the candidates of each report that has a known duplicate among them (ListNet's top-one likelihood); each
    set counts alike but for the root of its size."""
    columns = [i for i, name in enumerate(NAMES) if name not in UNWEIGHTED]
    scale = np.concatenate([s.x[:, columns] for s in sets]).std(0) + 1e-9
    parts = []
    for s in sets:
        lists = [(a, b) for a, b in s.lists() if s.label[a:b].any()]
        at = np.concatenate([np.arange(a, b) for a, b in lists])
        sizes = [b - a for a, b in lists]
        group = np.repeat(np.arange(len(lists)), sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        parts.append((s.x[at][:, columns] / scale, s.label[at].astype(float), group, starts, len(lists)))
    total = sum(p[4] ** 0.5 for p in parts)

    def loss(w):
        value, slope = RIDGE_ORDER * (w @ w), 2 * RIDGE_ORDER * w
        for x, y, group, starts, n in parts:
            z = x @ w
            odds = np.exp(z - np.maximum.reduceat(z, starts)[group])
            every, right = np.add.reduceat(odds, starts), np.add.reduceat(odds * y, starts) + 1e-300
            part = n**0.5 / total / n
            value -= part * np.log(right / every).sum()
            slope = slope + part * (x.T @ (odds / every[group] - odds * y / right[group]))
        return value, slope

    bounds = [(None, None) if NAMES[c] in FREE else (0, None) for c in columns]
    found = minimize(loss, np.full(len(columns), 0.1), jac=True, method="L-BFGS-B", bounds=bounds,
                     options={"maxiter": 2000, "maxfun": 4000})  # fmt: skip
    weights = np.zeros(len(NAMES))
    weights[columns] = found.x / scale
    return weights
