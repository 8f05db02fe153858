#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/questions.json: how likely a report is the problem that a typed question is about.

    python questions.py            # prints the figures, writes the table

../judged/questions.tsv has the first five reports for each of 150 questions about reports of three trackers, for the same questions after
the reports that answer them were removed, and for 50 questions about problems that nobody reported. `worth` is the probability of the model
for pairs that a report is worth reading, and `words` the share of the question's information that the report has. Where `differs` is 1, their
failures or systems differ, so that a rule of the engine states at most .15.

The model is logistic. Questions with and without an answer count the same: half of the questions are taken to be about a known problem.
"""

import json
import math
import pathlib

import numpy as np
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).resolve()
OUT = HERE.parents[2] / "crates" / "engine" / "src" / "answer" / "questions.json"
DATA = HERE.parents[1] / "judged" / "questions.tsv"
NAMES = ["worth", "words"]


def log_odds(probability):
    probability = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(probability / (1 - probability))


def read():
    rows = [line.split("\t") for line in DATA.read_text().splitlines()[1:]]
    rows = [row for row in rows if row[5] == "0"]
    x = np.array([[log_odds(float(row[3])), float(row[4])] for row in rows])
    y = np.array([int(row[6]) for row in rows])
    keys = [tuple(row[:3]) for row in rows]
    present = len({key for key in keys if key[2] == "present"})
    without = len(set(keys)) - present
    weights = np.array([1.0 if key[2] == "present" else present / without for key in keys])
    return keys, x, y, weights


def fit(x, y, weights):
    mean, spread = x.mean(0), x.std(0)
    model = LogisticRegression(C=0.3, max_iter=2000).fit((x - mean) / spread, y, sample_weight=weights)
    slopes = model.coef_[0] / spread
    return slopes, float(model.intercept_[0] - (slopes * mean).sum())


def figures(keys, x, y, weights):
    """The best answer to each question of a tracker, by a model fitted on the others."""
    best = {}
    for tracker in sorted({key[0] for key in keys}):
        test = np.array([key[0] == tracker for key in keys])
        slopes, bias = fit(x[~test], y[~test], weights[~test])
        for at in np.flatnonzero(test):
            stated = 1 / (1 + math.exp(-(x[at] @ slopes + bias)))
            best[keys[at]] = max(best.get(keys[at], (0, 0)), (stated, y[at]))
    for least in (0.2, 0.5, 0.7, 0.89):
        present = [right for key, (stated, right) in best.items() if key[2] == "present" and stated >= least]
        without = sum(key[2] != "present" and stated >= least for key, (stated, _) in best.items())
        print(f"stated {least} and more: {sum(present)} right, {len(present) - sum(present)} wrong; {without} without an answer")


def main():
    data = read()
    figures(*data)
    slopes, bias = fit(*data[1:])
    table = {"bias": round(bias, 4), **{name: round(float(slope), 4) for name, slope in zip(NAMES, slopes)}}
    OUT.write_text(json.dumps(table, indent=1) + "\n")
    print(table)


if __name__ == "__main__":
    main()
