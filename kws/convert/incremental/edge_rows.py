# SPDX-License-Identifier: Apache-2.0
"""Divides the rows that a filter computes in a step into calls.

A filter runs on the head and on the end, with padding around them. A row that sees padding can also
be computed separately, by a shorter filter without the taps in the padding: this saves their
products but needs flash for the shorter filter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kws.convert.incremental.op_rules import Treatment
from kws.convert.incremental.time_rows import Slide, Span, parts
from kws.convert.incremental.window_graph import Op, WindowGraph

_SAME = 0  # of the schema's Padding

_PRODUCTS_PER_BYTE = 8
"""Multiply-adds per step that a byte of flash must save."""


@dataclass(frozen=True)
class Call:
    """Output rows that one call computes."""

    start: int
    stop: int
    span: Span
    """The input's rows, and the padding around them."""

    @property
    def is_row(self) -> bool:
        """Whether it is a single row computed from exactly the filter's rows."""
        return self.stop - self.start == 1


def filter_calls(
    op: Op, graph: WindowGraph, treatment: Treatment, slide: Slide
) -> list[list[Call]]:
    """The calls for the head, if there is one, and for the end."""
    output = next(iter(treatment.outputs.values()))
    cut = _cuts_filters(op, graph, treatment, slide)
    return [_calls(slide, start, stop, cut=cut) for start, stop in parts(output)]


def _calls(slide: Slide, start: int, stop: int, *, cut: bool) -> list[Call]:
    if not cut:
        return [Call(start, stop, slide.span(start, stop))]
    calls: list[Call] = []
    for row in range(start, stop):
        span = slide.span(row, row + 1)
        last = calls[-1] if calls else None
        if _is_padded(span) or last is None or _is_padded(last.span):
            calls.append(Call(row, row + 1, span))
        else:
            calls[-1] = Call(last.start, row + 1, slide.span(last.start, row + 1))
    return calls


def _is_padded(span: Span) -> bool:
    return span.before > 0 or span.behind > 0


def _cuts_filters(op: Op, graph: WindowGraph, treatment: Treatment, slide: Slide) -> bool:
    """Whether shorter filters save enough."""
    if op.name not in {"CONV_2D", "DEPTHWISE_CONV_2D"}:
        return False
    if op.options.padding != _SAME or op.options.dilationHFactor != 1:
        return False
    (target, output), taps = next(iter(treatment.outputs.items())), graph.shape(op.inputs[1])
    products = math.prod(graph.shape(target)[2:]) * taps[2]  # of a row of taps, in a row of outputs
    if op.name == "CONV_2D":
        products *= taps[3]
    tap_row = math.prod(taps) // taps[1]  # bytes
    saved = flash = 0
    for part in parts(output):
        for row in range(*part):
            span = slide.span(row, row + 1)
            if _is_padded(span):
                saved += (span.before + span.behind) * products
                flash += (span.stop - span.start) * tap_row
    return saved > _PRODUCTS_PER_BYTE * flash
