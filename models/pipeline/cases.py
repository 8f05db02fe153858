#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/relevance.json: whether a question is in the domain of a casebook, and whether a solved case helps.

    precedent eval SETS --cases --features with.tsv
    precedent eval SETS --cases --embedder off --features words.tsv
    python cases.py with.tsv words.tsv            # prints the figures and writes the models

Each line of the evidence is a case that was found for a question: set, form, question, case, whether it is marked as right, and
numbers; the last ones are those of `NAMES` in ../../crates/engine/src/answer/relevance.rs. Questions are reports of the set with a solved duplicate, reports
without a known one ("unmarked/ID"), texts of other sets ("SET/ID") and unrelated lines ("nonsense/LINE").

Both models are logistic. The domain model is fitted on marked cases against the first cases for texts of other sets. The relevance
model is fitted on judged pairs (../judged/cases; in ../judged, duplicates help, and two of five related reports), where
reports without a known duplicate count ten times as much: for most questions, there is no solved case.
"""

import argparse
import collections
import json
import pathlib

import numpy as np
from scipy.optimize import minimize

HERE = pathlib.Path(__file__).resolve()
OUT = HERE.parents[2] / "crates" / "engine" / "src" / "answer" / "relevance.json"
JUDGED_DIR = HERE.parents[1] / "judged"
NAMES = ["worth", "meaning", "near", "words", "strange", "unknown", "rarest", "contained", "said"]
# The features that lower a probability: how unusual the words of a text are, and how many are unknown.
NEGATIVE_FEATURES = {"strange", "unknown"}
# The features of each model.
DOMAIN_FEATURES = NAMES
RELEVANCE_FEATURES = ["worth", "meaning", "words", "rarest", "contained", "said"]
# The usual value and the spread of each feature, so that one ridge strength suits all.
CENTER = np.array([0, 0.5, 0.45, 0.2, 0.5, 0.05, 1, 0.1, 0.1])
SPREAD = np.array([1.5, 0.15, 0.1, 0.15, 1.0, 0.1, 4.0, 0.3, 0.2])
# Both are kits for mobile apps, so a case of one may well answer a question about the other.
SIMILAR_SETS = {frozenset(["titanium", "xamarin"])}
# The number of questions without a solved case for each question with one.
UNSOLVED_WEIGHT = 10.0
# The minimum relevance to be shown, the minimum domain probability, and the relevance shown in any domain.
MIN_SHOWN_RELEVANCE, MIN_DOMAIN_PROBABILITY, MIN_RELEVANCE = 0.15, 0.45, 0.4


def question_kind(question):
    head = question.split("/")[0]
    return head if head in ("nonsense", "unmarked") else "foreign" if "/" in question else "own"


class Evidence:
    def __init__(self, path):
        rows = [line.rstrip("\n").split("\t") for line in open(path)]
        self.x = np.array([[float(n) for n in row[-len(NAMES):]] for row in rows])
        self.set = np.array([row[0] for row in rows])
        self.key = [tuple(row[:3]) for row in rows]
        self.right = np.array([row[4] == "1" for row in rows])
        self.kind = np.array([question_kind(row[2]) for row in rows])
        self.is_similar_set = np.array([frozenset([row[0], row[2].split("/")[0]]) in SIMILAR_SETS for row in rows])
        self.rows_by_question = collections.defaultdict(list)
        for i, key in enumerate(self.key):
            self.rows_by_question[key].append(i)
        self.rank = np.zeros(len(rows), int)
        for indices in self.rows_by_question.values():
            self.rank[indices] = range(len(indices))
        judgments = read_judgments()
        self.helps = np.full(len(rows), np.nan)
        for i, row in enumerate(rows):
            if self.kind[i] in ("own", "unmarked"):
                verdict = judgments.get((row[0], row[2].split("/")[-1], row[3]))
                self.helps[i] = 1.0 if self.right[i] else np.nan if verdict is None else verdict
        # For unrelated texts, the first three cases are negative examples.
        self.in_domain = np.where(self.right, 1.0, np.where(np.isnan(self.helps), np.nan, self.helps))
        other = np.isin(self.kind, ["foreign", "nonsense"])
        self.in_domain[other] = np.where((self.rank[other] < 3) & ~self.is_similar_set[other], 0.0, np.nan)


def read_judgments():
    judgments = {}
    for path in sorted(JUDGED_DIR.glob("*.tsv")):
        for line in open(path):
            if not line.startswith("#"):
                question, case, verdict = line.split("\t")[:3]
                judgments[path.stem, question, case] = {"D": 1.0, "P": 1.0, "R": 0.4}.get(verdict, 0.0)
    for path in sorted((JUDGED_DIR / "cases").glob("*.tsv")):
        for line in open(path):
            if not line.startswith("#"):
                question, case, verdict = line.strip().split("\t")
                judgments[path.stem, question, case] = {"yes": 1.0, "partly": 0.5, "no": 0.0}[verdict]
    return judgments


def fit(x, y, weight, names, ridge):
    columns = [NAMES.index(n) for n in names]
    features = ((x - CENTER) / SPREAD)[:, columns]

    def loss(parameters):
        p = 1 / (1 + np.exp(-(parameters[0] + features @ parameters[1:])))
        gradient = weight * (p - y) / weight.sum()
        value = -(weight * (y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))).sum() / weight.sum()
        return value + ridge * (parameters[1:] ** 2).sum() / 2, np.r_[gradient.sum(), features.T @ gradient + ridge * parameters[1:]]

    bounds = [(None, None)] + [(None, 0) if n in NEGATIVE_FEATURES else (0, None) for n in names]
    parameters = minimize(loss, np.zeros(len(columns) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = np.zeros(len(NAMES))
    weights[columns] = parameters[1:] / SPREAD[columns]
    return parameters[0] - weights @ CENTER, weights


def fit_models(e, with_vectors, keep):
    excluded = set() if with_vectors else {"meaning", "near", "said"}
    without_excluded = lambda features: [n for n in features if n not in excluded]
    mask = keep & ~np.isnan(e.in_domain)
    domain = fit(e.x[mask], e.in_domain[mask], np.ones(mask.sum()), without_excluded(DOMAIN_FEATURES), 0.02)
    mask = keep & ~np.isnan(e.helps) & (e.rank < 3) & np.array([k[1] == "report" for k in e.key])
    weight = np.where(e.kind[mask] == "unmarked", UNSOLVED_WEIGHT, 1.0)
    return domain, fit(e.x[mask], e.helps[mask], weight, without_excluded(RELEVANCE_FEATURES), 0.005)


def probability(model, x):
    return 1 / (1 + np.exp(-(model[0] + x @ model[1])))


def is_shown(domain, relevance):
    return (relevance >= MIN_SHOWN_RELEVANCE) & ((domain >= MIN_DOMAIN_PROBABILITY) | (relevance >= MIN_RELEVANCE))


def print_figures(e, probabilities):
    """Prints the figures of each set, by models fitted without it."""
    for form in ("report", "title", "code"):
        for name in sorted(probabilities):
            domain, relevance = probabilities[name]
            shown = is_shown(domain, relevance)
            questions_of = lambda k: [v for key, v in e.rows_by_question.items() if key[:2] == (name, form) and e.kind[v[0]] == k]
            shown_cases = lambda v: [i for i in v if shown[i]][:3]
            own, foreign = questions_of("own"), [v for v in questions_of("foreign") if not e.is_similar_set[v[0]]]
            line = f"{form:7}{name:10}success@3 {np.mean([e.right[shown_cases(v)].any() for v in own]):.2f}"
            line += f"  no answer {np.mean([not shown_cases(v) for v in own]):.2f}  false alarms {np.mean([bool(shown_cases(v)) for v in foreign]):.2f}"
            similar = [v for v in questions_of("foreign") if e.is_similar_set[v[0]]]
            if similar:
                line += f"  similar set {np.mean([bool(shown_cases(v)) for v in similar]):.2f}"
            print(line)
    for name in sorted(probabilities):
        lines = [v for key, v in e.rows_by_question.items() if key[0] == name and e.kind[v[0]] == "nonsense"]
        domain, relevance = probabilities[name]
        print(name, "unrelated lines answered:", sum(is_shown(domain[v], relevance[v]).any() for v in lines), "of", len(lines))
    for low, high in [(0.5, 1.01), (0.3, 0.5), (0.15, 0.3)]:
        for k in ("own", "unmarked"):
            outcomes = []
            for name in sorted(probabilities):
                domain, relevance = probabilities[name]
                outcomes += [
                    e.helps[v[0]]
                    for key, v in e.rows_by_question.items()
                    if key[:2] == (name, "report") and e.kind[v[0]] == k and is_shown(domain[v[0]], relevance[v[0]])
                    and low <= relevance[v[0]] < high and not np.isnan(e.helps[v[0]])
                ]
            if outcomes:
                print(f"first case, relevance of {low:.2f} or more, {k}: {len(outcomes)} judged, helped {np.mean(np.array(outcomes) >= 1):.2f}, at least partly {np.mean(np.array(outcomes) > 0):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("with_meaning")
    parser.add_argument("words_alone")
    parser.add_argument("--out", default=OUT)
    args = parser.parse_args()
    out = {}
    for name, path in (("with_meaning", args.with_meaning), ("words_alone", args.words_alone)):
        e = Evidence(path)
        probabilities = {}
        for left_out in sorted(set(e.set)):
            models = fit_models(e, name == "with_meaning", e.set != left_out)
            probabilities[left_out] = [probability(s, e.x) for s in models]
        print(f"== {name}, each set by models fitted on the others")
        print_figures(e, probabilities)
        domain, relevance = fit_models(e, name == "with_meaning", np.ones(len(e.set), bool))
        to_table = lambda s: {
            "bias": round(float(s[0]), 4),
            "weights": {n: round(float(w), 4) for n, w in zip(NAMES, s[1]) if abs(w) > 1e-6},
        }
        out[name] = {"home": to_table(domain), "helps": to_table(relevance)}
    out = {"learnt_from": sorted(set(e.set)), **out}
    pathlib.Path(args.out).write_text(json.dumps(out, indent=2) + "\n")


if __name__ == "__main__":
    main()
