"""Reads duplicate-retrieval sets.

A set is a folder with `corpus.jsonl` (one report per line, oldest first: id, title, body), `qrels.tsv` (query, earlier
duplicate, 1) and `buckets.tsv` (bucket, ids). `corpus.jsonl.zst` must be unpacked first.
"""

import dataclasses
import json
import pathlib
import re

# The lengths to which the product truncates them: about 256 word pieces with the title.
BODY_BYTES = 900
TITLE_BYTES = 200

FENCE = re.compile(r"^\s*(```|~~~).*$|\{(code|noformat|quote|panel)[^}]*\}", re.MULTILINE)
MARKUP = re.compile(r"^\s*(#{1,6}|h[1-6]\.|>+)\s*", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclasses.dataclass
class Report:
    title: str
    body: str

    def text(self) -> str:
        return f"{self.title}\n{self.body}".strip()


@dataclasses.dataclass
class ReportSet:
    name: str
    reports: list[Report]
    # Pairs (later, earlier) in one bucket, as positions in `reports`.
    pairs: list[tuple[int, int]]
    bucket: dict[int, str]
    # The positions of reports by id.
    position: dict[str, int]


def plain_text(body: str) -> str:
    for pattern in (COMMENT, FENCE, MARKUP):
        body = pattern.sub(" ", body)
    return body.strip().encode()[:BODY_BYTES].decode(errors="ignore")


def read(folder: pathlib.Path) -> ReportSet:
    reports, position = [], {}
    with open(folder / "corpus.jsonl", encoding="utf8") as lines:
        for line in lines:
            record = json.loads(line)
            position[record["id"]] = len(reports)
            title = (record["title"] or "").strip().encode()[:TITLE_BYTES].decode(errors="ignore")
            reports.append(Report(title, plain_text(record["body"] or "")))
    bucket = {}
    for line in (folder / "buckets.tsv").read_text().splitlines():
        name, ids = line.split("\t")
        bucket.update((position[i], name) for i in ids.split() if i in position)
    pairs = []
    for line in (folder / "qrels.tsv").read_text().splitlines():
        query, earlier, _ = line.split("\t")
        pairs.append((position[query], position[earlier]))
    return ReportSet(folder.name, reports, pairs, bucket, position)
