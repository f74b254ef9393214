# SPDX-License-Identifier: Apache-2.0
"""Incremental models: bit-exact results, computed from the new frames of each step.

docs/compiled_and_incremental.md explains how it works.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kws.bundle.checks import STATEFUL_OPS, input_frames, open_model
from kws.convert.incremental.op_rules import treat
from kws.convert.incremental.time_rows import Rows, find_rows
from kws.convert.incremental.window_graph import Op, WindowGraph
from kws.convert.incremental.work import work_of
from kws.convert.incremental.writer import Plan, write_incremental
from kws.convert.model_table import pack, unpack
from kws.errors import ConversionError
from kws.features.frontend_settings import FrontendSettings

_WORTH = 0.9
"""Largest share of the whole model's work at which an incremental model is worthwhile."""


@dataclass(frozen=True)
class IncrementalModel:
    """A model that computes only the new rows in each step."""

    model: bytes
    """The .tflite file. Its input is the new frames of a step; its output is the whole model's."""

    step: int
    """New frames per call."""

    share: float
    """Estimated work, as a share of the whole model's."""

    whole_from: str
    """The first operator that sees the whole window, and the reason; empty if none does."""

    def __str__(self) -> str:
        """One line for the user."""
        end = f"; {self.whole_from}" if self.whole_from else ""
        frames = "frame" if self.step == 1 else "frames"
        return (
            f"incremental: {self.step} new {frames}, {self.share:.0%} of the work (estimated){end}"
        )


def make_incremental(model: bytes, step: int) -> IncrementalModel:
    """The incremental model of an int8 model.

    Args:
        model: a .tflite file whose input is a window of frames.
        step: frames by which the window moves from one inference to the next.

    Raises:
        ModelError: the file is damaged, or kws cannot run its model.
        ConversionError: the model streams already, is not int8, or would not gain.
        ToolError: TensorFlow is not installed.
    """
    best = min(candidates(model, step), key=lambda candidate: candidate.share)
    if best.share > _WORTH:
        raise ConversionError(
            f"an incremental model for steps of {step} saves too little: it needs {best.share:.0%} "
            f"of the work; {best.whole_from or 'copying costs as much as it saves'}"
        )
    return IncrementalModel(pack(best.table), step, best.share, best.whole_from)


@dataclass(frozen=True)
class Candidate:
    """A model whose operators are incremental up to a certain one."""

    table: Any
    """The schema's ModelT."""

    share: float
    whole_from: str


def candidates(model: bytes, step: int) -> Iterator[Candidate]:
    """Models that are incremental up to the first operator, the second, and so on.

    Continuing beyond an operator may cost more copies than it saves. Arguments and errors as in
    `make_incremental`.
    """
    _check_model(model)
    graph = WindowGraph(unpack(model))
    rows = _input_rows(graph, step)
    whole = max(work_of(graph), 1)
    stops = _plan(graph, rows, len(graph.ops))[1]
    for end in range(1, max(len(graph.ops), 1) + 1):
        table = write_incremental(graph, _plan(graph, rows, end)[0])
        yield Candidate(table, work_of(WindowGraph(table)) / whole, stops[0] if stops else "")


def _check_model(model: bytes) -> None:
    interpreter = open_model(model)
    kept = STATEFUL_OPS & set(interpreter.ops)
    if kept:
        raise ConversionError(
            f"the model already keeps state between calls ({', '.join(sorted(kept))}), so it "
            "cannot be made incremental"
        )
    if len(interpreter.inputs) != 1 or interpreter.inputs[0].dtype != "int8":
        kinds = ", ".join(tensor.dtype for tensor in interpreter.inputs)
        raise ConversionError(
            f"the model's input is {kinds}; an incremental model needs one int8 input, so convert "
            "it with full integer quantization"
        )


def _input_rows(graph: WindowGraph, step: int) -> Rows:
    shape = graph.shape(graph.inputs[0])
    first = next((size for size in shape if size != 1), 1)
    # A flat input is the pipeline's spectrogram; otherwise the first dimension has the frames.
    flat = math.prod(shape) == first
    count = input_frames(shape) if flat and first % FrontendSettings().channels == 0 else first
    rows = find_rows(shape, Rows(count, step, 0, 0, 0))
    if rows is None or not rows.saves:
        raise ConversionError(
            f"a step of {step} replaces all {count} frames of the model's input; use a smaller step"
        )
    return rows


def _plan(graph: WindowGraph, rows: Rows, end: int) -> tuple[Plan, list[str]]:
    """The incremental part of the first `end` operators, and reasons for its limits."""
    plan = Plan({graph.inputs[0]: rows}, {})
    stops = []
    for op in graph.ops[:end]:
        if not any(tensor in plan.rows for tensor in op.inputs):
            continue
        treatment = treat(op, graph, plan.rows)
        if isinstance(treatment, str):
            stops.append(_stop(op, treatment))
            continue
        plan.rows.update(treatment.outputs)
        plan.treatments[op.index] = treatment
    return plan, stops


def _stop(op: Op, reason: str) -> str:
    return f"{op} sees the whole window: {reason}"
