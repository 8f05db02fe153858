#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/ranking.json: the ranking weights of candidates, and the confidence model.

    precedent eval SET… --by duplicates --features evidence.tsv
    .venv/bin/python rank.py evidence.tsv

The ranking is fitted on the trackers' marks, and the confidence on judged pairs (../judged) and the marks.
Prints each set's figures with models fitted on the other sets only, then writes the model fitted on all of them.
The same evidence gives the same model. `--without SET --out FILE` writes the model with which a set can be evaluated
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
JUDGED_DIR = HERE.parents[1] / "judged"
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
OVERLAP_FEATURES = [
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
# How far rules keep the confidence above 0 and below 1 (crates/engine/src/answer/text_overlap.rs).
BOUNDS = ["least", "below"]
ALL_FEATURES = [*NAMES, "share", *OVERLAP_FEATURES, *BOUNDS]
INDEX = {name: i for i, name in enumerate(ALL_FEATURES)}
# The features that decide as rules of crates/engine/src/answer/ranking.rs, the bounds of the confidence, and the features without
# a ranking weight.
RULES = ("copy", "series")
COPY_FLOOR, TEMPLATE_CEILING, MODEL_CEILING = 0.95, 0.05, 0.89
UNWEIGHTED_FEATURES = {"same_title", "all_word_coverage", "same_author", *RULES}
# Only rust's archive has the authors of reports; the weight comes from a fit with them alongside the other features.
FIXED_WEIGHTS = {"same_author": -1.4956}
# More evidence never counts against a candidate. Only squares and circumstances may have weights of either sign.
SIGNED_FEATURES = {
    "words_squared",
    "length",
    "text_text_cosine_squared",
    "age",
    "age_squared",
    "comments",
    "inactive_time",
    "same_author",
}
# The strengths of the ridge penalties: on the standardized ranking features, and on the terms of the confidence model, in pairs.
RIDGE_RANKING, RIDGE_CONFIDENCE = 3e-3, 0.7
# The number of top candidates whose texts are compared (crates/engine/src/answer/find.rs).
MAX_OVERLAPS = 10
# samples/kinds has invented pairs of kinds that are rare in trackers (a trace under another title, a text that was filed
# again with a word changed, one form about two things). Only the confidence model is fitted on them.
INVENTED_SET, INVENTED_WEIGHT = "kinds", 10.0
# The number of first answers that a source's baseline is estimated from, and the weight of the default baseline, in answers
# (crates/engine/src/answer/baseline.rs).
BASELINE_SAMPLE, BASELINE_PRIOR = 400, 50.0
# The maximum number of answers that a judged pair represents in a fit: a thousand would outweigh all other pairs.
MAX_PAIR_WEIGHT = 150.0


class EvidenceSet:
    """The evidence of a set: a row for each candidate of each report, grouped by report."""

    def __init__(self, name, rows):
        self.name = name
        rows.sort(key=lambda r: r[0])
        self.query = np.array([r[0] for r in rows])
        self.weight = np.array([r[1] for r in rows])
        self.document = np.array([r[2] for r in rows])
        self.label = np.array([r[3] for r in rows])
        self.ids = [(r[4], r[5]) for r in rows]
        self.x = np.zeros((len(rows), len(ALL_FEATURES)))
        for i, r in enumerate(rows):
            self.x[i, : len(r) - 6] = r[6:]
        _, self.start = np.unique(self.query, return_index=True)
        self.end = np.append(self.start[1:], len(self.query))
        self.queries = int((self.weight[self.start] == 1.0).sum())

    def lists(self):
        return zip(self.start, self.end)


def read_evidence(paths):
    rows = collections.defaultdict(list)
    for path in paths:
        with open(path, encoding="utf8") as lines:
            for line in lines:
                c = line.rstrip("\n").split("\t")
                rows[c[0]].append(
                    (int(c[1]), float(c[2]), int(c[3]), int(c[4]), c[5], c[6], *map(float, c[7:]))
                )
    return [EvidenceSet(name, r) for name, r in sorted(rows.items())]


def read_judgments(name):
    judgments = {}
    path = JUDGED_DIR / f"{name}.tsv"
    if path.is_file():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                later, earlier, verdict, weight = line.split("\t")[:4]
                judgments[later, earlier] = (verdict, float(weight))
    return judgments


def fit_ranking(sets):
    """Fits a softmax over the candidates of each report with a known duplicate among them (ListNet's top-one likelihood);
    each set is weighted by the square root of its size."""
    columns = [i for i, name in enumerate(NAMES) if name not in UNWEIGHTED_FEATURES]
    scale = np.concatenate([s.x[:, columns] for s in sets]).std(0) + 1e-9
    lists_by_set = []
    for s in sets:
        lists = [(a, b) for a, b in s.lists() if s.label[a:b].any()]
        indices = np.concatenate([np.arange(a, b) for a, b in lists])
        sizes = [b - a for a, b in lists]
        group = np.repeat(np.arange(len(lists)), sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        lists_by_set.append((s.x[indices][:, columns] / scale, s.label[indices].astype(float), group, starts, len(lists)))
    total_weight = sum(p[4] ** 0.5 for p in lists_by_set)

    def loss(w):
        value, gradient = RIDGE_RANKING * (w @ w), 2 * RIDGE_RANKING * w
        for x, y, group, starts, n in lists_by_set:
            z = x @ w
            odds = np.exp(z - np.maximum.reduceat(z, starts)[group])
            total_odds, labeled_odds = np.add.reduceat(odds, starts), np.add.reduceat(odds * y, starts) + 1e-300
            set_weight = n**0.5 / total_weight / n
            value -= set_weight * np.log(labeled_odds / total_odds).sum()
            gradient = gradient + set_weight * (x.T @ (odds / total_odds[group] - odds * y / labeled_odds[group]))
        return value, gradient

    bounds = [(None, None) if NAMES[c] in SIGNED_FEATURES else (0, None) for c in columns]
    result = minimize(loss, np.full(len(columns), 0.1), jac=True, method="L-BFGS-B", bounds=bounds,
                      options={"maxiter": 2000, "maxfun": 4000})  # fmt: skip
    weights = np.zeros(len(NAMES))
    weights[columns] = result.x / scale
    for name, weight in FIXED_WEIGHTS.items():
        weights[INDEX[name]] = weight
    return weights


def rank_candidates(s, ranking_weights):
    """Yields the candidates of each report, best first, with the logarithms of their shares in the softmax over the scores.
    Templated candidates take no share from the others."""
    score = s.x[:, : len(NAMES)] @ ranking_weights
    copy, templated = s.x[:, INDEX["copy"]] > 0, s.x[:, INDEX["series"]] > 0
    for a, b in s.lists():
        ranking = np.argsort(-(score[a:b] + 1e6 * copy[a:b]), kind="stable") + a
        odds = np.exp(score[ranking] - score[a:b].max())
        rivals = odds[~templated[ranking]].sum() + np.where(templated[ranking], odds, 0.0)
        yield ranking, np.log(odds + 1e-38) - np.log(np.maximum(rivals, 1e-38))


# The terms of the confidence model: ramps of a feature between two values, and products of ramps. More overlap never lowers the
# confidence; a falling ramp is for the age of a candidate or the differences between two reports.
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
    # Much older reports are seldom duplicates, and neither are those filed within minutes or hours of each other.
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


def ramp_values(x):
    values = np.ones((len(x), len(TERMS)))
    for j, term in enumerate(TERMS):
        for name, a, b in term:
            values[:, j] *= np.clip((x[:, INDEX[name]] - a) / (b - a), 0.0, 1.0)
    return values


def top_candidates(s, ranking_weights):
    """Yields the rows of the top candidates of each report, and their features with the share."""
    for ranking, share in rank_candidates(s, ranking_weights):
        rows = ranking[:MAX_OVERLAPS]
        x = s.x[rows].copy()
        x[:, INDEX["share"]] = share[:MAX_OVERLAPS]
        yield rows, x


def matches_rule(x):
    """Returns for each row whether a rule decides the confidence."""
    return x[:, [INDEX[name] for name in (*RULES, *BOUNDS)]].any(1)


def training_pairs(s, ranking_weights, judgments):
    """Returns what the confidence model is fitted on: features, whether a pair is a duplicate, whether it is worth reading, and how
    many answers it represents. First answers that a tracker marks count as duplicates unless they were judged."""
    x, same, worth_reading, weight, has_rule = [], [], [], [], matches_rule(s.x)
    for rows, numbers in top_candidates(s, ranking_weights):
        for rank, row in enumerate(rows):
            if has_rule[row]:
                continue
            judgment, is_marked = judgments.get(s.ids[row]), s.label[row]
            if judgment is None and not (is_marked and rank == 0):
                continue
            verdict, represented = judgment or ("D", 1.0)
            x.append(numbers[rank])
            same.append(verdict in "DP")
            worth_reading.append(verdict in "DPR")
            weight.append(1.0 if is_marked else min(represented, MAX_PAIR_WEIGHT))
    factor = INVENTED_WEIGHT if s.name == INVENTED_SET else 1.0
    return np.array(x), np.array(same, float), np.array(worth_reading, float), np.array(weight), factor


def fit_logistic(x, y, weight):
    """Returns nonnegative weights fitted by penalized likelihood."""
    weight = weight / weight.sum() * len(weight)

    def loss(parameters):
        z = x @ parameters[1:] + parameters[0]
        p = 1 / (1 + np.exp(-z))
        residuals = weight * (p - y)
        value = (weight * (np.logaddexp(0, z) - y * z)).sum() + RIDGE_CONFIDENCE * (parameters[1:] @ parameters[1:])
        return value, np.concatenate([[residuals.sum()], x.T @ residuals + 2 * RIDGE_CONFIDENCE * parameters[1:]])

    start = np.zeros(x.shape[1] + 1)
    start[0] = -3.0
    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds,
                    options={"maxiter": 3000, "maxfun": 6000}).x  # fmt: skip


def pair_weights(pairs):
    weight = pairs[3] / pairs[3].sum() * len(pairs[3]) ** 0.5
    return weight * pairs[4]


def fit_models(pair_sets):
    """Fits both models on the pairs of sets; each set is weighted by the square root of its size."""
    x = np.concatenate([ramp_values(p[0]) for p in pair_sets])
    weight = np.concatenate([pair_weights(p) for p in pair_sets])
    return [fit_logistic(x, np.concatenate([p[k] for p in pair_sets]), weight) for k in (1, 2)]


def fit_held_out(pairs_by_set, invented):
    """Fits both models for each set, on the other sets and the invented pairs."""
    return {name: fit_models([pairs for other, pairs in {**pairs_by_set, **invented}.items() if other != name]) for name in pairs_by_set}


def fit_platt_scaling(odds, labels, weight):
    """Fits Platt scaling on held-out log-odds, because a model is overconfident on projects that it was not fitted on."""
    weight = weight / weight.sum() * len(weight)

    def loss(parameters):
        z = parameters[0] * odds + parameters[1]
        residuals = weight * (1 / (1 + np.exp(-z)) - labels)
        value = (weight * (np.logaddexp(0, z) - labels * z)).sum() + 2 * (parameters[0] - 1) ** 2
        return value, np.array([residuals @ odds + 4 * (parameters[0] - 1), residuals.sum()])

    bounds = [(0.2, 4.0), (-6.0, 4.0)]
    return minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=bounds).x


