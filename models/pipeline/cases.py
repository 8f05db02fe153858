#!/usr/bin/env python3
"""Fits ../../crates/engine/src/answer/relevance.json: whether a question is at home in a casebook, and how likely a solved case helps.

    precedent eval SETS --cases --features with.tsv
    precedent eval SETS --cases --embedder off --features words.tsv
    python cases.py with.tsv words.tsv            # prints the figures, writes the table

Each line of the evidence is a case that was found for a question: set, form, question, case, whether a mark says that it is right, and
numbers; the last ones are those of `NAMES` in ../../crates/engine/src/troubleshoot/helps.rs. Questions are reports of the set with a solved duplicate, reports
without a known one ("unmarked/ID"), texts of other sets ("SET/ID") and lines about other things ("nonsense/LINE").

Both statements are logistic. That a question is at home is fitted on marked cases against the first cases for texts of other sets. That a
case helps is fitted on pairs that were read (../judged/cases; of ../judged, "the same" helps, "related" does in two of five), where
reports without a known duplicate count ten times as much: for most questions nothing was solved before.
"""

import argparse
import collections
import json
import pathlib

import numpy as np
from scipy.optimize import minimize

HERE = pathlib.Path(__file__).resolve()
OUT = HERE.parents[2] / "crates" / "engine" / "src" / "answer" / "relevance.json"
JUDGED = HERE.parents[1] / "judged"
NAMES = ["worth", "meaning", "near", "words", "strange", "unknown", "rarest", "contained", "said"]
# What counts against: how strange a text is, and how much of it nobody uses.
AGAINST = {"strange", "unknown"}
# What each statement may go by. Whether a text is at home is told by all of it.
HOME = NAMES
HELPS = ["worth", "meaning", "words", "rarest", "contained", "said"]
# Where each number usually is, and how far it spreads: so that one ridge suits all.
USUAL = np.array([0, 0.5, 0.45, 0.2, 0.5, 0.05, 1, 0.1, 0.1])
SPREAD = np.array([1.5, 0.15, 0.1, 0.15, 1.0, 0.1, 4.0, 0.3, 0.2])
# Both are kits for mobile apps: texts of the one may well be answered by the other.
KIN = {frozenset(["titanium", "xamarin"])}
# So many questions without a solved case there are for one with.
WITHOUT = 10.0
# The least that is shown, that a question is at home, and that is shown wherever it is.
FLOOR, AT_HOME, SURE = 0.15, 0.45, 0.4


def kind(question):
    head = question.split("/")[0]
    return head if head in ("nonsense", "unmarked") else "foreign" if "/" in question else "own"


class Evidence:
    def __init__(self, path):
        rows = [line.rstrip("\n").split("\t") for line in open(path)]
        self.x = np.array([[float(n) for n in row[-len(NAMES):]] for row in rows])
        self.set = np.array([row[0] for row in rows])
        self.key = [tuple(row[:3]) for row in rows]
        self.right = np.array([row[4] == "1" for row in rows])
        self.kind = np.array([kind(row[2]) for row in rows])
        self.kin = np.array([frozenset([row[0], row[2].split("/")[0]]) in KIN for row in rows])
        self.asked = collections.defaultdict(list)
        for i, key in enumerate(self.key):
            self.asked[key].append(i)
        self.rank = np.zeros(len(rows), int)
        for places in self.asked.values():
            self.rank[places] = range(len(places))
        read = judged()
        self.read = np.full(len(rows), np.nan)
        for i, row in enumerate(rows):
            if self.kind[i] in ("own", "unmarked"):
                verdict = read.get((row[0], row[2].split("/")[-1], row[3]))
                self.read[i] = 1.0 if self.right[i] else np.nan if verdict is None else verdict
        # Of texts about other things the first three cases are as wrong as any.
        self.home = np.where(self.right, 1.0, np.where(np.isnan(self.read), np.nan, self.read))
        other = np.isin(self.kind, ["foreign", "nonsense"])
        self.home[other] = np.where((self.rank[other] < 3) & ~self.kin[other], 0.0, np.nan)


def judged():
    out = {}
    for path in sorted(JUDGED.glob("*.tsv")):
        for line in open(path):
            if not line.startswith("#"):
                asked, case, verdict = line.split("\t")[:3]
                out[path.stem, asked, case] = {"D": 1.0, "P": 1.0, "R": 0.4}.get(verdict, 0.0)
    for path in sorted((JUDGED / "cases").glob("*.tsv")):
        for line in open(path):
            if not line.startswith("#"):
                asked, case, verdict = line.strip().split("\t")
                out[path.stem, asked, case] = {"yes": 1.0, "partly": 0.5, "no": 0.0}[verdict]
    return out


