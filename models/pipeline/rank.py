#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/ranking.json: in which order candidates come, and how sure an answer may be.

    precedent eval SET… --by duplicates --features evidence.tsv
    .venv/bin/python rank.py evidence.tsv

The order is fitted on the trackers' marks, how sure an answer may be on pairs that were read (../judged) with the marks.
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
OUT = HERE.parents[2] / "crates" / "engine" / "src" / "answer" / "ranking.json"
JUDGED = HERE.parents[1] / "judged"
# In the order of crates/engine/src/answer/features.rs.
NAMES = [
    "words",
    "words_squared",
    "word_coverage",
    "all_word_coverage",
    "title_title_words",
    "title_body_words",
    "body_title_words",
    "title_coverage",
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
    "words_vs_best",
    "text_cosine_vs_best",
    "comments",
    "inactive_time",
    "new_comment_terms",
    "comment_text_cosine",
    "comment_title_cosine",
    "same_title",
    "same_author",
    "copy",
    "series",
]
# In the order of crates/engine/src/answer/text_overlap.rs.
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
    "rarest",
    "apart",
    "contrast",
]
# By how much rules keep what is stated above 0 and below 1 (crates/engine/src/answer/text_overlap.rs).
BOUNDS = ["least", "below"]
ALL = [*NAMES, "share", *READING, *BOUNDS]
AT = {name: i for i, name in enumerate(ALL)}
# What decides by itself, by a rule of crates/engine/src/answer/ranking.rs, and what tells how sure to be and not what comes first.
RULES = ("copy", "series")
COPY, SERIES, UNRULED = 0.95, 0.05, 0.89
UNWEIGHTED = {"same_title", "all_word_coverage", "same_author", *RULES}
# Of the sets only rust's archive tells who made a report; the weight is of a fit with those authors beside the others.
FIXED = {"same_author": -1.4956}
# More evidence never counts against a candidate. Only what bends a curve, and what is none by itself, may have either sign.
FREE = {
    "words_squared",
    "length",
    "text_text_cosine_squared",
    "age",
    "age_squared",
    "comments",
    "inactive_time",
    "same_author",
}
# Strengths of the ridge: on standardised features of the order, and on the terms of the judge, in pairs.
RIDGE_ORDER, RIDGE_JUDGE = 3e-3, 0.7
# So many of the first candidates are read side by side, and judged (crates/engine/src/duplicates/mod.rs).
READ = 10
# samples/kinds holds invented pairs of the kinds that trackers have few of (a trace under another title, a text that was filed
# again with a word changed, one form about two things). The judge learns from them, the order does not.
INVENTED, INVENTED_WEIGHT = "kinds", 10.0
# How a source's background is taken (crates/engine/src/answer/baseline.rs): so many first answers, the usual one standing for
# so many of them.
ASKED, PRIOR = 400, 50.0
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
    for name, weight in FIXED.items():
        weights[AT[name]] = weight
    return weights


def ranked(s, order):
    """For each report: its candidates, best first, with the logarithms of their shares in the softmax over the scores. What is
    of a series takes no share from the others."""
    score = s.x[:, : len(NAMES)] @ order
    copy, series = s.x[:, AT["copy"]] > 0, s.x[:, AT["series"]] > 0
    for a, b in s.lists():
        by = np.argsort(-(score[a:b] + 1e6 * copy[a:b]), kind="stable") + a
        odds = np.exp(score[by] - score[a:b].max())
        others = odds[~series[by]].sum() + np.where(series[by], odds, 0.0)
        yield by, np.log(odds + 1e-38) - np.log(np.maximum(others, 1e-38))


