"""Limits of SOFTMAX int16, LOG_SOFTMAX and RESIZE_BILINEAR."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same, run_core

Array = NDArray[Any]
Scale = tuple[float, int]


def one_op(kind: str, x: Scale, y: Scale, name: str, options: str, **fields: Any) -> bytes:
    m = ModelBuilder()
    tensors = m.tensor((2, 9), kind, *x), m.tensor((2, 9), kind, *y)
    m.op(name, tensors[:1], tensors[1:], options, version=3, **fields)
    return m.build(tensors[:1], tensors[1:])


def resized(kind: str, before: tuple[int, int], after: tuple[int, int], **mode: Any) -> bytes:
    m = ModelBuilder()
    scale = None if kind == "float32" else 0.25
    x, y = (m.tensor((1, *sides, 3), kind, scale, 0) for sides in (before, after))
    size = m.tensor((2,), "int32", data=np.array(after))
    m.op("RESIZE_BILINEAR", [x, size], [y], "ResizeBilinearOptions", version=3, **mode)
    return m.build([x], [y])


@pytest.mark.parametrize("output", [(1 / 256, 127), (1 / 16, 0), (1 / 16, -128)])
def test_log_softmax_has_one_output_scale(output: Scale) -> None:
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(one_op("int8", (0.1, 0), output, "LOG_SOFTMAX", "LogSoftmaxOptions"))


@pytest.mark.parametrize(
    ("x", "y", "beta"),
    [
        ((0.1, 1), (1 / 32768, 0), 1.0),
        ((0.1, 0), (1 / 32768, 1), 1.0),
        ((0.1, 0), (1 / 65536, 0), 1.0),
        ((0.1, 0), (1 / 32768, 0), -1.0),
        ((0.1, 0), (1 / 32768, 0), 1e30),
    ],
)
def test_int16_softmax_refuses_other_quantization(x: Scale, y: Scale, beta: float) -> None:
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(one_op("int16", x, y, "SOFTMAX", "SoftmaxOptions", beta=beta))


@pytest.mark.parametrize("kind", ["int8", "float32"])
def test_bilinear_refuses_half_pixels_at_the_corners(kind: str) -> None:
    model = resized(kind, (2, 3), (4, 5), alignCorners=True, halfPixelCenters=True)
    with pytest.raises(_core.CoreError, match="feature"):
        _core.Interpreter(model)


@pytest.mark.parametrize("kind", ["int8", "float32"])
@pytest.mark.parametrize("mode", [{}, {"alignCorners": True}, {"halfPixelCenters": True}])
def test_bilinear_over_long_sides(kind: str, mode: dict[str, bool]) -> None:
    """From 300 to 5 pixels, and from 3 to 700."""
    x = np.random.default_rng(1).integers(-128, 128, (1, 300, 3, 3)).astype(kind)
    assert_same(resized(kind, (300, 3), (5, 700), **mode), [[x]])


def test_bilinear_repeats_the_edge() -> None:
    """The scale is rounded up so far that the last positions are beyond the image."""
    x = np.arange(15, dtype=np.int8).reshape(1, 1, 5, 3)
    ((y,),) = run_core(resized("int8", (1, 5), (1, 2000)), [[x]])
    np.testing.assert_array_equal(y[0, 0, -200:], np.tile(x[0, 0, -1], (200, 1)))
