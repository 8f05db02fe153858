#!/usr/bin/env python3
"""Fits ../../src/duplicates/ranking.json: what evidence is worth when duplicates are ranked, and how sure it makes.

    precedent eval SET… --by duplicates --features evidence.tsv
    .venv/bin/python rank.py evidence.tsv

Prints, for each set, the figures with weights that were fitted on the other sets alone, then writes the table that is
fitted on all of them. The same evidence gives the same table. `--without SET --out FILE` writes the table that a set can
be judged with (`precedent eval SET --weights FILE`).
"""

import argparse
import collections
import json
import pathlib

import numpy as np
import torch

OUT = pathlib.Path(__file__).resolve().parents[2] / "src" / "duplicates" / "ranking.json"
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
# What decides by itself, by a rule of src/duplicates/score.rs: it has no weight, and nothing is learnt from what it decides.
RULES = ("copy", "series")
COPY, SERIES = 0.95, 0.05
WEIGHED = [name for name in NAMES if name not in RULES]
# What makes sure and does not tell candidates apart: in the order it is free, so that it starts at nothing and stays there.
ONLY_CONFIDENCE = {"same_title"}
# More evidence never counts against a candidate. Only what bends a curve, and what is none by itself, may have either sign.
CIRCUMSTANCES = {"age", "age_squared", "length", "comments", "quiet", "same_author"}
FREE_ORDER = {"words_squared", "text_text_cosine_squared", *ONLY_CONFIDENCE} | CIRCUMSTANCES
FREE_CONFIDENCE = {"bias"} | CIRCUMSTANCES
# Strengths of the ridge on standardised features: the sets are few and differ.
RIDGE_ORDER, RIDGE_CONFIDENCE = 3e-3, 1e-2
# How many of the best candidates of each report the confidence is fitted on.
CONFIDENT = 3


class Set:
    def __init__(self, name, rows):
        self.name = name
        self.query = np.array([r[0] for r in rows])
        self.weight = np.array([r[1] for r in rows])
        self.label = np.array([r[3] for r in rows])
        evidence = np.array([r[4:] for r in rows], dtype=np.float64)
        rule = {name: evidence[:, NAMES.index(name)] > 0 for name in RULES}
        self.x = evidence[:, [NAMES.index(name) for name in WEIGHED]]
        order = np.lexsort(([r[2] for r in rows], self.query))
        self.query, self.weight, self.label, self.x, self.copy, self.series = (
            a[order] for a in (self.query, self.weight, self.label, self.x, rule["copy"], rule["series"])
        )
        _, self.start = np.unique(self.query, return_index=True)
        self.end = np.append(self.start[1:], len(self.query))

    def lists(self):
        return zip(self.start, self.end)


def read(paths):
    rows = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding="utf8") as lines:
            for line in lines:
                c = line.rstrip("\n").split("\t")
                rows[c[0]].append((int(c[1]), float(c[2]), int(c[3]), int(c[4]), *map(float, c[5:])))
    return [Set(name, r) for name, r in sorted(rows.items())]


def minimise(loss, names, may_be_negative):
    free = torch.tensor([name in may_be_negative for name in names])
    # Roots of the weights that may not be negative, the others as they are.
    start = torch.where(free, 0.0, 0.3).to(torch.float64)
    inner = start.clone().requires_grad_(True)
    weights = lambda: torch.where(free, inner, inner**2)
    steps = torch.optim.LBFGS([inner], max_iter=500, tolerance_grad=1e-9, line_search_fn="strong_wolfe")

    def closure():
        steps.zero_grad()
        value = loss(weights())
        value.backward()
        return value

    steps.step(closure)
    return weights().detach().numpy()


def fit_order(sets):
    """Softmax over the candidates of each report that has a known duplicate among them; each set counts alike but for
    the root of its size."""
    every = np.concatenate([s.x for s in sets])
    scale = every.std(0) + 1e-9
    used = np.array([name not in ONLY_CONFIDENCE for name in WEIGHED], dtype=np.float64)
    parts = []
    for s in sets:
        lists = [(a, b) for a, b in s.lists() if s.label[a:b].any()]
        at = np.concatenate([np.arange(a, b) for a, b in lists])
        group = np.concatenate([np.full(b - a, i) for i, (a, b) in enumerate(lists)])
        parts.append(
            (
                torch.tensor(s.x[at] / scale * used),
                torch.tensor(s.label[at], dtype=torch.float64),
                torch.tensor(group),
                len(lists),
            )
        )
    total = sum(n**0.5 for *_, n in parts)

    def loss(w):
        value = RIDGE_ORDER * (w**2).sum()
        for x, y, group, n in parts:
            z = x @ w
            best = torch.full((n,), -1e9, dtype=torch.float64).scatter_reduce(0, group, z, "amax")
            e = torch.exp(z - best[group])
            all_, right = (torch.zeros(n, dtype=torch.float64).index_add(0, group, v) for v in (e, e * y))
            value = value - n**0.5 / total * torch.log(right / all_ + 1e-12).mean()
        return value

    return minimise(loss, WEIGHED, FREE_ORDER) / scale