# Ramps that the judge is made of: a number with where it begins and ends to count, and products of them. None counts against a
# pair the more it has in common; a ramp that goes down says how old a candidate is, or what tells two reports apart.
RAMPS = {
    "share": [(-3, 0), (-1.2, 0), (-0.4, 0)],
    "text_text_cosine": [(0.4, 0.7), (0.6, 0.8), (0.75, 0.9), (0.85, 0.97)],
    "title_title_cosine": [(0.4, 0.7), (0.6, 0.85), (0.8, 1)],
    "title_text_cosine": [(0.4, 0.7), (0.6, 0.85)],
    "text_title_cosine": [(0.4, 0.7), (0.6, 0.85)],
    "text_mean_cosine": [(0.3, 0.6), (0.5, 0.8)],
    "comment_text_cosine": [(0, 0.2)],
    "comment_title_cosine": [(0, 0.2)],
    "new_comment_terms": [(0, 0.3)],
    "words": [(0.05, 0.3), (0.2, 0.6), (0.5, 1)],
    "title_title_words": [(0.1, 0.5), (0.4, 1)],
    "title_coverage": [(0.2, 0.6), (0.5, 1)],
    "body_title_words": [(0.1, 0.6)],
    "title_body_words": [(0.1, 0.6)],
    "code_words": [(0.1, 0.5), (0.4, 1)],
    "identifiers": [(0.05, 0.3), (0.2, 0.8)],
    "signatures": [(0.05, 0.5), (0.4, 1)],
    "same_title": [(0, 1)],
    "resemblance": [(0.02, 0.15), (0.1, 0.4), (0.3, 0.8)],
    "contained": [(0.05, 0.2), (0.15, 0.5), (0.4, 0.9)],
    "runs": [(1, 3), (2.5, 4.5), (4, 6)],
    "titles": [(0.1, 0.4), (0.3, 0.7), (0.6, 1)],
    "title_information": [(4, 12), (10, 25)],
    "frames": [(0, 0.5), (0.4, 1)],
    "failure": [(1, 5), (4, 9)],
    "names": [(1, 8), (6, 20), (15, 40)],
    "content": [(1.5, 3)],
    # Long before is seldom the same, and neither is what one person files within minutes or hours.
    "age": [(7.5, 4), (0.02, 0.4)],
    "rarest": [(3, 7), (6, 9.5)],
    "apart": [(6, 0), (12, 4)],
    "contrast": [(1, 0), (3, 1)],
}
PRODUCTS = [
    [("titles", 0.3, 0.8), ("resemblance", 0.03, 0.25)],
    [("titles", 0.3, 0.8), ("text_text_cosine", 0.6, 0.85)],
    [("share", -1, 0), ("text_text_cosine", 0.5, 0.85)],
    [("share", -0.4, 0), ("titles", 0.2, 0.7)],
    [("failure", 3, 8), ("frames", 0, 0.8)],
    [("failure", 3, 8), ("titles", 0.2, 0.7)],
    [("title_information", 8, 20), ("titles", 0.5, 0.9)],
    [("names", 4, 20), ("text_text_cosine", 0.5, 0.8)],
    [("share", -0.6, 0), ("failure", 3, 8)],
    [("share", -0.6, 0), ("names", 4, 20)],
    [("contained", 0.2, 0.7), ("runs", 2.5, 4.5)],
    [("title_title_cosine", 0.7, 0.95), ("text_text_cosine", 0.6, 0.85)],
    [("contrast", 1, 0), ("titles", 0.2, 0.7)],
    [("contrast", 1, 0), ("resemblance", 0.05, 0.4)],
    [("apart", 8, 0), ("text_text_cosine", 0.6, 0.85)],
    [("contrast", 1, 0), ("share", -1, 0)],
    [("rarest", 5, 9), ("text_text_cosine", 0.45, 0.75)],
    [("rarest", 5, 9), ("share", -0.8, 0)],
    [("contained", 0.35, 0.7), ("contrast", 1, 0)],
    [("resemblance", 0.15, 0.45), ("contrast", 1, 0)],
    [("frames", 0.3, 0.8), ("failure", 2, 5)],
    [("titles", 0.75, 1), ("title_information", 5, 14)],
    [("names", 10, 25), ("rarest", 6, 9), ("contrast", 1, 0)],
    [("failure", 3, 6), ("contrast", 1, 0)],
    [("contained", 0.5, 0.9), ("apart", 10, 3)],
    [("contained", 0.5, 0.9), ("runs", 3, 4.5), ("text_text_cosine", 0.75, 0.95)],
    [("resemblance", 0.25, 0.6), ("text_text_cosine", 0.8, 0.95), ("apart", 10, 2)],
    [("frames", 0.3, 0.8), ("failure", 4, 7), ("share", -1, 0)],
    [("titles", 0.8, 1), ("title_information", 10, 20), ("share", -0.7, 0)],
    [("contained", 0.3, 0.6), ("text_text_cosine", 0.8, 0.95)],
    [("frames", 0.5, 1), ("contained", 0.2, 0.5)],
    [("names", 6, 18), ("failure", 3, 7), ("text_text_cosine", 0.4, 0.7)],
    [("age", 0.02, 0.4), ("text_text_cosine", 0.55, 0.85)],
    [("age", 0.02, 0.4), ("titles", 0.3, 0.8)],
    [("age", 0.02, 0.4), ("share", -1, 0)],
]
TERMS = [[(name, a, b)] for name, ramps in RAMPS.items() for a, b in ramps] + PRODUCTS


