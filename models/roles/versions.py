"""Fits the classifier of versions in comments and writes `crates/text/src/fixed_version.json`.

    python versions.py --data DATA [--features PROGRAM]

Reads `versions.tsv` (project, report, comment, sentence, position, role; no text), finds the texts in DATA, and adds
`versions_invented.tsv`. PROGRAM is the example `version_features` of `crates/text`, which names the features. Prints precision and recall on each project by a
model of the others. Needs scikit-learn and `zstd`; the result is deterministic.
"""

import argparse
import json
import pathlib
import re
import subprocess
from collections import Counter

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from fit import HERE, ROOT, read_zst

ROLES = ["fixed", "planned", "other"]
C = 0.3
MIN_COUNT = 2
VERSION = re.compile(r"\bv?\d+(?:\.\d+)+")
# About the precision of the regular expressions that the program had before.
THRESHOLD = 0.55


def load_examples(data, program):
    """Returns the project, the role and the features of each labeled version."""
    rows = [line.rstrip("\n").split("\t") for line in open(HERE / "versions.tsv") if not line.startswith("#")]
    reports = {}
    for project in sorted({row[0] for row in rows}):
        wanted = {row[1] for row in rows if row[0] == project}
        for report in read_zst(data / f"duplicates/{project}/corpus.jsonl.zst"):
            if report["id"] in wanted:
                reports[project, report["id"]] = report
    lines = []
    for project, key, comment, *_ in rows:
        report = reports[project, key]
        text = f"{report['title']}\n{report['body'] or ''}"
        lines.append(json.dumps([report["comments"][int(comment)]["body"], text]) + "\n")
    result = subprocess.run(program, input="".join(lines), capture_output=True, text=True, check=True)
    features = []
    for row, line in zip(rows, result.stdout.splitlines(), strict=True):
        in_sentence = [mention for mention in json.loads(line) if mention[0] == int(row[3])]
        features.append(in_sentence[int(row[4])][2])
    return np.array([row[0] for row in rows]), np.array([ROLES.index(row[5]) for row in rows]), features


def load_invented(program):
    """Returns the roles and the features of the invented versions."""
    rows = [line.rstrip("\n").split("\t") for line in open(HERE / "versions_invented.tsv") if not line.startswith("#")]
    lines = [json.dumps([sentence.replace("[[", "").replace("]]", ""), ""]) + "\n" for sentence, _ in rows]
    result = subprocess.run(program, input="".join(lines), capture_output=True, text=True, check=True)
    features = []
    for (sentence, _), line in zip(rows, result.stdout.splitlines(), strict=True):
        position = len(VERSION.findall(sentence[: sentence.index("[[")]))
        features.append(json.loads(line)[position][2])
    return np.array([ROLES.index(role) for _, role in rows]), features


def fit(features, roles):
    """Returns the fitted model and a function that converts features to its input."""
    counts = Counter(name for names in features for name in names)
    vectorizer = DictVectorizer()

    def to_rows(features):
        return [{name: 1 for name in names if counts[name] >= MIN_COUNT} for names in features]

    x = vectorizer.fit_transform(to_rows(features))
    model = LogisticRegression(C=C, max_iter=3000).fit(x, roles)
    return model, vectorizer, lambda features: vectorizer.transform(to_rows(features))


def print_figures(name, decided, roles):
    for role in (0, 1):
        right = ((decided == role) & (roles == role)).sum()
        found, all_ = (decided == role).sum(), (roles == role).sum()
        print(f"{name:9} {ROLES[role]:8} precision {right}/{found} = {right / max(found, 1):.2f}, recall {right / max(all_, 1):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--features", default=ROOT / "target/release/examples/version_features")
    args = parser.parse_args()
    projects, roles, features = load_examples(args.data, args.features)
    invented_roles, invented = load_invented(args.features)
    probabilities = np.zeros((len(roles), len(ROLES)))
    for project in sorted(set(projects)):
        is_held_out = projects == project
        train = [names for names, held_out in zip(features, is_held_out) if not held_out]
        test = [names for names, held_out in zip(features, is_held_out) if held_out]
        model, _, to_input = fit(train + invented, np.concatenate([roles[~is_held_out], invented_roles]))
        probabilities[is_held_out] = model.predict_proba(to_input(test))
    fixed = probabilities[:, 0]
    decided = np.where(fixed >= THRESHOLD, 0, np.where(probabilities.argmax(1) == 1, 1, 2))
    for project in sorted(set(projects)):
        print_figures(project, decided[projects == project], roles[projects == project])
    print_figures("all", decided, roles)
    model, vectorizer, _ = fit(features + invented, np.concatenate([roles, invented_roles]))
    weights = np.rint(1000 * model.coef_).astype(int).T.tolist()
    out = {
        "threshold": THRESHOLD,
        "intercepts": np.rint(1000 * model.intercept_).astype(int).tolist(),
        "features": dict(zip(vectorizer.get_feature_names_out().tolist(), weights)),
    }
    path = ROOT / "crates/text/src/fixed_version.json"
    path.write_text(json.dumps(out, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"{len(roles)} versions and {len(invented)} invented ones, {len(weights)} features")


if __name__ == "__main__":
    main()