def first_answers(s, ranking_weights):
    """Returns the features of first answers that no rule decides, and how many reports each represents."""
    answers = [(rows[0], numbers[0]) for rows, numbers in top_candidates(s, ranking_weights)]
    rows, x = np.array([r for r, _ in answers]), np.array([n for _, n in answers])
    without_rule = ~matches_rule(s.x[rows])
    return x[without_rule], s.weight[rows[without_rule]]


def quartiles(odds, weight):
    ranking = np.argsort(odds)
    cumulative = np.cumsum(weight[ranking]) / weight.sum()
    return [odds[ranking][min(np.searchsorted(cumulative, quantile), len(ranking) - 1)] for quantile in (0.25, 0.5, 0.75)]


def estimate_baseline(answers, weights):
    """Returns the median and the interquartile range of the log-odds of a set's first answers."""
    low, median, high = quartiles(ramp_values(answers[0]) @ weights[1:] + weights[0], answers[1])
    return np.array([median, high - low])


def normalize_odds(odds, baseline, default_baseline):
    level, spread = (BASELINE_SAMPLE * baseline + BASELINE_PRIOR * default_baseline) / (BASELINE_SAMPLE + BASELINE_PRIOR)
    return (odds - level) / spread


def fit_confidence(sets, ranking_weights):
    """Returns both models, the scale of the first, and the held-out outcomes: confidences, labels and weights."""
    pairs_by_set = {s.name: training_pairs(s, ranking_weights, read_judgments(s.name)) for s in sets}
    pairs_by_set = {name: p for name, p in pairs_by_set.items() if len(p[1])}
    models = fit_models(list(pairs_by_set.values()))
    invented = {n: p for n, p in pairs_by_set.items() if n == INVENTED_SET}
    pairs_by_set = {n: p for n, p in pairs_by_set.items() if n != INVENTED_SET}
    held_out_models = fit_held_out(pairs_by_set, invented)
    weight = np.concatenate([pair_weights(p) for p in pairs_by_set.values()])
    same, worth_reading, represented = (np.concatenate([p[k] for p in pairs_by_set.values()]) for k in (1, 2, 3))
    # Normalize the held-out log-odds of each set's pairs by the set's own baseline.
    answers = {s.name: first_answers(s, ranking_weights) for s in sets if s.name in pairs_by_set}
    baselines = {n: estimate_baseline(answers[n], held_out_models[n][0]) for n in pairs_by_set}
    default_baseline = np.mean(list(baselines.values()), axis=0)
    held_out_odds = lambda n: ramp_values(pairs_by_set[n][0]) @ held_out_models[n][0][1:] + held_out_models[n][0][0]
    odds = np.concatenate([normalize_odds(held_out_odds(n), baselines[n], default_baseline) for n in pairs_by_set])
    slope, intercept = fit_platt_scaling(odds, same, weight)
    confidences = 1 / (1 + np.exp(-(slope * odds + intercept)))
    level, spread = np.mean([estimate_baseline(answers[n], models[0]) for n in pairs_by_set], axis=0)
    scale = {"level": level, "spread": spread, "slope": slope, "intercept": intercept}
    odds = np.concatenate([ramp_values(pairs_by_set[n][0]) @ held_out_models[n][1][1:] + held_out_models[n][1][0] for n in pairs_by_set])
    slope, intercept = fit_platt_scaling(odds, worth_reading, weight)
    worth_model = np.concatenate([[slope * models[1][0] + intercept], slope * models[1][1:]])
    return (models[0], worth_model), scale, (confidences, same, worth_reading, represented)


