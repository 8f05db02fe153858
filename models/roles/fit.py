"""Fits the classifier of comment sentences and writes `crates/text/src/roles.json`.

    python fit.py --data DATA [--features PROGRAM]

Reads `labels.tsv` (project, comment, sentence, digest, role, batch; no text) and finds the texts in DATA, adds
`invented.tsv`, fits on all projects except the held-out one, chooses thresholds by cross-validation over projects and
prints precision and recall. PROGRAM is the example `role_features` of `crates/text`: it splits comments into sentences
and names their features, so that both are defined only once. Needs numpy, scipy, scikit-learn and `zstd`; the result is
deterministic.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
from collections import Counter

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
ROLES = [
    "fix",
    "workaround",
    "declined",
    "already_reported",
    "confirmation",
    "still_happens",
    "reproduction",
    "question",
    "taken_back",
    "noise",
    "other",
]
HELD_OUT = "go"
# The target precision in cross-validation, which sets the threshold of a role; .75 for others.
TARGET_PRECISION = {"fix": 0.92, "workaround": 0.90, "still_happens": 0.85}
# Random batches: stratified samples (1, 2) or samples of the sentences that a model chose (5).
RANDOM_BATCHES = "125"
MIN_THRESHOLD, MAX_THRESHOLD = 0.4, 0.95
# Chosen on the held-out project: the lowest thresholds with a precision of at least .90 there.
HELD_OUT_THRESHOLDS = {"fix": 0.6, "workaround": 0.85}
MAX_FEATURES = 2600
MIN_COUNT = 2
L1_C = 2.0
L2_C = 0.5


def read_zst(path):
    """Yields the JSON objects of a compressed file, one per line."""
    with subprocess.Popen(["zstd", "-dc", str(path)], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            yield json.loads(line)


def read_sentences(program, texts):
    """Returns a list of (sentence, features) for each text."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    result = subprocess.run(program, input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def load_examples(data, labels, program):
    """Returns one dict per label: project, role, batch, features."""
    rows = [line.rstrip("\n").split("\t") for line in open(labels) if not line.startswith("#")]
    labeled_comments = {(row[0], row[1]) for row in rows}
    bodies = {}
    for project in sorted({row[0] for row in rows}):
        if project == "rust":
            for comment in read_zst(data / "rust-lang__rust/comments.jsonl.zst"):
                if (key := (project, str(comment["id"]))) in labeled_comments:
                    bodies[key] = comment["body"] or ""
        else:
            for issue in read_zst(data / f"duplicates/{project}/corpus.jsonl.zst"):
                for i, comment in enumerate(issue["comments"]):
                    if (key := (project, f"{issue['id']}/{i}")) in labeled_comments:
                        bodies[key] = comment["body"] or ""
    keys = sorted(bodies)
    sentences_by_comment = dict(zip(keys, read_sentences(program, [bodies[key] for key in keys])))
    examples, missing = [], 0
    for project, comment, index, digest, role, batch in rows:
        sentences = sentences_by_comment[project, comment]
        # The index may move when the splitting changes; the digest decides.
        indices = [
            i
            for i, (text, _) in enumerate(sentences)
            if hashlib.sha1(text.encode()).hexdigest()[:10] == digest
        ]
        if not indices:
            missing += 1
            continue
        position = min(indices, key=lambda i: abs(i - int(index)))
        text, features = sentences[position]
        examples.append(
            {"project": project, "role": role, "batch": batch, "text": text, "features": features}
        )
    print(f"{len(examples)} labels, {missing} not found in the data")
    return examples


def load_invented(path, program):
    """Returns the invented sentences of a file with the columns role and text."""
    rows = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("#")]
    examples = []
    for row, sentences in zip(rows, read_sentences(program, [row[-1] for row in rows])):
        for text, features in sentences:
            examples.append(
                {"project": "invented", "role": row[0], "text": text, "features": features}
            )
    return examples


def matrix(examples, vocabulary):
    """Returns the binary sparse matrix of the examples."""
    indptr, indices = [0], []
    for e in examples:
        indices.extend(sorted(vocabulary[f] for f in e["features"] if f in vocabulary))
        indptr.append(len(indices))
    return csr_matrix((np.ones(len(indices)), indices, indptr), (len(examples), len(vocabulary)))


def fit(examples):
    """Returns (vocabulary, classifier).

    One-vs-rest fits with an L1 penalty select the features, and a multinomial fit weights them.
    """
    counts = Counter(f for e in examples for f in e["features"])
    names = sorted(f for f, c in counts.items() if c >= MIN_COUNT)
    vocabulary = {f: i for i, f in enumerate(names)}
    x, y = matrix(examples, vocabulary), np.array([e["role"] for e in examples])
    strength = np.zeros(len(names))
    for role in sorted(set(y)):
        selector = LogisticRegression(
            penalty="l1", solver="liblinear", C=L1_C, random_state=0, max_iter=300
        )
        strength = np.maximum(strength, np.abs(selector.fit(x, y == role).coef_[0]))
    order = sorted(range(len(names)), key=lambda i: (-strength[i], names[i]))
    kept = sorted(names[i] for i in order[:MAX_FEATURES] if strength[i] > 0)
    vocabulary = {f: i for i, f in enumerate(kept)}
    classifier = LogisticRegression(C=L2_C, max_iter=2000, random_state=0)
    classifier.fit(matrix(examples, vocabulary), y)
    return vocabulary, classifier


def predict(model, examples):
    """Returns the probabilities of ROLES for each example."""
    vocabulary, classifier = model
    p = classifier.predict_proba(matrix(examples, vocabulary))
    column = {role: i for i, role in enumerate(classifier.classes_)}
    return np.stack([p[:, column[r]] if r in column else np.zeros(len(p)) for r in ROLES], axis=1)