def basis(x):
    out = np.ones((len(x), len(TERMS)))
    for j, term in enumerate(TERMS):
        for name, a, b in term:
            out[:, j] *= np.clip((x[:, AT[name]] - a) / (b - a), 0.0, 1.0)
    return out


def first_few(s, order):
    """For each report: the rows of the candidates that are read, with their numbers and the share."""
    for by, share in ranked(s, order):
        rows = by[:READ]
        x = s.x[rows].copy()
        x[:, AT["share"]] = share[:READ]
        yield rows, x


def is_ruled(x):
    """Whether a rule decides how sure an answer may be: for each row."""
    return x[:, [AT[name] for name in (*RULES, *BOUNDS)]].any(1)


def pairs(s, order, judged):
    """What the judge is fitted on: numbers, whether it is the same, whether it is worth reading, and for how many answers it
    stands. First answers that a tracker marks are taken for the same where nobody read them."""
    x, same, worth, weight, ruled = [], [], [], [], is_ruled(s.x)
    for rows, numbers in first_few(s, order):
        for place, row in enumerate(rows):
            if ruled[row]:
                continue
            known, marked = judged.get(s.ids[row]), s.label[row]
            if known is None and not (marked and place == 0):
                continue
            verdict, stands = known or ("D", 1.0)
            x.append(numbers[place])
            same.append(verdict in "DP")
            worth.append(verdict in "DPR")
            weight.append(1.0 if marked else min(stands, MOST_WEIGHT))
    factor = INVENTED_WEIGHT if s.name == INVENTED else 1.0
    return np.array(x), np.array(same, float), np.array(worth, float), np.array(weight), factor


def logistic(x, y, weight):
    """Weights that are not negative, by penalised likelihood."""
    weight = weight / weight.sum() * len(weight)

    def loss(v):
        z = x @ v[1:] + v[0]
        p = 1 / (1 + np.exp(-z))
        pull = weight * (p - y)
        value = (weight * (np.logaddexp(0, z) - y * z)).sum() + RIDGE_JUDGE * (v[1:] @ v[1:])
        return value, np.concatenate([[pull.sum()], x.T @ pull + 2 * RIDGE_JUDGE * v[1:]])

    start = np.zeros(x.shape[1] + 1)
    start[0] = -3.0
    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds,
                    options={"maxiter": 3000, "maxfun": 6000}).x  # fmt: skip


def of_set(part):
    weight = part[3] / part[3].sum() * len(part[3]) ** 0.5
    return weight * part[4]


def fit_statements(parts):
    """Weights of both statements over some sets' pairs; each set counts alike but for the root of its size."""
    x = np.concatenate([basis(p[0]) for p in parts])
    weight = np.concatenate([of_set(p) for p in parts])
    return [logistic(x, np.concatenate([p[k] for p in parts]), weight) for k in (1, 2)]


def held_out(parts, invented):
    """The weights of both statements for each set, by what was fitted on the others, and on what is invented."""
    return {name: fit_statements([p for n, p in {**parts, **invented}.items() if n != name]) for name in parts}


def curve(odds, truth, weight):
    """Platt's curve over held-out log-odds: what was learnt on some projects is too sure of itself on another."""
    weight = weight / weight.sum() * len(weight)

    def loss(v):
        z = v[0] * odds + v[1]
        pull = weight * (1 / (1 + np.exp(-z)) - truth)
        value = (weight * (np.logaddexp(0, z) - truth * z)).sum() + 2 * (v[0] - 1) ** 2
        return value, np.array([pull @ odds + 4 * (v[0] - 1), pull.sum()])

    bounds = [(0.2, 4.0), (-6.0, 4.0)]
    return minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds).x


def first_answers(s, order):
    """The numbers of the first answer to each report that no rule decides, and for how many reports it stands."""
    firsts = [(rows[0], numbers[0]) for rows, numbers in first_few(s, order)]
    rows, x = np.array([r for r, _ in firsts]), np.array([n for _, n in firsts])
    free = ~is_ruled(s.x[rows])
    return x[free], s.weight[rows[free]]


