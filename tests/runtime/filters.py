# SPDX-License-Identifier: Apache-2.0
"""Filters over images: their windows and scales."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tests.runtime.strategies import same, valid


def channel_scales(
    rng: np.random.Generator, channels: int, base: float, per_channel: bool
) -> float | list[float]:
    if not per_channel:
        return base
    return [float(np.float32(s)) for s in base * rng.uniform(0.05, 2.0, channels)]


@st.composite
def windows(
    draw: st.DrawFn,
    *,
    dilations: bool = True,
    width: int | None = None,
    height: int | None = None,
    stride: int = 1,
    tallest: int = 12,
) -> dict[str, int]:
    """A window that fits the image: sizes, strides, dilations, padding (0 SAME, 1 VALID)."""
    w: dict[str, int] = {}
    w["padding"] = draw(st.integers(0, 1))
    for axis in "hw":
        w[axis] = draw(st.integers(1, tallest if axis == "h" else 12))
        w["k" + axis] = draw(st.integers(1, 5))
        w["s" + axis] = draw(st.integers(1, 3))
        w["d" + axis] = draw(st.integers(1, 3)) if dilations else 1
        if axis == "h" and height is not None:
            w["kh"] = height
        if axis == "w" and width is not None:
            w["w"], w["kw"], w["sw"] = draw(st.integers(width, 20)), width, stride
        out = (
            same(w[axis], w["s" + axis])
            if w["padding"] == 0
            else valid(w[axis], w["k" + axis], w["s" + axis], w["d" + axis])
        )
        assume(out >= 1)
        w["o" + axis] = out
    return w


def three_columns(heights: Sequence[int]) -> st.SearchStrategy[dict[str, int]]:
    """Windows of three columns; the Cortex-M4's loops for them process a tall image in parts."""
    return st.tuples(st.sampled_from(heights), st.sampled_from([1, 2])).flatmap(
        lambda drawn: windows(
            dilations=False, width=3, height=drawn[0], stride=drawn[1], tallest=40
        )
    )
