#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/questions.json: the order and the confidence of the answers to typed questions.

    python questions.py            # prints the figures, writes the table

The questions are in the words of users: mails, symptoms, error lines, traces, short titles and search words, about reports of five trackers.
Titles and whole texts of reports with a marked duplicate were asked as well. ../judged/question_order.tsv has the first candidates of each, with
the score by the weights for reports (`score`) and the features that matter for questions. The order is fitted like that of reports: the right
report shall come first (softmax over the candidates), with a ridge towards the weights for reports.

../judged/questions.tsv has the first answer by that order to each question, to the same question after the reports that answer it were removed,
to questions about problems that nobody reported, and to questions of another project; and for questions the first answer without vectors
(`meaning` 0). The confidence is a logistic model of it, one with vectors and one by words alone. Questions with
and without an answer count the same: half of the questions are taken to be about a known problem. Titles and texts of reports count less, because
marks are incomplete: some of their wrong answers are right.
"""

import collections
import csv
import json
import math
import pathlib

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).resolve()
ANSWER = HERE.parents[2] / "crates" / "engine" / "src" / "answer"
JUDGED = HERE.parents[1] / "judged"
ORDER = [
    "score",
    "title_title_words",
    "title_body_words",
    "text_title_cosine",
    "text_cosine_vs_best",
    "comment_text_cosine",
    "inactive_time",
    "word_coverage",
    "length",
]
# The inputs with vectors, and by words alone.
EVIDENCE = {"with_meaning": ["share", "all_word_coverage", "text_mean_cosine", "content"], "words_alone": ["share", "words", "content"]}
# The weight of an answer to a title or a text of a report, and to a question of another project.
MARKED = 0.2
FOREIGN = 0.2
RIDGE = 2.0
LEVELS = (0.2, 0.5, 0.7, 0.85)


def read(name, columns, is_wanted=lambda row: True):
    with open(JUDGED / name, newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if is_wanted(row)]
    x = np.array([[float(row[column]) for column in columns] for row in rows])
    y = np.array([int(row["same"]) for row in rows])
    return rows, x, y


def fit_order(x, y, questions):
    """Weights under which the right report comes first among the candidates of its question."""
    spread = x.std(0)
    lists = [questions == question for question in np.unique(questions)]
    lists = [(x[at] / spread, y[at]) for at in lists if y[at].any()]
    start = np.zeros(len(spread))
    start[0] = spread[0]

    def loss(weights):
        total, gradient = RIDGE * ((weights - start) @ (weights - start)), 2 * RIDGE * (weights - start)
        for features, right in lists:
            odds = features @ weights
            share = np.exp(odds - odds.max())
            share /= share.sum()
            of_right = share * right / (share @ right)
            total -= math.log(share @ right)
            gradient = gradient + features.T @ (share - of_right)
        return total, gradient

    return minimize(loss, start, jac=True, method="L-BFGS-B").x / spread


def order_figures(rows, x, y, questions):
    """The place of the right report, by the score for reports and by weights fitted on the other trackers."""
    trackers, kinds = (np.array([row[column] for row in rows]) for column in ("tracker", "kind"))
    score = np.zeros(len(rows))
    for tracker in np.unique(trackers):
        test = trackers == tracker
        score[test] = x[test] @ fit_order(x[~test], y[~test], questions[~test])
    for kind in np.unique(kinds):
        figures = []
        for order in (x[:, 0], score):
            places = []
            for question in np.unique(questions[kinds == kind]):
                at = np.flatnonzero(questions == question)
                at = at[np.argsort(-order[at], kind="stable")]
                places.append(1 + np.flatnonzero(y[at])[0] if y[at].any() else math.inf)
            first, three = (np.mean([place <= most for place in places]) for most in (1, 3))
            figures.append(f"first {first:.3f}, among three {three:.3f}, MRR {np.mean([1 / place for place in places]):.3f}")
        print(f"{kind} ({len(places)}): {figures[0]} -> {figures[1]}")


def sample_weights(rows):
    """Weights under which as many questions have an answer as have none."""
    present, without = collections.Counter(), collections.Counter()
    for row in rows:
        present[row["kind"]] += row["answer"] == "present"
        without[row["kind"]] += row["answer"] in ("removed", "none")

    def weight(row):
        share = {"present": 1, "foreign": FOREIGN}.get(row["answer"], present[row["kind"]] / without[row["kind"]])
        return share if row["kind"] == "question" else share * MARKED

    return np.array([weight(row) for row in rows])


def fit_confidence(x, y, weights):
    mean, spread = x.mean(0), x.std(0)
    model = LogisticRegression(C=0.3, max_iter=5000).fit((x - mean) / spread, y, sample_weight=weights)
    slopes = model.coef_[0] / spread
    return slopes, float(model.intercept_[0] - (slopes * mean).sum())


def confidence_figures(rows, x, y, weights):
    """The confidence of the first answers of a tracker, by a model fitted on the others, within the bounds of the engine's rules."""
    trackers = np.array([row["tracker"] for row in rows])
    stated = np.zeros(len(rows))
    for tracker in np.unique(trackers):
        test = trackers == tracker
        slopes, bias = fit_confidence(x[~test], y[~test], weights[~test])
        stated[test] = 1 / (1 + np.exp(-(x[test] @ slopes + bias)))
    for at, row in enumerate(rows):
        stated[at] = min(max(stated[at], float(row["low"])), float(row["high"]))
    for kind in dict.fromkeys(row["kind"] for row in rows):
        for least in LEVELS:
            said = {"present": [0, 0], "removed": [0, 0], "none": [0, 0], "foreign": [0, 0]}
            for row, confidence in zip(rows, stated):
                if confidence >= least and row["kind"] == kind:
                    said[row["answer"]][int(row["same"])] += 1
            print(
                f"{kind}, stated {least} and more: {said['present'][1]} right, {said['present'][0]} wrong; {said['removed'][0]} with the"
                f" answer removed, {said['none'][0]} without an answer, {said['foreign'][0]} of another project"
            )


def main():
    rows, x, y = read("question_order.tsv", ORDER)
    questions = np.array([row["question"] for row in rows])
    order_figures(rows, x, y, questions)
    weights = dict(zip(ORDER, fit_order(x, y, questions)))
    order = json.loads((ANSWER / "ranking.json").read_text())["order"]
    order = {name: weights["score"] * order.get(name, 0) + weights.get(name, 0) for name in {**order, **weights} if name not in ("bias", "share", "score")}
    table = {"order": {name: round(float(weight), 4) for name, weight in order.items()}}
    for statement, columns in EVIDENCE.items():
        meaning = str(int(statement == "with_meaning"))
        rows, x, y = read("questions.tsv", columns, lambda row: row["meaning"] == meaning)
        sample = sample_weights(rows)
        print(statement)
        confidence_figures(rows, x, y, sample)
        slopes, bias = fit_confidence(x, y, sample)
        weights = {name: round(float(slope), 4) for name, slope in zip(columns, slopes)}
        table[statement] = {"bias": round(bias, 4), "weights": weights}
    (ANSWER / "questions.json").write_text(json.dumps(table, indent=1) + "\n")
    print(table)


if __name__ == "__main__":
    main()