def ranked(s, order):
    """For each report: its candidates, best first, with their scores and shares. What is of a series takes no share from
    the others."""
    score = s.x @ order
    for a, b in s.lists():
        by = np.argsort(-score[a:b], kind="stable") + a
        share = score[by] - score[by[0]]
        odds = np.exp(share)
        others = odds[~s.series[by]].sum()
        share = share - np.log(np.maximum(others + np.where(s.series[by], odds, 0.0), 1e-38))
        yield by, share


def evidence_of_confidence(s, order):
    x, y, w = [], [], []
    for by, share in ranked(s, order):
        weighed = np.flatnonzero(~(s.copy | s.series)[by])
        for i in weighed[:CONFIDENT]:
            x.append([1.0, share[i], *s.x[by[i]]])
            y.append(s.label[by[i]])
            w.append(s.weight[by[i]])
    return np.array(x), np.array(y, dtype=np.float64), np.array(w)


def fit_confidence(sets, order):
    """Platt's logistic curve, each report weighted by how many of its tracker's it stands for."""
    parts = [evidence_of_confidence(s, order) for s in sets]
    x = np.concatenate([p[0] for p in parts])
    y = np.concatenate([p[1] for p in parts])
    w = np.concatenate([p[2] / p[2].sum() * len(p[2]) ** 0.5 for p in parts])
    w = w / w.sum()
    scale = x.std(0) + 1e-9
    scale[0] = 1.0
    xt, yt, wt = torch.tensor(x / scale), torch.tensor(y), torch.tensor(w)

    def loss(v):
        z = xt @ v
        each = torch.nn.functional.binary_cross_entropy_with_logits(z, yt, reduction="none")
        # Duplicates are rare: the ridge is measured against what there is to explain.
        return (each * wt).sum() + RIDGE_CONFIDENCE * (wt * yt).sum() * (v[1:] ** 2).sum()

    return minimise(loss, ["bias", "share", *WEIGHED], FREE_CONFIDENCE) / scale


def ruled(s, by, p):
    """The order and the confidences with the rules: copies first, one of a series behind what is surer than it."""
    copy, series = s.copy[by], s.series[by]
    p = np.where(copy, np.maximum(p, COPY), np.where(series, np.minimum(p, SERIES), p))
    surer = np.flatnonzero(~series & (p > SERIES))
    moved = series & (np.arange(len(by)) < (surer[-1] if len(surer) else 0))
    place = np.where(moved, surer[-1] + 0.5 if len(surer) else 0, np.arange(len(by)))
    new = np.lexsort((place, ~copy))
    return by[new], p[new]


def figures(s, order, confidence, queries):
    recall = collections.Counter()
    reciprocal, stated = 0.0, []
    for by, share in ranked(s, order):
        z = np.column_stack([np.ones(len(by)), share, s.x[by]]) @ confidence
        by, p = ruled(s, by, 1 / (1 + np.exp(-np.maximum(z, -50.0))))
        hits = np.flatnonzero(s.label[by])
        if len(hits):
            reciprocal += 1 / (hits[0] + 1)
            recall.update(k for k in (1, 5, 10) if hits[0] < k)
        stated.append((p[0], s.label[by[0]], s.weight[by[0]]))
    p, right, weight = map(np.array, zip(*stated))
    bins = np.minimum((p * 10).astype(int), 9)
    error = sum(abs((weight * (p - right))[bins == b].sum()) for b in range(10)) / weight.sum()
    high = p >= 0.9
    sure = (weight * right)[high].sum() / max(weight[high].sum(), 1e-9)
    out = {f"recall@{k}": recall[k] / queries for k in (1, 5, 10)}
    out |= {"MRR": reciprocal / queries, "calibration error": error}
    return " ".join(f"{k} {v:.3f}" for k, v in out.items()) + f"; at 0.9 or more: {high.sum()}, right {sure:.2f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evidence", nargs="+", type=pathlib.Path)
    parser.add_argument("--dry", action="store_true", help="print the figures alone")
    parser.add_argument("--without", help="leave this set out of the table")
    parser.add_argument("--out", type=pathlib.Path, default=OUT, help="write the table here")
    args = parser.parse_args()
    torch.manual_seed(0)
    sets = [s for s in read(args.evidence) if s.name != args.without]
    # A report whose duplicate is no candidate still counts: the weight of 1 marks reports with a known duplicate.
    counts = {s.name: int((s.weight[s.start] == 1.0).sum()) for s in sets}
    for held in sets if len(sets) > 1 else []:
        others = [s for s in sets if s is not held]
        order = fit_order(others)
        confidence = fit_confidence(others, order)
        names = "+".join(s.name for s in others)
        print(f"{held.name} (fitted on {names}): {figures(held, order, confidence, counts[held.name])}")
    order = fit_order(sets)
    confidence = fit_confidence(sets, order)
    for s in sets:
        print(f"{s.name} (fitted on all): {figures(s, order, confidence, counts[s.name])}")
    labels = sum(len(s.start) for s in sets)
    table = {
        "learnt_from": [s.name for s in sets],
        "labels": labels,
        "order": {n: round(float(v), 4) for n, v in zip(WEIGHED, order)},
        "confidence": {n: round(float(v), 4) for n, v in zip(["bias", "share", *WEIGHED], confidence)},
    }
    print(json.dumps(table))
    if not args.dry:
        args.out.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
