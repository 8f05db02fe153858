#!/usr/bin/env python3
"""Makes ../builtin from all-MiniLM-L6-v2 and sets of reports with known duplicates, in one go.

    python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && .venv/bin/python make.py SETS

SETS is a folder with a folder for each set (see data.py). The model is tuned on each of TUNED_ON by itself and the weights are
averaged: a model soup (Wortsman et al. 2022, arXiv 2203.05482). So each set can be judged with the model of the other one, and a
third with what is shipped. What was tuned already, below work/, is not tuned again, and `train.py` goes on from its last checkpoint.
Two cores take an hour or two.
"""

import argparse
import pathlib
import subprocess
import sys

import torch
from transformers import AutoModel

import build

TUNED_ON = ["rust", "titanium"]


def average(folders: list[pathlib.Path], out: pathlib.Path) -> None:
    models = [AutoModel.from_pretrained(folder) for folder in folders]
    states = [model.state_dict() for model in models]
    mean = {
        name: torch.stack([s[name].double() for s in states]).mean(0).to(value.dtype) if value.is_floating_point() else value
        for name, value in states[0].items()
    }
    models[0].load_state_dict(mean)
    models[0].save_pretrained(out)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", type=pathlib.Path, help="the folder with the sets' folders")
    args = parser.parse_args()
    missing = [name for name in TUNED_ON if not (args.sets / name / "corpus.jsonl").is_file()]
    if missing:
        raise SystemExit(f"{args.sets} has no corpus.jsonl (unpacked) of: {', '.join(missing)}")
    tuned = [build.WORK / "tuned" / name for name in TUNED_ON]
    for name, out in zip(TUNED_ON, tuned):
        train = pathlib.Path(__file__).with_name("train.py")
        subprocess.run([sys.executable, train, out, args.sets / name], check=True)
    soup = build.WORK / "tuned" / "all"
    average(tuned, soup)
    build.make(soup, build.OUT)


if __name__ == "__main__":
    main()
