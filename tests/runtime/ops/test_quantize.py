"""QUANTIZE and DEQUANTIZE against the oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import SEEDS, scales

FEW = settings(max_examples=80)

Scale = tuple[float, int]
PAIRS = [
    ("int8", "int8"),
    ("int8", "uint8"),
    ("int8", "int16"),
    ("int8", "int32"),
    ("uint8", "int8"),
    ("int16", "int8"),
    ("int16", "int16"),
    ("int16", "int32"),
    ("int32", "int8"),
    ("int32", "int16"),
]
LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "int32": (-9999, 9999)}


def cast_model(
    name: str, shape: tuple[int, ...], x: tuple[str, Scale | None], y: tuple[str, Scale | None]
) -> bytes:
    """A model of one op; each end has a type and, but for floats, a scale and a zero point."""
    m = ModelBuilder()
    ends = [m.tensor(shape, kind, *(scale or (None, 0))) for kind, scale in (x, y)]
    m.op(name, ends[:1], ends[1:], version=3)
    return m.build(ends[:1], ends[1:])


def integers(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Values of the whole range, small ones too."""
    info = np.iinfo(kind)
    values = rng.integers(info.min, int(info.max) + 1, shape)
    small = np.clip(rng.integers(-300, 300, shape), info.min, info.max)
    return np.where(rng.random(shape) < 0.5, values, small).astype(kind)


@st.composite
def quantized(draw: st.DrawFn, kind: str) -> Scale:
    low, high = LIMITS[kind]
    zero_point = draw(st.one_of(st.sampled_from([low, 0, high]), st.integers(low, high)))
    # LiteRT wants int16 and int32 symmetric.
    return draw(scales()), 0 if kind in ("int16", "int32") else zero_point


@given(data=st.data(), pair=st.sampled_from(PAIRS), many=st.booleans(), seed=SEEDS)
@settings(FEW, max_examples=200)
def test_between_integers(
    *, data: st.DataObject, pair: tuple[str, str], many: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    shape = (2, 200) if many else (3, 40)
    x, y = ((kind, data.draw(quantized(kind))) for kind in pair)
    model = cast_model("QUANTIZE", shape, x, y)
    # A left shift of such large values overflows, which is not defined in the oracles.
    values = integers(rng, pair[0], shape)
    if pair[0] == "int32":
        values = (values >> 17).astype(np.int32)
    if pair[0] == "int16" and x[1][0] / y[1][0] > 2.0**14:
        values = (values >> 8).astype(np.int16)
    # LiteRT does not widen int8.
    assert_same(model, [[values]], litert=pair not in [("int8", "int16"), ("int8", "int32")])


@pytest.mark.parametrize("kind", ["int16", "int32"])
def test_zero_points_of_wide_integers(kind: str) -> None:
    """TFLM takes them, LiteRT does not."""
    rng = np.random.default_rng(3)
    values = (integers(rng, kind, (500,)) >> 3).astype(kind)
    model = cast_model("QUANTIZE", (500,), (kind, (0.01, -1234)), ("int8", (0.3, 17)))
    assert_same(model, [[values]], litert=False)


@given(
    kind=st.sampled_from(["int8", "int16"]), data=st.data(), scale=scales(1e-5, 100.0), seed=SEEDS
)
@FEW
def test_from_float(*, kind: str, data: st.DataObject, scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    zero_point = data.draw(quantized(kind))[1]
    model = cast_model("QUANTIZE", (3, 100), ("float32", None), (kind, (scale, zero_point)))
    steps = rng.choice([1.0, 0.5, 1e-3, 100.0], (3, 100))
    values = (np.round(rng.normal(0, 200, (3, 100)) / steps) * steps * scale).astype(np.float32)
    assert_same(model, [[values]])


def test_floats_beyond_all_integers_saturate() -> None:
    """Where the oracles' conversion to int is not defined."""
    model = cast_model("QUANTIZE", (6,), ("float32", None), ("int8", (0.001, -100)))
    values = np.array([1e38, -1e38, np.inf, -np.inf, np.nan, 0.0], np.float32)
    (y,) = _core.Interpreter(model).invoke(values)
    assert y.tolist() == [127, -128, 127, -128, -128, -100]


@given(
    kind=st.sampled_from(["int8", "uint8", "int16"]),
    data=st.data(),
    scale=scales(1e-30, 1e30),
    seed=SEEDS,
)
@FEW
def test_dequantize(*, kind: str, data: st.DataObject, scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    zero_point = data.draw(quantized(kind))[1]
    shape = (2, 3, 50)
    model = cast_model("DEQUANTIZE", shape, (kind, (scale, zero_point)), ("float32", None))
    assert_same(model, [[integers(rng, kind, shape)]])


@pytest.mark.parametrize("pair", [("uint8", "uint8"), ("uint8", "int16"), ("int32", "int32")])
def test_other_pairs_are_refused(pair: tuple[str, str]) -> None:
    x, y = ((kind, (0.1, 0)) for kind in pair)
    with pytest.raises(_core.CoreError, match="type"):
        _core.Interpreter(cast_model("QUANTIZE", (4,), x, y))