def quartiles(odds, weight):
    by = np.argsort(odds)
    reached = np.cumsum(weight[by]) / weight.sum()
    return [odds[by][min(np.searchsorted(reached, part), len(by) - 1)] for part in (0.25, 0.5, 0.75)]


def background(first, weights):
    """What first answers of a set usually get: the median and the distance of the quartiles."""
    low, middle, high = quartiles(basis(first[0]) @ weights[1:] + weights[0], first[1])
    return np.array([middle, high - low])


def counted_from(odds, own, usual):
    level, spread = (ASKED * own + PRIOR * usual) / (ASKED + PRIOR)
    return (odds - level) / spread


def fit_judge(sets, order):
    """Both statements, the scale of the first, and pairs of (confidence as it would be stated elsewhere, what it was, weight)."""
    parts = {s.name: pairs(s, order, read_judged(s.name)) for s in sets}
    parts = {name: p for name, p in parts.items() if len(p[1])}
    fitted = fit_statements(list(parts.values()))
    invented = {n: p for n, p in parts.items() if n == INVENTED}
    parts = {n: p for n, p in parts.items() if n != INVENTED}
    elsewhere = held_out(parts, invented)
    weight = np.concatenate([of_set(p) for p in parts.values()])
    same, worth, stands = (np.concatenate([p[k] for p in parts.values()]) for k in (1, 2, 3))
    # Each set's pairs as they are seen by what was fitted on the others, before the set's own background.
    first = {s.name: first_answers(s, order) for s in sets if s.name in parts}
    backgrounds = {n: background(first[n], elsewhere[n][0]) for n in parts}
    usual = np.mean(list(backgrounds.values()), axis=0)
    pairs_of = lambda n: basis(parts[n][0]) @ elsewhere[n][0][1:] + elsewhere[n][0][0]
    odds = np.concatenate([counted_from(pairs_of(n), backgrounds[n], usual) for n in parts])
    slope, intercept = curve(odds, same, weight)
    stated = 1 / (1 + np.exp(-(slope * odds + intercept)))
    level, spread = np.mean([background(first[n], fitted[0]) for n in parts], axis=0)
    scale = {"level": level, "spread": spread, "slope": slope, "intercept": intercept}
    odds = np.concatenate([basis(parts[n][0]) @ elsewhere[n][1][1:] + elsewhere[n][1][0] for n in parts])
    slope, intercept = curve(odds, worth, weight)
    about = np.concatenate([[slope * fitted[1][0] + intercept], slope * fitted[1][1:]])
    return (fitted[0], about), scale, (stated, same, worth, stands)


# Where the ranges begin that outcomes are told of.
RANGES = [0.0, 0.05, 0.1, 0.2, 0.5]


def outcomes(stated, same, worth, stands):
    """What answers of a range were, as if so many of equal weight had been read (Kish 1965)."""
    out = []
    for low, high in zip(RANGES, [*RANGES[1:], 1.01]):
        at = (stated >= low) & (stated < high)
        weight = stands[at]
        if not at.any():
            continue
        n = weight.sum() ** 2 / (weight**2).sum()
        share = lambda what: (weight * what[at]).sum() / weight.sum()
        right, related = round(n * share(same)), round(n * (share(worth) - share(same)))
        out.append({"from": low, "read": round(n), "same": right, "related": related})
    return out


def copies(sets, order):
    """What first answers were that say the same word for word, which a rule decides: of those that are marked or were read."""
    read = same = related = 0
    for s in sets:
        judged = read_judged(s.name)
        for by, _ in ranked(s, order):
            row = by[0]
            verdict = judged.get(s.ids[row], ("D" if s.label[row] else None,))[0]
            if s.x[row, AT["copy"]] > 0 and verdict:
                read, same, related = read + 1, same + (verdict in "DP"), related + (verdict == "R")
    return {"from": 0.9, "read": read, "same": same, "related": related}


def statement(weights):
    terms = [
        {"ramps": [list(ramp) for ramp in term], "weight": round(float(w), 4)}
        for term, w in zip(TERMS, weights[1:])
        if w >= 5e-5
    ]
    return {"bias": round(float(weights[0]), 4), "terms": terms}


def wilson(share, n, z=1.96):
    if n < 1:
        return 0.0, 1.0
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(middle - reach, 0.0), min(middle + reach, 1.0)


