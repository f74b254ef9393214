# SPDX-License-Identifier: Apache-2.0
"""Writes an incremental model, given the rows that each operator computes per step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kws.convert.incremental.edge_rows import Call, filter_calls
from kws.convert.incremental.graph import IncrementalGraph
from kws.convert.incremental.op_rules import Treatment
from kws.convert.incremental.time_rows import Rows, Slide, parts, with_rows
from kws.convert.incremental.window_graph import Op, WindowGraph

_VALID = 1  # of the schema's Padding


@dataclass(frozen=True)
class Plan:
    """The incremental part of a model."""

    rows: dict[int, Rows]
    """Tensors that are computed in part."""

    treatments: dict[int, Treatment]
    """Operators that compute them, by index."""


def write_incremental(graph: WindowGraph, plan: Plan) -> Any:
    """The schema's ModelT of the incremental model."""
    return _Writer(graph, plan).write()


@dataclass
class _Timed:
    """A tensor of the whole model in the incremental one."""

    rows: Rows
    needed: list[tuple[int, int]] = field(default_factory=list)
    """Start and stop of all rows that operators read, unless they read exactly the fresh ones."""

    fresh: list[int] = field(default_factory=list)
    """The fresh rows: one tensor, or one for the head and one for the end."""

    ready: dict[tuple[int, int], int] = field(default_factory=dict)
    """Tensors of needed rows."""


