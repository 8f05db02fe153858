"""Reads duplicate-retrieval sets and draws training batches from them.

A set is a folder with `corpus.jsonl` (one report a line, oldest first: id, title, body), `qrels.tsv` (query, earlier
duplicate, 1) and `buckets.tsv` (bucket, ids). `corpus.jsonl.zst` has to be unpacked first.
"""

import collections
import dataclasses
import json
import math
import pathlib
import random
import re

# As the product cuts them: about 256 word pieces with the title.
BODY_BYTES = 900
TITLE_BYTES = 200
# Of the reports that BM25 finds for a query, the first few are often duplicates that nobody marked.
HARD_FROM, HARD_TO = 3, 40

FENCE = re.compile(r"^\s*(```|~~~).*$|\{(code|noformat|quote|panel)[^}]*\}", re.MULTILINE)
MARKUP = re.compile(r"^\s*(#{1,6}|h[1-6]\.|>+)\s*", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
WORD = re.compile(r"[a-z0-9_]{2,}")


@dataclasses.dataclass
class Report:
    title: str
    body: str

    def text(self) -> str:
        return f"{self.title}\n{self.body}".strip()


@dataclasses.dataclass
class Set:
    name: str
    reports: list[Report]
    # Pairs (later, earlier) of one bucket, as positions in `reports`.
    pairs: list[tuple[int, int]]
    bucket: dict[int, str]
    # For each query of a pair: reports that share words with it and are not in its bucket.
    hard: dict[int, list[int]]


def plain(body: str) -> str:
    for pattern in (COMMENT, FENCE, MARKUP):
        body = pattern.sub(" ", body)
    return body.strip().encode()[:BODY_BYTES].decode(errors="ignore")


def read(folder: pathlib.Path) -> Set:
    reports, position = [], {}
    with open(folder / "corpus.jsonl", encoding="utf8") as lines:
        for line in lines:
            record = json.loads(line)
            position[record["id"]] = len(reports)
            title = (record["title"] or "").strip().encode()[:TITLE_BYTES].decode(errors="ignore")
            reports.append(Report(title, plain(record["body"] or "")))
    bucket = {}
    for line in (folder / "buckets.tsv").read_text().splitlines():
        name, ids = line.split("\t")
        bucket.update((position[i], name) for i in ids.split() if i in position)
    pairs = []
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, earlier, _ = line.split("\t")
        pairs.append((position[query], position[earlier]))
    hard = hard_negatives(reports, sorted({q for q, _ in pairs}), bucket)
    return Set(folder.name, reports, pairs, bucket, hard)


def hard_negatives(reports, queries, bucket):
    """BM25 (k1 1.2, b 0.75) over title and body; binary query terms."""
    terms = [collections.Counter(WORD.findall(r.text().lower())) for r in reports]
    postings = collections.defaultdict(list)
    lengths = [sum(t.values()) for t in terms]
    average = sum(lengths) / len(lengths)
    for i, counts in enumerate(terms):
        norm = 1.2 * (0.25 + 0.75 * lengths[i] / average)
        for term, n in counts.items():
            postings[term].append((i, n * 2.2 / (n + norm)))
    found = {}
    for query in queries:
        scores = collections.defaultdict(float)
        rare = sorted(terms[query], key=lambda t: (len(postings[t]), t))[:30]
        for term in rare:
            idf = math.log(1 + len(reports) / len(postings[term]))
            if len(postings[term]) * 4 < len(reports):
                for i, weight in postings[term]:
                    scores[i] += idf * weight
        own = bucket.get(query)
        ranked = sorted(scores, key=lambda i: (-scores[i], i))[: HARD_TO + 10]
        ranked = [i for i in ranked if i != query and (own is None or bucket.get(i) != own)]
        found[query] = ranked[HARD_FROM:HARD_TO]
    return found


def view(report: Report, draw: random.Random) -> str:
    """A report as it may be asked for: mostly whole, at times its title or its body alone."""
    chance = draw.random()
    if chance < 0.15 and len(report.title) > 15:
        return report.title
    if chance < 0.25 and len(report.body) > 60:
        return report.body
    return report.text()


def batches(sets: list[Set], duplicates: int, titles: int, seed: int):
    """Endless batches from one set each, sets drawn by the root of their pairs.

    A batch is (anchors, positives, negatives, groups): the first `duplicates` anchors are reports with an earlier
    duplicate and a hard negative each, the others titles with their bodies. Anchors of one group are no negatives of
    each other.
    """
    draw = random.Random(seed)
    weights = [math.sqrt(len(s.pairs)) for s in sets]
    while True:
        one = draw.choices(sets, weights)[0]
        anchors, positives, negatives, groups = [], [], [], []
        for query, earlier in draw.sample(one.pairs, min(duplicates, len(one.pairs))):
            a, b = (query, earlier) if draw.random() < 0.7 else (earlier, query)
            anchors.append(view(one.reports[a], draw))
            positives.append(view(one.reports[b], draw))
            groups.append(one.bucket[query])
            if one.hard[query]:
                negatives.append(one.reports[draw.choice(one.hard[query])].text())
        while len(anchors) < duplicates + titles:
            i = draw.randrange(len(one.reports))
            report = one.reports[i]
            if len(report.title) > 15 and len(report.body) > 80:
                anchors.append(report.title)
                positives.append(report.body)
                groups.append(one.bucket.get(i, f"alone {i}"))
        yield anchors, positives, negatives, groups
