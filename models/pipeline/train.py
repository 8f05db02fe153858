#!/usr/bin/env python3
"""Tunes all-MiniLM-L6-v2 for finding duplicate reports, by contrast (InfoNCE with in-batch and BM25 negatives).

    .venv/bin/python train.py work/tuned/NAME SET…

Resumes from its last checkpoint. A core that knows bfloat16 (AVX512_BF16) needs about four seconds a step, others twice as
many, and a third less where glibc keeps its memory: MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=8589934592.
"""

import argparse
import pathlib
import time

import torch
from transformers import AutoModel, AutoTokenizer

import data
from build import source_folder

DUPLICATES, TITLES = 24, 24
# InfoNCE (van den Oord et al. 2018, arXiv 1807.03748) with the temperature that sentence encoders use.
TEMPERATURE = 0.05
RATE = 5e-5
WARM_UP = 0.1
# Meaning sits in the upper layers; what is frozen cannot forget.
FROZEN_LAYERS = 2
TOKENS = 120


def encode(model, tokenizer, texts):
    """Unit vectors by mean pooling. Sorted by length in slices: padding is most of the work otherwise."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    rows = [None] * len(texts)
    for start in range(0, len(order), 16):
        part = order[start : start + 16]
        batch = tokenizer([texts[i] for i in part], padding=True, truncation=True, max_length=TOKENS, return_tensors="pt")
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=torch.cpu._is_avx512_bf16_supported()):
            hidden = model(**batch).last_hidden_state.float()
        mask = batch["attention_mask"].unsqueeze(-1).float()
        mean = (hidden * mask).sum(1) / mask.sum(1)
        for row, i in zip(torch.nn.functional.normalize(mean, dim=-1), part):
            rows[i] = row
    return torch.stack(rows)


def loss_of(model, tokenizer, batch):
    anchors, positives, negatives, groups = batch
    vectors = encode(model, tokenizer, anchors + positives + negatives)
    n = len(anchors)
    a, p, h = vectors[:n], vectors[n : 2 * n], vectors[2 * n :]
    same = torch.tensor([[g == o for o in groups] for g in groups])
    own = torch.eye(n, dtype=torch.bool)
    forth = (a @ p.T / TEMPERATURE).masked_fill(same & ~own, -1e4)
    back = (p @ a.T / TEMPERATURE).masked_fill(same & ~own, -1e4)
    forth = torch.cat([forth, a @ h.T / TEMPERATURE], 1)
    target = torch.arange(n)
    cross = torch.nn.functional.cross_entropy
    return (cross(forth, target) + cross(back, target)) / 2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("sets", type=pathlib.Path, nargs="+")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    checkpoint = args.out / "checkpoint.pt"
    if (args.out / "model.safetensors").exists():
        print("already there:", args.out)
        return

    torch.manual_seed(args.seed)
    tokenizer = AutoTokenizer.from_pretrained(source_folder())
    model = AutoModel.from_pretrained(source_folder()).train()
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            # Drawing the masks would cost a tenth of the time; the batches vary enough.
            module.p = 0.0
    for part in [model.embeddings, *model.encoder.layer[:FROZEN_LAYERS]]:
        part.requires_grad_(False)
    learnt = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01)
    warm = max(1, int(args.steps * WARM_UP))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda s: min((s + 1) / warm, max(0.0, (args.steps - s) / (args.steps - warm)))
    )
    done = 0
    if checkpoint.exists():
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        done = state["step"]
    sets = [data.read(folder) for folder in args.sets]
    print({s.name: (len(s.reports), len(s.pairs)) for s in sets}, "from step", done, flush=True)
    source = data.batches(sets, DUPLICATES, TITLES, args.seed + done)
    mean, start = 0.0, time.time()
    for step in range(done + 1, args.steps + 1):
        loss = loss_of(model, tokenizer, next(source))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(learnt, 1.0)
        optimiser.step()
        schedule.step()
        mean = loss.item() if mean == 0 else 0.95 * mean + 0.05 * loss.item()
        if step % 20 == 0:
            print(f"step {step} loss {mean:.4f} {(time.time() - start) / (step - done):.2f} s a step", flush=True)
        if step % 50 == 0:
            part = checkpoint.with_suffix(".part")
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimiser": optimiser.state_dict(),
                    "schedule": schedule.state_dict(),
                    "step": step,
                },
                part,
            )
            part.rename(checkpoint)
    model.eval().save_pretrained(args.out)
    tokenizer.save_pretrained(args.out)
    checkpoint.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
