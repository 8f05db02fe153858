#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/questions.json: the ranking and the confidence of the answers to typed questions.

    python questions.py            # prints the figures and writes the model

The questions are in users' words: emails, symptoms, error lines, traces, short titles and keywords, about reports of five trackers.
Titles and whole texts of reports with a marked duplicate are queries as well. ../judged/question_order.tsv has the top candidates of each, with
the score by the weights for reports (`score`) and the features that matter for questions. The ranking is fitted like that of reports: the right
report should come first (softmax over the candidates), with a ridge penalty toward the weights for reports.

../judged/questions.tsv has the first answer by that ranking to each question, to the same question after the reports that answer it were removed,
to questions about problems that nobody reported, and to questions about another project; and for questions, the first answer without vectors
(`meaning` 0). The confidence is a logistic model of that answer: one model uses vectors, and one uses only words. Questions with
and without an answer count equally: half of the questions are assumed to be about a known problem. Titles and texts of reports count less, because
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
ANSWER_DIR = HERE.parents[2] / "crates" / "engine" / "src" / "answer"
JUDGED_DIR = HERE.parents[1] / "judged"
RANKING_FEATURES = [
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
# The features with vectors, and with words only.
CONFIDENCE_FEATURES = {"with_meaning": ["share", "all_word_coverage", "text_mean_cosine", "content"], "words_alone": ["share", "words", "content"]}
# The weights of an answer to the title or text of a report, and to a question about another project.
MARKED_WEIGHT = 0.2
FOREIGN_WEIGHT = 0.2
RIDGE = 2.0
LEVELS = (0.2, 0.5, 0.7, 0.85)


def read_rows(name, columns, is_wanted=lambda row: True):
    with open(JUDGED_DIR / name, newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if is_wanted(row)]
    x = np.array([[float(row[column]) for column in columns] for row in rows])
    y = np.array([int(row["same"]) for row in rows])
    return rows, x, y


def fit_ranking(x, y, questions):
    """Returns the weights that rank the right report first among the candidates of its question."""
    spread = x.std(0)
    lists = [questions == question for question in np.unique(questions)]
    lists = [(x[mask] / spread, y[mask]) for mask in lists if y[mask].any()]
    start = np.zeros(len(spread))
    start[0] = spread[0]

    def loss(weights):
        total, gradient = RIDGE * ((weights - start) @ (weights - start)), 2 * RIDGE * (weights - start)
        for features, right in lists:
            scores = features @ weights
            share = np.exp(scores - scores.max())
            share /= share.sum()
            right_share = share * right / (share @ right)
            total -= math.log(share @ right)
            gradient = gradient + features.T @ (share - right_share)
        return total, gradient

    return minimize(loss, start, jac=True, method="L-BFGS-B").x / spread


def print_ranking_figures(rows, x, y, questions):
    """Prints the ranks of the right report, by the score for reports and by weights fitted on the other trackers."""
    trackers, kinds = (np.array([row[column] for row in rows]) for column in ("tracker", "kind"))
    score = np.zeros(len(rows))
    for tracker in np.unique(trackers):
        test = trackers == tracker
        score[test] = x[test] @ fit_ranking(x[~test], y[~test], questions[~test])
    for kind in np.unique(kinds):
        figures = []
        for scores in (x[:, 0], score):
            ranks = []
            for question in np.unique(questions[kinds == kind]):
                indices = np.flatnonzero(questions == question)
                indices = indices[np.argsort(-scores[indices], kind="stable")]
                ranks.append(1 + np.flatnonzero(y[indices])[0] if y[indices].any() else math.inf)
            first, top_three = (np.mean([rank <= k for rank in ranks]) for k in (1, 3))
            figures.append(f"first {first:.3f}, top three {top_three:.3f}, MRR {np.mean([1 / rank for rank in ranks]):.3f}")
        print(f"{kind} ({len(ranks)}): {figures[0]} -> {figures[1]}")


def sample_weights(rows):
    """Returns row weights under which as many questions have an answer as have none."""
    answered, unanswered = collections.Counter(), collections.Counter()
    for row in rows:
        answered[row["kind"]] += row["answer"] == "present"
        unanswered[row["kind"]] += row["answer"] in ("removed", "none")

    def weight(row):
        factor = {"present": 1, "foreign": FOREIGN_WEIGHT}.get(row["answer"], answered[row["kind"]] / unanswered[row["kind"]])
        return factor if row["kind"] == "question" else factor * MARKED_WEIGHT

    return np.array([weight(row) for row in rows])


def fit_confidence(x, y, weights):
    mean, spread = x.mean(0), x.std(0)
    model = LogisticRegression(C=0.3, max_iter=5000).fit((x - mean) / spread, y, sample_weight=weights)
    slopes = model.coef_[0] / spread
    return slopes, float(model.intercept_[0] - (slopes * mean).sum())


def print_confidence_figures(rows, x, y, weights):
    """Prints the outcomes by confidence. A model fitted on the other trackers gives it, within the bounds of the engine's rules."""
    trackers = np.array([row["tracker"] for row in rows])
    confidences = np.zeros(len(rows))
    for tracker in np.unique(trackers):
        test = trackers == tracker
        slopes, bias = fit_confidence(x[~test], y[~test], weights[~test])
        confidences[test] = 1 / (1 + np.exp(-(x[test] @ slopes + bias)))
    for index, row in enumerate(rows):
        confidences[index] = min(max(confidences[index], float(row["low"])), float(row["high"]))
    for kind in dict.fromkeys(row["kind"] for row in rows):
        for level in LEVELS:
            counts = {"present": [0, 0], "removed": [0, 0], "none": [0, 0], "foreign": [0, 0]}
            for row, confidence in zip(rows, confidences):
                if confidence >= level and row["kind"] == kind:
                    counts[row["answer"]][int(row["same"])] += 1
            print(
                f"{kind}, confidence of {level} or more: {counts['present'][1]} right, {counts['present'][0]} wrong; {counts['removed'][0]} with the"
                f" answer removed, {counts['none'][0]} without an answer, {counts['foreign'][0]} about another project"
            )


def main():
    rows, x, y = read_rows("question_order.tsv", RANKING_FEATURES)
    questions = np.array([row["question"] for row in rows])
    print_ranking_figures(rows, x, y, questions)
    weights = dict(zip(RANKING_FEATURES, fit_ranking(x, y, questions)))
    ranking = json.loads((ANSWER_DIR / "ranking.json").read_text())["order"]
    ranking = {name: weights["score"] * ranking.get(name, 0) + weights.get(name, 0) for name in {**ranking, **weights} if name not in ("bias", "share", "score")}
    table = {"order": {name: round(float(weight), 4) for name, weight in ranking.items()}}
    for model_name, columns in CONFIDENCE_FEATURES.items():
        meaning = str(int(model_name == "with_meaning"))
        rows, x, y = read_rows("questions.tsv", columns, lambda row: row["meaning"] == meaning)
        row_weights = sample_weights(rows)
        print(model_name)
        print_confidence_figures(rows, x, y, row_weights)
        slopes, bias = fit_confidence(x, y, row_weights)
        weights = {name: round(float(slope), 4) for name, slope in zip(columns, slopes)}
        table[model_name] = {"bias": round(bias, 4), "weights": weights}
    (ANSWER_DIR / "questions.json").write_text(json.dumps(table, indent=1) + "\n")
    print(table)


if __name__ == "__main__":
    main()
