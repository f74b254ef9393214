# SPDX-License-Identifier: Apache-2.0
"""Estimates the work of a model from its graph."""

from __future__ import annotations

import math

from kws.convert.incremental.window_graph import Op, WindowGraph

_COPIED_BYTE = 0.4
"""Cost of a copied byte in multiply-adds (measured on an emulated Cortex-M4)."""

_COPIES = {"READ_VARIABLE", "CONCATENATION", "SLICE", "STRIDED_SLICE", "PAD", "PADV2", "TRANSPOSE"}
_NOTHING = {"VAR_HANDLE", "RESHAPE", "SQUEEZE", "EXPAND_DIMS"}


def work_of(graph: WindowGraph) -> float:
    """Multiply-adds per call; other work counts in proportion."""
    return sum(_work(op, graph) for op in graph.ops)


def _work(op: Op, graph: WindowGraph) -> float:
    if op.name in _NOTHING:
        return 0
    if op.name == "ASSIGN_VARIABLE":
        return math.prod(graph.shape(op.inputs[1])) * _COPIED_BYTE
    outputs = sum(math.prod(graph.shape(tensor)) for tensor in op.outputs)
    if op.name in _COPIES:
        return outputs * _COPIED_BYTE
    if op.name in {"CONV_2D", "FULLY_CONNECTED"}:
        return outputs * math.prod(graph.shape(op.inputs[1])[1:])
    if op.name == "DEPTHWISE_CONV_2D":
        return outputs * math.prod(graph.shape(op.inputs[1])[1:3])
    return max(outputs, *(math.prod(graph.shape(tensor)) for tensor in op.inputs))
