# SPDX-License-Identifier: Apache-2.0
"""Which rows of a tensor are new when the window has moved on.

A tensor of the graph has one row per frame, or per few frames behind a stride over time. Its rows
are numbered from the start of the window. Three kinds follow each other:

    head    rows that see the padding before the window
    middle  rows that see frames alone: a step later each is the row `step` places before it
    tail    rows that see the padding behind the window

What was computed a step ago is a middle row that stays one. So a step has to compute the head, the
`step` newest rows of the middle, and the tail: `fresh` rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """How a tensor lies in time. Time is its outermost dimension that is not 1."""

    count: int
    """Rows of the whole window."""

    step: int
    """Rows by which the window moves (> 0)."""

    head: int
    tail: int

    axis: int
    """Dimension of time."""

    elements: int = 1
    """Elements of that dimension that are one row; more than 1 where a row is flattened into it."""

    @property
    def fresh(self) -> int:
        """Rows that a step computes."""
        return self.head + self.step + self.tail

    @property
    def first_new(self) -> int:
        """Where the newest rows of the middle begin; the tail follows them."""
        return self.count - self.step - self.tail

    @property
    def saves(self) -> bool:
        """Whether fewer rows are computed than there are."""
        return self.fresh < self.count


@dataclass(frozen=True)
class Span:
    """Rows `start` to `stop - 1`, with rows of padding around them."""

    start: int
    stop: int
    before: int = 0
    behind: int = 0


@dataclass(frozen=True)
class Slide:
    """A window of `size` rows (dilation included) that slides over the rows of an input."""

    size: int
    stride: int
    before: int
    """Rows of padding in front of the first."""

    in_count: int
    out_count: int

    def output(self, rows: Rows) -> Rows | str:
        """How the output lies in time, or why a step is no whole number of its rows."""
        if rows.step % self.stride:
            return f"its stride over time ({self.stride}) does not divide a step of {rows.step}"
        head = -(-(rows.head + self.before) // self.stride)
        if head:  # its last row sees a frame: a part of nothing but padding would have no input
            head = max(head, -(-(self.before + 1 - self.size) // self.stride) + 1)
        last = (rows.count - rows.tail - self.size + self.before) // self.stride
        tail = max(self.out_count - 1 - last, 0)
        return Rows(self.out_count, rows.step // self.stride, head, tail, rows.axis)

    def span(self, start: int, stop: int) -> Span:
        """The input rows of output rows `start` to `stop - 1`."""
        first = start * self.stride - self.before
        end = (stop - 1) * self.stride - self.before + self.size
        return Span(
            max(first, 0),
            min(end, self.in_count),
            max(-first, 0),
            max(end - self.in_count, 0),
        )


def parts(rows: Rows) -> list[tuple[int, int]]:
    """Start and stop of the rows that a step computes: the head, if any, and the end."""
    end = (rows.first_new, rows.count)
    return [(0, rows.head), end] if rows.head else [end]


def find_rows(shape: Sequence[int], like: Rows) -> Rows | None:
    """How a tensor of the same rows in another shape lies in time; None if rows are torn."""
    axis = next((i for i, size in enumerate(shape) if size != 1), None)
    if axis is None or shape[axis] % like.count:
        return None
    return Rows(like.count, like.step, like.head, like.tail, axis, shape[axis] // like.count)


def with_rows(shape: Sequence[int], rows: Rows, count: int) -> list[int]:
    """The shape of `count` rows of a tensor."""
    return [count * rows.elements if i == rows.axis else size for i, size in enumerate(shape)]


def row_elements(shape: Sequence[int], rows: Rows) -> int:
    """Elements of one row."""
    return math.prod(shape) // rows.count
