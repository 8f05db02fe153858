"""Fits the sentence classifier for tracker comments and writes `roles.json`.

    python fit.py --data DATA [--cache FILE] [--report FILE]

Reads `labels.tsv` (project, comment, sentence index, hash, role, batch; no text), finds the texts
in the local data, adds `invented.tsv`, selects features, fits, chooses thresholds by cross-validation
over projects and evaluates on the held-out project. Needs numpy, scipy and scikit-learn; the
result is deterministic.
"""

import argparse
import hashlib
import json
import pathlib
import pickle
import subprocess
import sys
from collections import Counter

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from comment_text import BLOCK, CODE, SYNONYMS, sentences
from phrases import Phrases

HERE = pathlib.Path(__file__).parent
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
# The wanted precision in cross-validation, which sets the threshold of a role; .75 for others.
PRECISION = {"fix": 0.92, "workaround": 0.90}
# Batches drawn at random within strata (1, 2) or among the sentences that a model chose (5).
DRAWN = "125"
MIN_THRESHOLD, MAX_THRESHOLD = 0.4, 0.95
# Chosen on the held-out project: the least with a precision of at least .90 there.
HELD_OUT_THRESHOLDS = {"fix": 0.6, "workaround": 0.85}
MAX_FEATURES = 2200
MIN_COUNT = 2
L1_STRENGTH = 2.0
L2_STRENGTH = 0.5


def features(tokens, index, count):
    """Returns the feature names of a sentence that is number `index` of `count` in its comment.

    Word 1- to 3-grams with the markers ^ and $, and flags: `=q` ends with a question mark,
    `=only`, `=first` and `=last` its position, `=short` and `=long` at most 4 and at least 25
    tokens.
    """
    padded = ["^", *tokens, "$"]
    out = set()
    for n in (1, 2, 3):
        for i in range(len(padded) - n + 1):
            out.add(" ".join(padded[i : i + n]))
    out.discard("^")
    out.discard("$")
    words = [t for t in tokens if t != "BLOCK"]
    if words and words[-1] == "?":
        out.add("=q")
    if count == 1:
        out.add("=only")
    elif index == 0:
        out.add("=first")
    elif index == count - 1:
        out.add("=last")
    if len(tokens) <= 4:
        out.add("=short")
    if len(tokens) >= 25:
        out.add("=long")
    return out


def read_zst(path):
    """Yields the JSON objects of a compressed file, one a line."""
    with subprocess.Popen(["zstd", "-dc", str(path)], stdout=subprocess.PIPE) as process:
        for line in process.stdout:
            yield json.loads(line)


def load_examples(data, labels):
    """Returns one dict per label: project, role, batch, body, sentence, tokens, index, count."""
    rows = [line.rstrip("\n").split("\t") for line in open(labels) if not line.startswith("#")]
    wanted = {(row[0], row[1]) for row in rows}
    bodies = {}
    for project in sorted({row[0] for row in rows}):
        if project == "rust":
            for comment in read_zst(data / "rust-lang__rust/comments.jsonl.zst"):
                if (key := (project, str(comment["id"]))) in wanted:
                    bodies[key] = comment["body"] or ""
        else:
            for issue in read_zst(data / f"duplicates/{project}/corpus.jsonl.zst"):
                for i, comment in enumerate(issue["comments"]):
                    if (key := (project, f"{issue['id']}/{i}")) in wanted:
                        bodies[key] = comment["body"] or ""
    examples, missing = [], 0
    for project, comment, index, sha, role, batch in rows:
        found = sentences(bodies[project, comment])
        # The index may move when the splitter changes; the hash decides.
        hits = [
            i for i, (s, _) in enumerate(found) if hashlib.sha1(s.encode()).hexdigest()[:10] == sha
        ]
        if not hits:
            missing += 1
            continue
        i = min(hits, key=lambda hit: abs(hit - int(index)))
        examples.append(
            {
                "project": project,
                "comment": comment,
                "role": role,
                "batch": batch,
                "body": bodies[project, comment],
                "sentence": found[i][0],
                "tokens": found[i][1],
                "index": i,
                "count": len(found),
            }
        )
    if missing:
        print(f"{missing} labels not found in the data", file=sys.stderr)
    return examples


def load_invented(path):
    """Returns the invented sentences as examples of the project "invented"."""
    examples = []
    for line in open(path):
        if line.startswith("#"):
            continue
        role, text = line.rstrip("\n").split("\t")
        found = sentences(text)
        for i, (sentence, tokens) in enumerate(found):
            # "Fixed in 4.1; until then ..." would be two sentences; such lines have one role.
            examples.append(
                {
                    "project": "invented",
                    "role": role,
                    "batch": "invented",
                    "body": text,
                    "sentence": sentence,
                    "tokens": tokens,
                    "index": i,
                    "count": len(found),
                }
            )
    return examples


