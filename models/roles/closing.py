"""Fits the classifier of closing comments and writes `crates/text/src/closing.json`.

    python closing.py --data DATA [--features PROGRAM]

Learns, from the last comments on closed reports of a tracker that records resolutions (xamarin in DATA), whether a report
was closed without a fix. PROGRAM is the example `role_features` of `crates/text`, as in `fit.py`. Needs scikit-learn and
`zstd`; the result is deterministic.
"""

import argparse
import json
import pathlib
from collections import Counter

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from fit import ROOT, read_sentences, read_zst

DECLINED_RESOLUTIONS = {"INVALID", "NOT_REPRODUCIBLE", "NOT_ON_ROADMAP", "UPSTREAM", "NORESPONSE", "WONTFIX"}
MIN_COUNT = 8
# Chosen on judged closed reports of rust and go; see README.md.
L1_C = 0.1
L2_C = 0.5


def load_examples(data):
    """Returns the last comments of closed reports, and whether each was closed without a fix."""
    texts, labels = [], []
    for report in read_zst(data / "duplicates/xamarin/corpus.jsonl.zst"):
        resolution = report["state"].split()[-1]
        if report["comments"] and (resolution == "FIXED" or resolution in DECLINED_RESOLUTIONS):
            texts.append(report["comments"][-1]["body"] or "")
            labels.append(resolution in DECLINED_RESOLUTIONS)
    return texts, np.array(labels)


def matrix(comments, vocabulary):
    """Returns the binary sparse matrix of the comments' features."""
    indptr, indices = [0], []
    for features in comments:
        indices.extend(sorted(vocabulary[f] for f in features if f in vocabulary))
        indptr.append(len(indices))
    return csr_matrix((np.ones(len(indices)), indices, indptr), shape=(len(comments), len(vocabulary)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--features", default=ROOT / "target/release/examples/role_features")
    args = parser.parse_args()
    texts, labels = load_examples(args.data)
    sentences = read_sentences(args.features, texts)
    comments = [{f for _, features in comment for f in features} for comment in sentences]
    counts = Counter(f for features in comments for f in features)
    names = sorted(f for f, count in counts.items() if count >= MIN_COUNT)
    x = matrix(comments, {name: index for index, name in enumerate(names)})
    selector = LogisticRegression(penalty="l1", C=L1_C, solver="liblinear", class_weight="balanced").fit(x, labels)
    selected = np.flatnonzero(selector.coef_[0])
    model = LogisticRegression(C=L2_C, max_iter=500, class_weight="balanced").fit(x[:, selected], labels)
    weights = {names[index]: round(1000 * w) for index, w in zip(selected, model.coef_[0])}
    out = {"intercept": round(1000 * model.intercept_[0]), "features": weights}
    path = ROOT / "crates/text/src/closing.json"
    path.write_text(json.dumps(out, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(f"{len(texts)} comments, {labels.sum()} without a fix, {len(weights)} features")


if __name__ == "__main__":
    main()
