"""Random quantization, shapes and data for the property tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

ACTIVATIONS = st.sampled_from([0, 1, 2, 3])  # none, relu, relu_n1_to_1, relu6
ZERO_POINTS = st.one_of(st.sampled_from([-128, 0, 127]), st.integers(-128, 127))
SEEDS = st.integers(0, 2**32 - 1)


def scales(low: float = 1e-4, high: float = 1.0) -> st.SearchStrategy[float]:
    """Positive float32 scales, uniform in the logarithm."""
    return st.floats(math.log(low), math.log(high)).map(lambda x: float(np.float32(math.exp(x))))


def int8s(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    """Values from the whole range, with the extremes drawn more often."""
    values = rng.integers(-128, 128, shape)
    ends = rng.choice([-128, 127], shape)
    return np.where(rng.random(shape) < 0.1, ends, values).astype(np.int8)


def weights(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    """Filters: symmetric, -127 to 127."""
    values: NDArray[Any] = np.maximum(int8s(rng, shape), -127).astype(np.int8)
    return values


def same(size: int, stride: int) -> int:
    """Output size of SAME padding."""
    return -(-size // stride)


def valid(size: int, window: int, stride: int, dilation: int = 1) -> int:
    """Output size of VALID padding; below 1 if the window does not fit."""
    return (size + stride - ((window - 1) * dilation + 1)) // stride