# The lower bounds of the confidence ranges whose outcomes are stored.
RANGES = [0.0, 0.05, 0.1, 0.2, 0.5]


def range_outcomes(confidences, same, worth_reading, represented):
    """Returns the outcomes of answers in each range, as counts of the effective sample size (Kish 1965)."""
    out = []
    for low, high in zip(RANGES, [*RANGES[1:], 1.01]):
        mask = (confidences >= low) & (confidences < high)
        weight = represented[mask]
        if not mask.any():
            continue
        n = weight.sum() ** 2 / (weight**2).sum()
        share = lambda label: (weight * label[mask]).sum() / weight.sum()
        duplicates, related = round(n * share(same)), round(n * (share(worth_reading) - share(same)))
        out.append({"from": low, "read": round(n), "same": duplicates, "related": related})
    return out


def copy_outcomes(sets, ranking_weights):
    """Returns the outcomes of first answers that are exact copies, which a rule decides, if they are marked or judged."""
    judged_count = duplicates = related = 0
    for s in sets:
        judgments = read_judgments(s.name)
        for ranking, _ in rank_candidates(s, ranking_weights):
            row = ranking[0]
            verdict = judgments.get(s.ids[row], ("D" if s.label[row] else None,))[0]
            if s.x[row, INDEX["copy"]] > 0 and verdict:
                judged_count, duplicates, related = judged_count + 1, duplicates + (verdict in "DP"), related + (verdict == "R")
    return {"from": 0.9, "read": judged_count, "same": duplicates, "related": related}


