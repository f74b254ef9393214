"""AVERAGE_POOL_2D and MAX_POOL_2D against the oracles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.runtime.filters import windows
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import ACTIVATIONS, SEEDS, ZERO_POINTS, int8s, scales

OPS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


def pool_model(
    name: str,
    w: dict[str, int],
    images: tuple[int, int],
    quantization: tuple[float, int] = (0.1, 0),
    activation: int = 0,
) -> bytes:
    """A model of one pooling op; `w` as test_convolution.windows draws it.

    `images` are how many there are and their channels.
    """
    batch, channels = images
    m = ModelBuilder()
    x = m.tensor((batch, w["h"], w["w"], channels), "int8", *quantization)
    y = m.tensor((batch, w["oh"], w["ow"], channels), "int8", *quantization)
    m.op(
        name,
        [x],
        [y],
        "Pool2DOptions",
        version=2,
        padding=w["padding"],
        strideH=w["sh"],
        strideW=w["sw"],
        filterHeight=w["kh"],
        filterWidth=w["kw"],
        fusedActivationFunction=activation,
    )
    return m.build([x], [y])


def long_windows() -> Iterator[tuple[bytes, NDArray[Any]]]:
    """Windows of more taps than 16 bits hold the sum of, and inputs at the range's ends."""
    for name in OPS:
        for height, width, taps in [(1, 700, 700), (3, 600, 513), (90, 7, 7)]:
            w = {"h": height, "w": width, "oh": 1, "ow": width - taps + 1, "padding": 1}
            w |= {"sh": 1, "sw": 1, "kh": height, "kw": taps}
            shape = (1, height, width, 5)
            rows = [np.full(shape, end, np.int8) for end in (-128, 127)]
            rows.append(int8s(np.random.default_rng(taps), shape))
            yield pool_model(name, w, (1, 5)), np.stack(rows)


@given(
    name=st.sampled_from(OPS),
    w=windows(dilations=False),
    batch=st.integers(1, 2),
    channels=st.integers(1, 13),
    activation=ACTIVATIONS,
    zero=ZERO_POINTS,
    scale=scales(1e-3, 10.0),
    seed=SEEDS,
)
@settings(max_examples=120)
def test_pool_2d(
    *,
    name: str,
    w: dict[str, int],
    batch: int,
    channels: int,
    activation: int,
    zero: int,
    scale: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    model = pool_model(name, w, (batch, channels), (scale, zero), activation)
    shape = (batch, w["h"], w["w"], channels)
    assert_same(model, [[int8s(rng, shape)] for _ in range(2)])


def test_long_windows() -> None:
    for model, rows in long_windows():
        assert_same(model, [[row] for row in rows])
