# SPDX-License-Identifier: Apache-2.0
"""Rules for the operators' use of rows over time.

An operator processes rows one by one, or slides a window over them. Any other operator sees the
whole window, and ends the incremental part of a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kws.convert.incremental.time_rows import Rows, Slide, find_rows, row_elements
from kws.convert.incremental.window_graph import Op, WindowGraph

_SAME = 0  # of the schema's Padding

_MAPS = {"RELU", "RELU6", "HARD_SWISH", "LEAKY_RELU", "LOGISTIC", "TANH", "QUANTIZE", "DEQUANTIZE"}
_BROADCASTS = {"ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"}
_SHAPES = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS"}
"""Ops that only change the shape."""


@dataclass(frozen=True)
class Treatment:
    """An operator's mapping of input rows to output rows."""

    outputs: dict[int, Rows]
    slide: Slide | None = None
    """None: row by row."""

    pads: tuple[tuple[int, int], ...] = ()
    """Padding of each dimension except time, for a sliding window."""


def treat(op: Op, graph: WindowGraph, rows: Mapping[int, Rows]) -> Treatment | str:
    """An operator's treatment of time, or the reason why it sees the whole window.

    Args:
        op: an operator with an input over time.
        graph: its graph.
        rows: rows of all tensors over time.
    """
    timed = [tensor for tensor in op.inputs if tensor in rows]
    for tensor in op.inputs:
        if tensor not in rows and not graph.is_constant(tensor):
            return "it takes a value of the whole window"
    data = op.inputs[1 if op.name == "SPLIT" else 0]
    if op.name not in _BROADCASTS | {"CONCATENATION"} and timed != [data]:
        return "its parameters change over time"
    first = rows[timed[0]]
    if op.name in {"CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D"}:
        treatment = _sliding(op, graph, first)
    elif op.name in {"PAD", "PADV2"}:
        treatment = _padding(op, graph, first)
    else:
        treatment = _row_by_row(op, graph, rows, timed)
    if not isinstance(treatment, str):
        for output in treatment.outputs.values():
            if not output.saves:
                return (
                    f"padding changes {output.head + output.tail} of its {output.count} rows in "
                    "each step"
                )
    return treatment


def _sliding(op: Op, graph: WindowGraph, rows: Rows) -> Treatment | str:
    source, target = graph.shape(op.inputs[0]), graph.shape(op.outputs[0])
    if rows.axis != 1 or rows.elements != 1:
        return "time is not the height of its image"
    options = op.options
    if op.name.endswith("POOL_2D"):
        size, width = options.filterHeight, options.filterWidth
    else:
        taps = graph.shape(op.inputs[1])
        size = (taps[1] - 1) * options.dilationHFactor + 1
        width = (taps[2] - 1) * options.dilationWFactor + 1
    same = options.padding == _SAME
    before = _same_pad(source[1], target[1], size, options.strideH)[0] if same else 0
    sides = _same_pad(source[2], target[2], width, options.strideW) if same else (0, 0)
    if size == 1 and options.strideH == 1:
        like = find_rows(target, rows)
        return (
            "its output has no rows over time" if like is None else Treatment({op.outputs[0]: like})
        )
    if size >= source[1]:
        return "its window has all rows"
    slide = Slide(size, options.strideH, before, source[1], target[1])
    output = slide.output(rows)
    if isinstance(output, str):
        return output
    overlaps = size > options.strideH or source[1] % options.strideH or rows.head or rows.tail
    if op.name.endswith("POOL_2D") and same and overlaps:
        # A pool ignores padding, which PAD cannot express.
        return "its padding over time differs for parts of the window"
    return Treatment({op.outputs[0]: output}, slide, ((0, 0), sides, (0, 0)))


def _padding(op: Op, graph: WindowGraph, rows: Rows) -> Treatment | str:
    pads = [(int(a), int(b)) for a, b in graph.values(op.inputs[1]).reshape(-1, 2)]
    if any(pad != (0, 0) for pad in pads[: rows.axis]):
        return "it pads a dimension before time"
    before, behind = pads[rows.axis]
    if rows.elements != 1 and (before, behind) != (0, 0):
        return "it pads rows that are flattened"
    slide = Slide(1, 1, before, rows.count, rows.count + before + behind)
    output = slide.output(rows)
    if isinstance(output, str):
        return output
    output = Rows(
        output.count, output.step, output.head, output.tail, rows.axis, elements=rows.elements
    )
    others = tuple(pad for i, pad in enumerate(pads) if i != rows.axis)
    return Treatment({op.outputs[0]: output}, slide, others)


def _row_by_row(
    op: Op, graph: WindowGraph, rows: Mapping[int, Rows], timed: list[int]
) -> Treatment | str:
    first = rows[timed[0]]
    shape = graph.shape(timed[0])
    places = {(rows[t].axis, rows[t].elements, rows[t].count, rows[t].step) for t in timed}
    if len(places) > 1:
        return "its inputs have different rows over time"
    joined = Rows(
        first.count,
        first.step,
        max(rows[t].head for t in timed),
        max(rows[t].tail for t in timed),
        first.axis,
        first.elements,
    )
    if not _keeps_rows(op, graph, joined, shape):
        return "it mixes all rows"
    outputs = {}
    for tensor in op.outputs:
        output = find_rows(graph.shape(tensor), joined)
        if output is None:
            return "its output has no rows over time"
        outputs[tensor] = output
    return Treatment(outputs)


def _keeps_rows(op: Op, graph: WindowGraph, rows: Rows, shape: list[int]) -> bool:
    """Whether each output row depends only on the same row of the inputs."""
    if op.name in _MAPS or op.name in _SHAPES:
        keeps = True
    elif op.name in _BROADCASTS:
        rank = len(graph.shape(op.outputs[0]))
        keeps = all(
            _size_at(graph.shape(tensor), rows.axis, rank) == 1
            if graph.is_constant(tensor)
            else len(graph.shape(tensor)) == rank
            for tensor in op.inputs
        )
    elif op.name == "FULLY_CONNECTED":
        keeps = row_elements(shape, rows) % graph.shape(op.inputs[1])[1] == 0
    elif op.name == "SOFTMAX":
        keeps = rows.axis < len(shape) - 1
    elif op.name == "TRANSPOSE":
        order = [int(i) for i in graph.values(op.inputs[1])]
        keeps = order[: rows.axis + 1] == list(range(rows.axis + 1))
    else:
        axes = _axes(op, graph)
        mixed = {axis % len(shape) for axis in axes}
        keeps = bool(axes) and rows.elements == 1 and rows.axis not in mixed
    return keeps


def _axes(op: Op, graph: WindowGraph) -> list[int]:
    """The dimensions that an operator works along; empty for other operators."""
    if op.name == "CONCATENATION":
        constants = any(graph.is_constant(tensor) for tensor in op.inputs)
        return [] if constants else [int(op.options.axis)]
    place = {"SPLIT": 0, "SPLIT_V": 2, "MEAN": 1, "SUM": 1}.get(op.name)
    return [] if place is None else [int(axis) for axis in graph.values(op.inputs[place])]


def _size_at(shape: list[int], axis: int, rank: int) -> int:
    """The size of a broadcast tensor along a dimension of the output."""
    place = axis - (rank - len(shape))
    return shape[place] if place >= 0 else 1


def _same_pad(size: int, out: int, window: int, stride: int) -> tuple[int, int]:
    """Rows or columns of TFLite's SAME padding before and after."""
    total = max((out - 1) * stride + window - size, 0)
    return total // 2, total - total // 2