def model_table(weights):
    terms = [
        {"ramps": [list(ramp) for ramp in term], "weight": round(float(w), 4)}
        for term, w in zip(TERMS, weights[1:])
        if w >= 5e-5
    ]
    return {"bias": round(float(weights[0]), 4), "terms": terms}


def wilson_interval(share, n, z=1.96):
    if n < 1:
        return 0.0, 1.0
    center = (share + z * z / (2 * n)) / (1 + z * z / n)
    margin = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(center - margin, 0.0), min(center + margin, 1.0)


def print_figures(s, ranking_weights, models, scale):
    default_baseline = np.array([scale["level"], scale["spread"]])
    baseline = estimate_baseline(first_answers(s, ranking_weights), models[0]) if s.name != INVENTED_SET else default_baseline
    judgments = read_judgments(s.name)
    recall, reciprocal, answers = collections.Counter(), 0.0, []
    for (ranking, _), (rows, numbers) in zip(rank_candidates(s, ranking_weights), top_candidates(s, ranking_weights)):
        hits = np.flatnonzero(s.label[ranking])
        if len(hits):
            reciprocal += 1 / (hits[0] + 1)
            recall.update(k for k in (1, 10) if hits[0] < k)
        odds = [(ramp_values(numbers[:1]) @ model[1:] + model[0])[0] for model in models]
        odds[0] = scale["slope"] * normalize_odds(odds[0], baseline, default_baseline) + scale["intercept"]
        p = [1 / (1 + np.exp(-z)) for z in odds]
        row = rows[0]
        floor, ceiling = s.x[row, INDEX["least"]], 1 - s.x[row, INDEX["below"]]
        if s.x[row, INDEX["copy"]] > 0:
            p[0] = max(p[0], COPY_FLOOR)
        elif s.x[row, INDEX["series"]] > 0:
            p[0] = min(p[0], TEMPLATE_CEILING)
        else:
            p[0] = max(min(p[0], MODEL_CEILING), floor)
        if not s.x[row, INDEX["copy"]] > 0:
            p[0] = min(p[0], ceiling)
        is_marked, judgment = s.label[row], judgments.get(s.ids[row])
        weight = s.weight[row] if is_marked or judgment is None else judgment[1]
        verdict = judgment[0] if judgment else ("D" if is_marked else None)
        answers.append((p[0], max(p), is_marked, verdict, weight))
    n = s.queries
    print(f"  recall@1 {recall[1] / n:.3f} recall@10 {recall[10] / n:.3f} MRR {reciprocal / n:.3f}")
    ranked_first = [a for a in answers if a[2]]
    shares = [sum(a[0] >= t for a in ranked_first) / max(len(ranked_first), 1) for t in (0.9, 0.5, 0.2)]
    print("  of those ranked first, with a confidence of .9 / .5 / .2 or more: " + " / ".join(f"{x:.2f}" for x in shares))

    def print_share(title, selected, verdicts):
        selected = [(a[3] in verdicts, a[4]) for a in selected if a[3]]
        total = sum(w for _, w in selected)
        if total:
            share = sum(w for is_right, w in selected if is_right) / total
            low, high = wilson_interval(share, total**2 / sum(w * w for _, w in selected))
            print(f"  {title}: {share:.2f} ({low:.2f} to {high:.2f}, {len(selected)} pairs)")

    for low, high in ((0.9, 1.01), (0.5, 0.9), (0.2, 0.5), (0.0, 0.2)):
        print_share(f"confidence of {low} or more, duplicates", [a for a in answers if low <= a[0] < high], "DP")
    print_share("worth reading at .8 or more, relevant", [a for a in answers if a[1] >= 0.8], "DPR")
    for k in (20, 50, 100):
        print_share(f"the queue's first {k}, duplicates", [(*a[:4], 1.0) for a in sorted(answers, key=lambda a: -a[0])[:k]], "DP")  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evidence", nargs="+", type=pathlib.Path)
    parser.add_argument("--dry", action="store_true", help="only print the figures")
    parser.add_argument("--without", help="leave this set out of the model")
    parser.add_argument("--out", type=pathlib.Path, default=OUT, help="write the model to this file")
    args = parser.parse_args()
    sets = [s for s in read_evidence(args.evidence) if s.name != args.without]
    real = [s for s in sets if s.name != INVENTED_SET]
    for held_out_set in sets if len(real) > 2 else []:
        others = [s for s in sets if s is not held_out_set]
        ranking_weights = fit_ranking([s for s in others if s in real])
        print(f"{held_out_set.name}, fitted on {' + '.join(s.name for s in others)}:")
        print_figures(held_out_set, ranking_weights, *fit_confidence(others, ranking_weights)[:2])
    ranking_weights = fit_ranking(real)
    models, scale, held_out_outcomes = fit_confidence(sets, ranking_weights)
    for s in sets:
        print(f"{s.name}, fitted on all:")
        print_figures(s, ranking_weights, models, scale)
    table = {
        "learnt_from": [s.name for s in sets],
        "labels": sum(len(s.start) for s in sets),
        "order": {n: round(float(w), 4) for n, w in zip(NAMES, ranking_weights) if n not in RULES},
        "judge": {
            "same": model_table(models[0]),
            "scale": {name: round(float(value), 4) for name, value in scale.items()},
            "worth": model_table(models[1]),
            "outcomes": [*range_outcomes(*held_out_outcomes), copy_outcomes(real, ranking_weights)],
        },
    }
    if not args.dry:
        # One line per weight and term.
        text = json.dumps(table, indent=1)
        args.out.write_text(text + "\n")
    print(json.dumps(table["judge"]["outcomes"]))


if __name__ == "__main__":
    main()