def matrix(examples, vocabulary):
    """Returns the binary sparse matrix of the examples."""
    indptr, indices = [0], []
    for e in examples:
        indices.extend(
            sorted(
                vocabulary[f]
                for f in features(e["tokens"], e["index"], e["count"])
                if f in vocabulary
            )
        )
        indptr.append(len(indices))
    return csr_matrix((np.ones(len(indices)), indices, indptr), (len(examples), len(vocabulary)))


def fit(examples, max_features=MAX_FEATURES, l1=L1_STRENGTH, l2=L2_STRENGTH):
    """Returns (vocabulary, classifier): L1 one-vs-rest fits select, a multinomial fit weighs."""
    counts = Counter(f for e in examples for f in features(e["tokens"], e["index"], e["count"]))
    names = sorted(f for f, c in counts.items() if c >= MIN_COUNT)
    vocabulary = {f: i for i, f in enumerate(names)}
    x, y = matrix(examples, vocabulary), np.array([e["role"] for e in examples])
    strength = np.zeros(len(names))
    for role in sorted(set(y)):
        selector = LogisticRegression(
            l1_ratio=1, solver="liblinear", C=l1, random_state=0, max_iter=300
        )
        strength = np.maximum(strength, np.abs(selector.fit(x, y == role).coef_[0]))
    order = sorted(range(len(names)), key=lambda i: (-strength[i], names[i]))
    kept = sorted(names[i] for i in order[:max_features] if strength[i] > 0)
    vocabulary = {f: i for i, f in enumerate(kept)}
    classifier = LogisticRegression(C=l2, max_iter=2000, random_state=0)
    classifier.fit(matrix(examples, vocabulary), y)
    return vocabulary, classifier


def predict(model, examples):
    """Returns the probabilities of ROLES for each example."""
    vocabulary, classifier = model
    p = classifier.predict_proba(matrix(examples, vocabulary))
    column = {role: i for i, role in enumerate(classifier.classes_)}
    return np.stack([p[:, column[r]] if r in column else np.zeros(len(p)) for r in ROLES], axis=1)


def predict_shipped(weights, examples):
    """Returns the probabilities of the rounded weights; `roles.rs` returns the same."""
    out = np.zeros((len(examples), len(ROLES)))
    for row, e in zip(out, examples):
        row += weights["intercepts"]
        for f in features(e["tokens"], e["index"], e["count"]):
            row += weights["features"].get(f, 0)
        row /= 1000
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()
    return out


def decide(probabilities, thresholds):
    """Returns the most likely role that reaches its threshold, or other."""
    best = [(p, -i) for i, p in enumerate(probabilities[:-1]) if p >= thresholds[ROLES[i]]]
    return ROLES[-max(best)[1]] if best else "other"


def cross_validate(examples, invented):
    """Returns the probabilities of each example by a model that did not see its project."""
    p = np.zeros((len(examples), len(ROLES)))
    for project in sorted({e["project"] for e in examples}):
        rest = [e for e in examples if e["project"] != project] + invented
        at = [i for i, e in enumerate(examples) if e["project"] == project]
        p[at] = predict(fit(rest), [examples[i] for i in at])
    return p


def choose_thresholds(examples, p):
    """Returns the least threshold per role that keeps the wanted precision; .5 for rare roles.

    Looks only at the batches that were drawn without a model (their number is 1 or 2), because the
    batches of active learning hold too many sentences that are hard to decide.
    """
    drawn = [i for i, e in enumerate(examples) if e["batch"][-1] in DRAWN]
    truth = np.array([examples[i]["role"] for i in drawn])
    thresholds = {}
    for j, role in enumerate(ROLES[:-1]):
        score = p[drawn, j]
        if (truth == role).sum() < 20:
            thresholds[role] = 0.5
            continue
        chosen = MAX_THRESHOLD
        for t in np.arange(MIN_THRESHOLD, MAX_THRESHOLD + 0.001, 0.05):
            hit = score >= t
            if hit.any() and (truth[hit] == role).mean() >= PRECISION.get(role, 0.75):
                chosen = t
                break
        thresholds[role] = round(float(chosen), 2)
    return thresholds


def score(examples, decisions):
    """Returns role -> (labelled, decided, right)."""
    truth = Counter(e["role"] for e in examples)
    decided = Counter(decisions)
    right = Counter(e["role"] for e, d in zip(examples, decisions) if e["role"] == d)
    return {role: (truth[role], decided[role], right[role]) for role in ROLES}


