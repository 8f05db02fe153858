#!/usr/bin/env python3
"""Makes ../builtin from all-MiniLM-L6-v2 and sets of reports with known duplicates, in one go.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt
    .venv/bin/python make.py --sets SETS --evidence evidence.tsv --large all-mpnet-base-v2

SETS is a folder with a folder for each set (data.py). What ships is tuned on all of them but SHIPPED_WITHOUT, which judges it.
For each of the other sets a model is made that never saw that set: work/without-NAME, for `precedent eval SET --model FOLDER`.
What was tuned already, below work/tuned/, is not tuned again.
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
        missing = args.sets / name / "corpus.jsonl"
        if not missing.is_file():
            raise SystemExit(f"{missing} is missing (corpus.jsonl.zst has to be unpacked)")
    train = pathlib.Path(__file__).with_name("train.py")
    for name in [SHIPPED_WITHOUT, *HELD_OUT]:
        tuned = build.WORK / "tuned" / f"without-{name}"
        if not (tuned / "model.safetensors").is_file():
            learnt = ["--sets", args.sets, "--evidence", *args.evidence, "--large", args.large, "--without", name]
            subprocess.run([sys.executable, train, tuned, *learnt], check=True)
        build.make(tuned, build.OUT if name == SHIPPED_WITHOUT else build.WORK / f"without-{name}")


if __name__ == "__main__":
    main()