class _Writer:
    def __init__(self, graph: WindowGraph, plan: Plan) -> None:
        self._graph = graph
        self._plan = plan
        self._written = IncrementalGraph(graph)
        self._timed = {tensor: _Timed(rows) for tensor, rows in plan.rows.items()}

    def write(self) -> Any:
        for op in self._graph.ops:
            self._note_needs(op)
        for output in self._graph.outputs:
            self._need_window(output)
        inputs = [self._input(tensor) for tensor in self._graph.inputs]
        for op in self._graph.ops:
            treatment = self._plan.treatments.get(op.index)
            if treatment is None:
                self._whole(op)
            elif treatment.slide is None:
                self._row_by_row(op, treatment)
            else:
                self._slide(op, treatment, treatment.slide)
        return self._written.build(inputs, [self._window(tensor) for tensor in self._graph.outputs])

    # Needed rows of each tensor.

    def _note_needs(self, op: Op) -> None:
        treatment = self._plan.treatments.get(op.index)
        for tensor in op.inputs:
            if tensor not in self._timed:
                continue
            if treatment is None:
                self._need_window(tensor)
                continue
            needed = self._timed[tensor].needed
            output = next(iter(treatment.outputs.values()))
            if treatment.slide is not None:
                calls = filter_calls(op, self._graph, treatment, treatment.slide)
                spans = [call.span for part in calls for call in part]
                needed += [(span.start, span.stop) for span in spans]
            elif not _same_rows(self._timed[tensor].rows, output):
                needed += parts(output)

    def _need_window(self, tensor: int) -> None:
        if tensor in self._timed:
            self._timed[tensor].needed.append((0, self._timed[tensor].rows.count))

    # Rows of a tensor.

    def _input(self, tensor: int) -> int:
        timed = self._timed[tensor]
        shape = with_rows(self._graph.shape(tensor), timed.rows, timed.rows.fresh)
        source = self._written.tensor(tensor, shape, self._graph.tensors[tensor].name)
        self._computed(tensor, [source])
        return source

    def _computed(self, tensor: int, fresh: list[int]) -> None:
        """Join the fresh rows with the kept ones, and cut the rows that operators need."""
        timed = self._timed[tensor]
        rows = timed.rows
        timed.fresh = fresh
        needed = dict.fromkeys(timed.needed)
        older = [
            (start, stop)
            for start, stop in needed
            if max(start, rows.head) < min(stop, rows.first_new)
        ]
        for start, stop in needed:
            if (start, stop) not in older:
                timed.ready[start, stop] = self._fresh_rows(tensor, start, stop)
        if older:
            self._with_kept_rows(tensor, older)

    def _with_kept_rows(self, tensor: int, needed: list[tuple[int, int]]) -> None:
        timed = self._timed[tensor]
        rows = timed.rows
        start = min(start for start, _ in needed)
        stop = max(rows.count - rows.tail, *(stop for _, stop in needed))
        first_kept = max(start, rows.head)
        kept = rows.first_new - first_kept
        shape = with_rows(self._graph.shape(tensor), rows, kept)
        newest = self._fresh_rows(tensor, rows.first_new, stop)
        oldest = [self._fresh_rows(tensor, start, rows.head)] if start < rows.head else []
        # Not copied, because it is read directly before the join and assigned after the cut.
        handle, held = self._written.variable(tensor, shape)
        in_order = [*oldest, held, newest]
        joined = self._written.join(tensor, in_order, rows.axis)
        for first, behind in needed:
            timed.ready[first, behind] = self._cut(tensor, joined, first - start, behind - start)
        next_kept = first_kept + rows.step - start
        self._written.assign(handle, self._cut(tensor, joined, next_kept, next_kept + kept))

    def _fresh_rows(self, tensor: int, start: int, stop: int) -> int:
        """Rows of the window that are all in the head, or all among new rows and tail."""
        timed = self._timed[tensor]
        rows = timed.rows
        at_end = start >= rows.first_new
        place = start - (rows.first_new if at_end else 0)
        if len(timed.fresh) > 1:
            source = timed.fresh[at_end]
        else:
            source = timed.fresh[0]
            place += rows.head if at_end else 0
        return self._cut(tensor, source, place, place + stop - start)

    def _all_fresh(self, tensor: int) -> int:
        timed = self._timed[tensor]
        if len(timed.fresh) > 1:
            timed.fresh = [self._written.join(tensor, timed.fresh, timed.rows.axis)]
        return timed.fresh[0]

    def _cut(self, tensor: int, source: int, start: int, stop: int) -> int:
        rows = self._timed[tensor].rows
        return self._written.cut(
            tensor, source, rows.axis, start * rows.elements, stop * rows.elements
        )

    def _window(self, tensor: int) -> int:
        """A tensor with all rows of the window."""
        timed = self._timed.get(tensor)
        return self._written.original(tensor) if timed is None else timed.ready[0, timed.rows.count]

    # Operators.

    def _whole(self, op: Op) -> None:
        inputs = [int(i) if i < 0 else self._window(int(i)) for i in op.table.inputs]
        self._written.copy_op(op, inputs, [self._written.original(tensor) for tensor in op.outputs])

    def _slide(self, op: Op, treatment: Treatment, slide: Slide) -> None:
        (target, rows), source = next(iter(treatment.outputs.items())), op.inputs[0]
        fresh = []
        for calls in filter_calls(op, self._graph, treatment, slide):
            made = []
            for call in calls:
                x = self._timed[source].ready[call.span.start, call.span.stop]
                shape = with_rows(self._graph.shape(target), rows, call.stop - call.start)
                made.append(self._written.tensor(target, shape))
                self._call(op, treatment, call, x, made[-1])
            fresh.append(self._written.join(target, made, rows.axis))
        self._computed(target, fresh)

    def _call(self, op: Op, treatment: Treatment, call: Call, x: int, y: int) -> None:
        source, span = op.inputs[0], call.span
        pads = list(treatment.pads)
        pads.insert(self._timed[source].rows.axis, (span.before, span.behind))
        others = [i if i < 0 else self._written.original(int(i)) for i in op.table.inputs[1:]]
        if op.name in {"PAD", "PADV2"}:
            others[0] = self._written.numbers([number for pad in pads for number in pad], columns=2)
            self._written.copy_op(op, [x, *others], [y])
        elif op.name in {"AVERAGE_POOL_2D", "MAX_POOL_2D"}:
            self._written.copy_op(op, [x, *others], [y])
        elif call.is_row and op.options.dilationHFactor == 1:
            # With all its rows as the stride, SAME padding adds none in time, and the same columns
            # at the sides as in the whole model.
            taps = self._graph.shape(op.inputs[1])[1]
            others[0] = self._written.cut_constant(op.inputs[1], span.before, taps - span.behind)
            self._written.copy_op(op, [x, *others], [y], strideH=span.stop - span.start)
        else:
            padded = self._written.pad(source, x, pads)
            self._written.copy_op(op, [padded, *others], [y], padding=_VALID)

    def _row_by_row(self, op: Op, treatment: Treatment) -> None:
        output = next(iter(treatment.outputs.values()))
        inputs = []
        for tensor in op.table.inputs:
            timed = self._timed.get(int(tensor))
            if tensor < 0 or timed is None:
                inputs.append(int(tensor) if tensor < 0 else self._written.original(int(tensor)))
            elif _same_rows(timed.rows, output):
                inputs.append(self._all_fresh(int(tensor)))
            else:
                cut = [timed.ready[part] for part in parts(output)]
                inputs.append(self._written.join(int(tensor), cut, timed.rows.axis))
        outputs = [
            self._written.tensor(tensor, with_rows(self._graph.shape(tensor), rows, rows.fresh))
            for tensor, rows in treatment.outputs.items()
        ]
        options: Mapping[str, Any] = {}
        if op.name == "RESHAPE":
            shape = self._written.shape(outputs[0])
            inputs = [inputs[0], self._written.numbers(shape)]
            options = {"newShape": shape}
        self._written.copy_op(op, inputs, outputs, **options)
        for tensor, made in zip(treatment.outputs, outputs, strict=True):
            self._computed(tensor, [made])


def _same_rows(a: Rows, b: Rows) -> bool:
    return (a.head, a.tail) == (b.head, b.tail)