def report(s, order, statements, scale):
    usual = np.array([scale["level"], scale["spread"]])
    own = background(first_answers(s, order), statements[0]) if s.name != INVENTED else usual
    judged = read_judged(s.name)
    recall, reciprocal, answers = collections.Counter(), 0.0, []
    for (by, _), (rows, numbers) in zip(ranked(s, order), first_few(s, order)):
        hits = np.flatnonzero(s.label[by])
        if len(hits):
            reciprocal += 1 / (hits[0] + 1)
            recall.update(k for k in (1, 10) if hits[0] < k)
        odds = [(basis(numbers[:1]) @ v[1:] + v[0])[0] for v in statements]
        odds[0] = scale["slope"] * counted_from(odds[0], own, usual) + scale["intercept"]
        p = [1 / (1 + np.exp(-z)) for z in odds]
        row = rows[0]
        least, most = s.x[row, AT["least"]], 1 - s.x[row, AT["below"]]
        if s.x[row, AT["copy"]] > 0:
            p[0] = max(p[0], COPY)
        elif s.x[row, AT["series"]] > 0:
            p[0] = min(p[0], SERIES)
        else:
            p[0] = max(min(p[0], UNRULED), least)
        if not s.x[row, AT["copy"]] > 0:
            p[0] = min(p[0], most)
        marked, known = s.label[row], judged.get(s.ids[row])
        weight = s.weight[row] if marked or known is None else known[1]
        verdict = known[0] if known else ("D" if marked else None)
        answers.append((p[0], max(p), marked, verdict, weight))
    n = s.queries
    print(f"  recall@1 {recall[1] / n:.3f} recall@10 {recall[10] / n:.3f} MRR {reciprocal / n:.3f}")
    found = [a for a in answers if a[2]]
    shares = [sum(a[0] >= t for a in found) / max(len(found), 1) for t in (0.9, 0.5, 0.2)]
    print("  of those found first, stated at .9 / .5 / .2 or more: " + " / ".join(f"{x:.2f}" for x in shares))

    def told(name, some, right):
        some = [(a[3] in right, a[4]) for a in some if a[3]]
        total = sum(w for _, w in some)
        if total:
            share = sum(w for is_right, w in some if is_right) / total
            low, high = wilson(share, total**2 / sum(w * w for _, w in some))
            print(f"  {name}: {share:.2f} ({low:.2f} to {high:.2f}, {len(some)} pairs)")

    for low, high in ((0.9, 1.01), (0.5, 0.9), (0.2, 0.5), (0.0, 0.2)):
        told(f"stated {low} and more, the same", [a for a in answers if low <= a[0] < high], "DP")
    told("worth reading at .8 or more, worth it", [a for a in answers if a[1] >= 0.8], "DPR")
    for k in (20, 50, 100):
        told(f"the queue's first {k}, the same", [(*a[:4], 1.0) for a in sorted(answers, key=lambda a: -a[0])[:k]], "DP")  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evidence", nargs="+", type=pathlib.Path)
    parser.add_argument("--dry", action="store_true", help="print the figures alone")
    parser.add_argument("--without", help="leave this set out of the table")
    parser.add_argument("--out", type=pathlib.Path, default=OUT, help="write the table here")
    args = parser.parse_args()
    sets = [s for s in read(args.evidence) if s.name != args.without]
    real = [s for s in sets if s.name != INVENTED]
    for held in sets if len(real) > 2 else []:
        others = [s for s in sets if s is not held]
        order = fit_order([s for s in others if s in real])
        print(f"{held.name}, fitted on {' + '.join(s.name for s in others)}:")
        report(held, order, *fit_judge(others, order)[:2])
    order = fit_order(real)
    statements, scale, elsewhere = fit_judge(sets, order)
    for s in sets:
        print(f"{s.name}, fitted on all:")
        report(s, order, statements, scale)
    table = {
        "learnt_from": [s.name for s in sets],
        "labels": sum(len(s.start) for s in sets),
        "order": {n: round(float(w), 4) for n, w in zip(NAMES, order) if n not in RULES},
        "judge": {
            "same": statement(statements[0]),
            "scale": {name: round(float(value), 4) for name, value in scale.items()},
            "worth": statement(statements[1]),
            "outcomes": [*outcomes(*elsewhere), copies(real, order)],
        },
    }
    if not args.dry:
        # A line for each weight and term.
        text = json.dumps(table, indent=1)
        args.out.write_text(text + "\n")
    print(json.dumps(table["judge"]["outcomes"]))


if __name__ == "__main__":
    main()