def fit(x, y, weight, names, ridge):
    at = [NAMES.index(n) for n in names]
    a = ((x - USUAL) / SPREAD)[:, at]

    def loss(t):
        p = 1 / (1 + np.exp(-(t[0] + a @ t[1:])))
        gradient = weight * (p - y) / weight.sum()
        value = -(weight * (y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))).sum() / weight.sum()
        return value + ridge * (t[1:] ** 2).sum() / 2, np.r_[gradient.sum(), a.T @ gradient + ridge * t[1:]]

    bounds = [(None, None)] + [(None, 0) if n in AGAINST else (0, None) for n in names]
    t = minimize(loss, np.zeros(len(at) + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = np.zeros(len(NAMES))
    weights[at] = t[1:] / SPREAD[at]
    return t[0] - weights @ USUAL, weights


def statements(e, meaning, keep):
    drop = set() if meaning else {"meaning", "near", "said"}
    names = lambda all: [n for n in all if n not in drop]
    m = keep & ~np.isnan(e.home)
    home = fit(e.x[m], e.home[m], np.ones(m.sum()), names(HOME), 0.02)
    m = keep & ~np.isnan(e.read) & (e.rank < 3) & np.array([k[1] == "report" for k in e.key])
    weight = np.where(e.kind[m] == "unmarked", WITHOUT, 1.0)
    return home, fit(e.x[m], e.read[m], weight, names(HELPS), 0.005)


def probability(statement, x):
    return 1 / (1 + np.exp(-(statement[0] + x @ statement[1])))


def is_shown(home, helps):
    return (helps >= FLOOR) & ((home >= AT_HOME) | (helps >= SURE))


def figures(e, stated):
    """Each set by what was fitted without it."""
    for form in ("report", "title", "code"):
        for name in sorted(stated):
            home, helps = stated[name]
            shown = is_shown(home, helps)
            of = lambda k: [v for key, v in e.asked.items() if key[:2] == (name, form) and e.kind[v[0]] == k]
            first = lambda v: [i for i in v if shown[i]][:3]
            own, other = of("own"), [v for v in of("foreign") if not e.kin[v[0]]]
            line = f"{form:7}{name:10}success@3 {np.mean([e.right[first(v)].any() for v in own]):.2f}"
            line += f"  silent {np.mean([not first(v) for v in own]):.2f}  alarms {np.mean([bool(first(v)) for v in other]):.2f}"
            kin = [v for v in of("foreign") if e.kin[v[0]]]
            if kin:
                line += f"  kin {np.mean([bool(first(v)) for v in kin]):.2f}"
            print(line)
    for name in sorted(stated):
        lines = [v for key, v in e.asked.items() if key[0] == name and e.kind[v[0]] == "nonsense"]
        home, helps = stated[name]
        print(name, "nonsense answered", sum(is_shown(home[v], helps[v]).any() for v in lines), "of", len(lines))
    for low, high in [(0.5, 1.01), (0.3, 0.5), (0.15, 0.3)]:
        for k in ("own", "unmarked"):
            seen = []
            for name in sorted(stated):
                home, helps = stated[name]
                seen += [
                    e.read[v[0]]
                    for key, v in e.asked.items()
                    if key[:2] == (name, "report") and e.kind[v[0]] == k and is_shown(home[v[0]], helps[v[0]])
                    and low <= helps[v[0]] < high and not np.isnan(e.read[v[0]])
                ]
            if seen:
                print(f"first, stated {low:.2f} and more, {k}: {len(seen)} read, helped {np.mean(np.array(seen) >= 1):.2f}, at least partly {np.mean(np.array(seen) > 0):.2f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("with_meaning")
    arguments.add_argument("words_alone")
    arguments.add_argument("--out", default=OUT)
    asked = arguments.parse_args()
    out = {}
    for name, path in (("with_meaning", asked.with_meaning), ("words_alone", asked.words_alone)):
        e = Evidence(path)
        stated = {}
        for left_out in sorted(set(e.set)):
            both = statements(e, name == "with_meaning", e.set != left_out)
            stated[left_out] = [probability(s, e.x) for s in both]
        print(f"== {name}, each set by what was fitted on the others")
        figures(e, stated)
        home, helps = statements(e, name == "with_meaning", np.ones(len(e.set), bool))
        write = lambda s: {
            "bias": round(float(s[0]), 4),
            "weights": {n: round(float(w), 4) for n, w in zip(NAMES, s[1]) if abs(w) > 1e-6},
        }
        out[name] = {"home": write(home), "helps": write(helps)}
    out = {"learnt_from": sorted(set(e.set)), **out}
    pathlib.Path(asked.out).write_text(json.dumps(out, indent=2) + "\n")


if __name__ == "__main__":
    main()
