# SPDX-License-Identifier: Apache-2.0
"""The rows of a tensor that are new after a step of the window.

A tensor has one row per frame, or per few frames after a stride over time. Rows are numbered from
the start of the window, in three parts:

    head    rows that see the padding before the window
    middle  rows that see only frames: a step later, each is the row `step` places before it
    tail    rows that see the padding after the window

Older middle rows are known from the previous step. So a step computes the head, the `step` newest
rows of the middle, and the tail: `fresh` rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """A tensor's rows over time. Time is its outermost dimension that is not 1."""

    count: int
    """Rows of the whole window."""

    step: int
    """Rows by which the window moves (> 0)."""

    head: int
    tail: int

    axis: int
    """The time dimension."""

    elements: int = 1
    """Elements per row in that dimension; more than 1 if rows are flattened into it."""

    @property
    def fresh(self) -> int:
        """Rows computed per step."""
        return self.head + self.step + self.tail

    @property
    def first_new(self) -> int:
        """Start of the newest middle rows; the tail follows them."""
        return self.count - self.step - self.tail

    @property
    def saves(self) -> bool:
        """Whether a step computes fewer rows than the window has."""
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
    """Rows of padding before the first row."""

    in_count: int
    out_count: int

    def output(self, rows: Rows) -> Rows | str:
        """The output's rows, or the reason why a step is not a whole number of them."""
        if rows.step % self.stride:
            return f"its stride over time ({self.stride}) does not divide a step of {rows.step}"
        head = -(-(rows.head + self.before) // self.stride)
        if head:  # extended until its last row sees a frame: padding alone is not an input
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
    """Start and stop of the rows computed per step: the head, if any, and the end."""
    end = (rows.first_new, rows.count)
    return [(0, rows.head), end] if rows.head else [end]


def find_rows(shape: Sequence[int], like: Rows) -> Rows | None:
    """The same rows in a tensor of another shape; None if the shape splits rows."""
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