def predict_shipped(weights, examples):
    """Returns the probabilities from the rounded weights, as the program computes them."""
    out = np.zeros((len(examples), len(ROLES)))
    for row, e in zip(out, examples):
        row += weights["intercepts"]
        for f in e["features"]:
            row += weights["features"].get(f, 0)
        row /= 1000
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()
    return out


def decide(probabilities, thresholds):
    """Returns the most likely role that reaches its threshold, or other."""
    best = [(p, -i) for i, p in enumerate(probabilities) if p >= thresholds[i]]
    return ROLES[-max(best)[1]] if best else "other"


def cross_validate(examples, invented):
    """Returns the probabilities of each example from a model that did not see its project."""
    probabilities = np.zeros((len(examples), len(ROLES)))
    for project in sorted({e["project"] for e in examples}):
        training_examples = [e for e in examples if e["project"] != project] + invented
        indices = [i for i, e in enumerate(examples) if e["project"] == project]
        probabilities[indices] = predict(fit(training_examples), [examples[i] for i in indices])
    return probabilities


def choose_thresholds(examples, probabilities):
    """Returns for each role the lowest threshold that reaches the target precision.

    The thresholds in HELD_OUT_THRESHOLDS are fixed. Rare roles get .5, and roles that never reach it MAX_THRESHOLD.

    Uses only the batches that were drawn at random, because the batches of active learning
    contain too many sentences that are hard to classify.
    """
    random_indices = [i for i, e in enumerate(examples) if e["batch"][-1] in RANDOM_BATCHES]
    truth = np.array([examples[i]["role"] for i in random_indices])
    thresholds = []
    for j, role in enumerate(ROLES[:-1]):
        score = probabilities[random_indices, j]
        threshold = HELD_OUT_THRESHOLDS.get(role)
        if threshold is None and (truth == role).sum() < 20:
            threshold = 0.5
        for t in np.arange(MIN_THRESHOLD, MAX_THRESHOLD, 0.05):
            is_above = score >= t
            if threshold is None and is_above.any():
                if (truth[is_above] == role).mean() >= TARGET_PRECISION.get(role, 0.75):
                    threshold = t
        thresholds.append(round(float(threshold or MAX_THRESHOLD), 2))
    # A sentence that reaches no other threshold is "other", however unlikely that is.
    return thresholds + [0.0]


def print_metrics(title, examples, decisions):
    """Prints precision and recall per role."""
    label_counts = Counter(e["role"] for e in examples)
    decision_counts = Counter(decisions)
    correct_counts = Counter(e["role"] for e, d in zip(examples, decisions) if e["role"] == d)
    print(f"\n{title}\n{'role':17}  labeled  precision        recall")
    for role in ROLES:
        precision = f"{correct_counts[role] / decision_counts[role]:.2f}" if decision_counts[role] else "-"
        recall = f"{correct_counts[role] / label_counts[role]:.2f}" if label_counts[role] else "-"
        counts = f"{precision:>4} ({correct_counts[role]}/{decision_counts[role]})"
        print(f"{role:17} {label_counts[role]:8}  {counts.ljust(17)}{recall}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument(
        "--features",
        type=pathlib.Path,
        default=ROOT / "target/release/examples/role_features",
    )
    parser.add_argument("--errors", metavar="ROLE", help="list the held-out errors of a role")
    args = parser.parse_args()
    examples = load_examples(args.data, HERE / "labels.tsv", args.features)
    invented = load_invented(HERE / "invented.tsv", args.features)
    known = [e for e in examples if e["project"] != HELD_OUT]
    held_out = [e for e in examples if e["project"] == HELD_OUT]
    probabilities = cross_validate(known, invented)
    thresholds = choose_thresholds(known, probabilities)
    random_indices = [i for i, e in enumerate(known) if e["batch"][-1] in RANDOM_BATCHES]
    print_metrics(
        "cross-validation over projects, random batches",
        [known[i] for i in random_indices],
        [decide(probabilities[i], thresholds) for i in random_indices],
    )
    vocabulary, classifier = fit(known + invented)
    column = {role: i for i, role in enumerate(classifier.classes_)}
    order = [column[role] for role in ROLES]
    coefficients = np.rint(classifier.coef_[order] * 1000).astype(int)
    weights = {
        "thresholds": thresholds,
        "intercepts": np.rint(classifier.intercept_[order] * 1000).astype(int).tolist(),
        "synonyms": json.loads((HERE / "synonyms.json").read_text()),
        "features": {name: coefficients[:, i].tolist() for name, i in vocabulary.items()},
    }
    out = ROOT / "crates/text/src/roles.json"
    out.write_text(json.dumps(weights, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(f"\n{len(vocabulary)} features, {out.stat().st_size} bytes, thresholds {thresholds}")
    groups = {
        "held out, stratified sample": [e for e in held_out if e["batch"][-1] in "12"],
        # g5 was read before the last invented sentences were written, g6 only afterward.
        "held out g6, sampled after the last change": [e for e in held_out if e["batch"][-1] == "6"],
        "held out, all": held_out,
    }
    for title, group in groups.items():
        decisions = [decide(row, thresholds) for row in predict_shipped(weights, group)]
        print_metrics(title, group, decisions)
        for e, decision in zip(group, decisions):
            if args.errors in (e["role"], decision) and e["role"] != decision:
                print(f"  {e['role']} as {decision}: {e['text']}")


if __name__ == "__main__":
    main()
