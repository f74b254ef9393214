"""QUANTIZE and DEQUANTIZE: ends of the range, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from kws import _core
from tests.runtime.ops.elementwise_cases import cast_model, integers
from tests.runtime.oracles import assert_same


@pytest.mark.parametrize("kind", ["int16", "int32"])
def test_zero_points_of_wide_integers(kind: str) -> None:
    """TFLM accepts them, LiteRT does not."""
    rng = np.random.default_rng(3)
    values = (integers(rng, kind, (500,)) >> 3).astype(kind)
    model = cast_model("QUANTIZE", (500,), (kind, (0.01, -1234)), ("int8", (0.3, 17)))
    assert_same(model, [[values]], litert=False)


def test_floats_beyond_all_integers_saturate() -> None:
    """The oracles' conversion to int is undefined there."""
    model = cast_model("QUANTIZE", (6,), ("float32", None), ("int8", (0.001, -100)))
    values = np.array([1e38, -1e38, np.inf, -np.inf, np.nan, 0.0], np.float32)
    (y,) = _core.Interpreter(model).invoke(values)
    assert y.tolist() == [127, -128, 127, -128, -128, -100]


@pytest.mark.parametrize("pair", [("uint8", "uint8"), ("uint8", "int16"), ("int32", "int32")])
def test_other_pairs_are_refused(pair: tuple[str, str]) -> None:
    x, y = ((kind, (0.1, 0)) for kind in pair)
    with pytest.raises(_core.CoreError, match="type"):
        _core.Interpreter(cast_model("QUANTIZE", (4,), x, y))