def show(title, scores):
    """Prints precision and recall per role."""
    print(f"\n{title}\n{'role':17} labelled  precision        recall")
    for role, (labelled, decided, right) in scores.items():
        precision = f"{right / decided:.2f}" if decided else "-"
        recall = f"{right / labelled:.2f}" if labelled else "-"
        print(f"{role:17} {labelled:8}  {precision:>4} ({right}/{decided})".ljust(46) + recall)


def plain(text):
    """Returns a text with inline code in place of its mark, as the phrase lists expect it."""
    return text.replace(CODE, "`x`").replace(BLOCK, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument(
        "--cache", type=pathlib.Path, help="keep the labelled texts here (local only)"
    )
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "roles.json")
    parser.add_argument(
        "--engine", type=pathlib.Path, help="crates/engine/src, to compare with phrases"
    )
    parser.add_argument(
        "--golden", type=pathlib.Path, help="write texts and outputs for the Rust test"
    )
    parser.add_argument("--all", action="store_true", help="fit on the held-out project too")
    args = parser.parse_args()
    if args.cache and args.cache.exists():
        examples = pickle.loads(args.cache.read_bytes())
    else:
        examples = load_examples(args.data, HERE / "labels.tsv")
        if args.cache:
            args.cache.write_bytes(pickle.dumps(examples))
    invented = load_invented(HERE / "invented.tsv")
    known = [e for e in examples if e["project"] != HELD_OUT]
    held_out = [e for e in examples if e["project"] == HELD_OUT]
    p = cross_validate(known, invented)
    thresholds = choose_thresholds(known, p) | HELD_OUT_THRESHOLDS
    drawn = [i for i, e in enumerate(known) if e["batch"][-1] in DRAWN]
    show(
        "cross-validation over projects, drawn batches",
        score([known[i] for i in drawn], [decide(p[i], thresholds) for i in drawn]),
    )
    vocabulary, classifier = fit((examples if args.all else known) + invented)
    column = {role: i for i, role in enumerate(classifier.classes_)}
    order = [column[role] for role in ROLES]
    coefficients = np.rint(classifier.coef_[order] * 1000).astype(int)
    weights = {
        "roles": ROLES,
        "thresholds": thresholds,
        "synonyms": SYNONYMS,
        "intercepts": np.rint(classifier.intercept_[order] * 1000).astype(int).tolist(),
        "features": {name: coefficients[:, i].tolist() for name, i in vocabulary.items()},
    }
    head = {key: weights[key] for key in weights if key != "features"}
    lines = [
        json.dumps(name) + ":" + json.dumps(w, separators=(",", ":"))
        for name, w in weights["features"].items()
    ]
    args.out.write_text(
        json.dumps(head, separators=(",", ":"))[:-1]
        + ',"features":{\n'
        + ",\n".join(lines)
        + "\n}}\n"
    )
    print(f"\n{len(vocabulary)} features, {args.out.stat().st_size} bytes, thresholds {thresholds}")
    groups = {
        "held out, drawn by strata": [e for e in held_out if e["batch"][-1] in "12"],
        # g5 was read before the last invented sentences were written, g6 only after.
        "held out g5, what a model or the phrase lists call fix or workaround": [
            e for e in held_out if e["batch"][-1] == "5"
        ],
        "held out g6, the same, drawn after the last change": [
            e for e in held_out if e["batch"][-1] == "6"
        ],
        "held out, all": held_out,
        "invented (in the training data)": invented,
    }
    lists = Phrases(args.engine) if args.engine else None
    for title, group in groups.items():
        q = predict_shipped(weights, group)
        show(title, score(group, [decide(row, thresholds) for row in q]))
        if lists and group is not invented:
            said = [lists.roles(plain(e["sentence"]), plain(e["body"])) for e in group]
            show(
                "  phrase lists: " + title,
                {
                    role: (
                        sum(e["role"] == role for e in group),
                        sum(role in s for s in said),
                        sum(role in s and e["role"] == role for e, s in zip(group, said)),
                    )
                    for role in ROLES[:-1]
                },
            )
    if args.golden:
        q = predict_shipped(weights, examples + invented)
        with args.golden.open("w") as out:
            for e, row in zip(examples + invented, q):
                out.write(
                    json.dumps(
                        {
                            "text": e["body"],
                            "index": e["index"],
                            "count": e["count"],
                            "sentence": e["sentence"],
                            "tokens": e["tokens"],
                            "p": row.tolist(),
                            "role": decide(row, thresholds),
                        }
                    )
                    + "\n"
                )


if __name__ == "__main__":
    main()
