#!/usr/bin/env python3
"""Makes ../builtin from all-MiniLM-L6-v2 and sets of reports with known duplicates, in one run.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python make.py --sets SETS --evidence evidence.tsv --large all-mpnet-base-v2

SETS is a folder with one folder per set (data.py). The shipped model is tuned on all sets except SHIPPED_WITHOUT, which evaluates it.
For each of the other sets, a model is made that never saw that set: work/without-NAME, for `precedent eval SET --model FOLDER`.
Models that are already in work/tuned/ are not tuned again.
"""

import argparse
import pathlib
import subprocess
import sys

import build

SHIPPED_WITHOUT = "hadoop"
HELD_OUT = ["rust", "titanium", "xamarin"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=pathlib.Path, required=True)
    parser.add_argument("--evidence", type=pathlib.Path, required=True, nargs="+")
    parser.add_argument("--large", type=pathlib.Path, required=True)
    args = parser.parse_args()
    for name in [SHIPPED_WITHOUT, *HELD_OUT]:
        corpus = args.sets / name / "corpus.jsonl"
        if not corpus.is_file():
            raise SystemExit(f"{corpus} is missing; unpack corpus.jsonl.zst")
    train = pathlib.Path(__file__).with_name("train.py")
    for name in [SHIPPED_WITHOUT, *HELD_OUT]:
        tuned = build.WORK / "tuned" / f"without-{name}"
        if not (tuned / "model.safetensors").is_file():
            train_args = ["--sets", args.sets, "--evidence", *args.evidence, "--large", args.large, "--without", name]
            subprocess.run([sys.executable, train, tuned, *train_args], check=True)
        build.make(tuned, build.OUT if name == SHIPPED_WITHOUT else build.WORK / f"without-{name}")


if __name__ == "__main__":
    main()
