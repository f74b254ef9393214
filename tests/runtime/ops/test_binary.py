"""ADD, SUB, MUL, MAXIMUM and MINIMUM against the oracles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kws import _core
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.oracles import assert_same
from tests.runtime.strategies import ACTIVATIONS, SEEDS, ZERO_POINTS, int8s, scales

FEW = settings(max_examples=50)

OPTIONS = {"ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions"}

Shape = tuple[int, ...]


@st.composite
def broadcasts(draw: st.DrawFn) -> tuple[Shape, Shape, Shape]:
    """Shapes of two inputs and their output: ranks 1 to 4, equal or broadcast."""
    output = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    inputs = []
    for _ in range(2):
        kept = draw(st.one_of(st.just(0), st.integers(0, 15)))
        shape = [1 if kept >> i & 1 else size for i, size in enumerate(output)]
        while len(shape) > 1 and shape[0] == 1 and draw(st.booleans()):
            del shape[0]
        inputs.append(tuple(shape))
    return inputs[0], inputs[1], np.broadcast_shapes(*inputs)


def binary_model(
    name: str,
    shapes: tuple[Shape, Shape, Shape],
    quantization: tuple[tuple[float, int], tuple[float, int], tuple[float, int]],
    activation: int,
    constant: NDArray[Any] | None = None,
) -> bytes:
    """A model of one op; `constant` is the second input's value."""
    m = ModelBuilder()
    a = m.tensor(shapes[0], "int8", *quantization[0])
    b = m.tensor(shapes[1], "int8", *quantization[1], constant)
    y = m.tensor(shapes[2], "int8", *quantization[2])
    if name in OPTIONS:
        m.op(name, [a, b], [y], OPTIONS[name], version=2, fusedActivationFunction=activation)
    else:
        m.op(name, [a, b], [y], "MaximumMinimumOptions", version=2)
    return m.build([a, b] if constant is None else [a], [y])


QUANTIZATION = st.tuples(*[st.tuples(scales(), ZERO_POINTS)] * 3)


@given(
    name=st.sampled_from(["ADD", "SUB"]),
    shapes=broadcasts(),
    quantization=QUANTIZATION,
    activation=ACTIVATIONS,
    constant=st.booleans(),
    seed=SEEDS,
)
@settings(FEW, max_examples=100)
def test_add_and_sub(
    *,
    name: str,
    shapes: tuple[Shape, Shape, Shape],
    quantization: tuple[tuple[float, int], tuple[float, int], tuple[float, int]],
    activation: int,
    constant: bool,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    b = int8s(rng, shapes[1]) if constant else None
    model = binary_model(name, shapes, quantization, activation, b)
    calls = [[int8s(rng, s) for s in shapes[: 1 if constant else 2]] for _ in range(2)]
    assert_same(model, calls)


@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize("ratio", [1.0, 0.999, 0.3, 1e-3, 2.0**-19, 1e-8, 1e-12])
@pytest.mark.parametrize("gain", [2.0**18.6, 2.0**17, 3.0, 1.0, 0.01, 1e-7])
def test_every_pair_of_values(name: str, ratio: float, gain: float) -> None:
    """Scales far apart, up to where the factor to the output needs no shift."""
    values = np.arange(-128, 128, dtype=np.int8)
    scale = float(np.float32(0.1))
    quantization = (
        (scale, 5),
        (float(np.float32(scale * ratio)), -128),
        (float(np.float32(scale / gain)), -3),
    )
    model = binary_model(name, ((256, 1), (256,), (256, 256)), quantization, 0)
    assert_same(model, [[values.reshape(256, 1), values]])


@given(
    shapes=broadcasts(),
    quantization=QUANTIZATION,
    activation=ACTIVATIONS,
    constant=st.booleans(),
    seed=SEEDS,
)
@FEW
def test_mul(
    *,
    shapes: tuple[Shape, Shape, Shape],
    quantization: tuple[tuple[float, int], tuple[float, int], tuple[float, int]],
    activation: int,
    constant: bool,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    b = int8s(rng, shapes[1]) if constant else None
    model = binary_model("MUL", shapes, quantization, activation, b)
    calls = [[int8s(rng, s) for s in shapes[: 1 if constant else 2]] for _ in range(2)]
    assert_same(model, calls)


@pytest.mark.parametrize("gain", [2.0**14, 300.0, 1.0, 0.7, 0.01, 2.0**-16, 2.0**-25, 2.0**-40])
def test_mul_of_every_pair_of_values(gain: float) -> None:
    values = np.arange(-128, 128, dtype=np.int8)
    quantization = ((0.25, -128), (0.5, 127), (float(np.float32(0.125 / gain)), 4))
    model = binary_model("MUL", ((256, 1), (256,), (256, 256)), quantization, 0)
    assert_same(model, [[values.reshape(256, 1), values]])


@given(
    name=st.sampled_from(["MAXIMUM", "MINIMUM"]),
    shapes=broadcasts(),
    constant=st.booleans(),
    seed=SEEDS,
)
@FEW
def test_maximum_and_minimum(
    *, name: str, shapes: tuple[Shape, Shape, Shape], constant: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    b = int8s(rng, shapes[1]) if constant else None
    model = binary_model(name, shapes, ((0.1, 3),) * 3, 0, b)
    calls = [[int8s(rng, s) for s in shapes[: 1 if constant else 2]] for _ in range(2)]
    assert_same(model, calls)


@pytest.mark.parametrize("ranks", [(6, 6), (6, 3), (2, 6), (5, 0)])
def test_ranks_up_to_six(ranks: tuple[int, int]) -> None:
    """TFLM's broadcasting takes them; here every second dimension stays in one of the inputs."""
    rng = np.random.default_rng(1)
    size = max(ranks)
    full = (2, 3, 2, 3, 2, 3)[:size]
    a = tuple(1 if i % 2 else n for i, n in enumerate(full))[size - ranks[0] :]
    b = tuple(n if i % 2 else 1 for i, n in enumerate(full))[size - ranks[1] :]
    output = np.broadcast_shapes(a, b)
    model = binary_model("ADD", (a, b, output), ((0.1, 3), (0.2, 4), (0.3, 5)), 0)
    assert_same(model, [[int8s(rng, a), int8s(rng, b)]], litert=False)


@given(shapes=broadcasts())
@settings(FEW, max_examples=30)
def test_an_output_of_another_shape_is_refused(*, shapes: tuple[Shape, Shape, Shape]) -> None:
    a, b, output = shapes
    wrong = (*output[:-1], output[-1] + 1)
    assume(a[-1] != 1 or b[-1] != 1)
    with pytest.raises(_core.CoreError, match="shape"):
        _core.Interpreter(binary_model("ADD", (a, b, wrong), ((0.1, 0),) * 3, 0))


def test_a_factor_of_one_or_more_is_refused() -> None:
    """TFLM ends the program there."""
    quantization = ((1.0, 0), (1.0, 0), (2.0**-19, 0))
    with pytest.raises(_core.CoreError, match="quantiz"):
        _core.Interpreter(binary_model("ADD", ((1,), (1,), (1,)), quantization, 0))


def test_the_output_takes_the_place_of_an_input() -> None:
    shapes = ((1, 4000), (1, 4000), (1, 4000))
    model = binary_model("ADD", shapes, ((0.1, 0),) * 3, 0)
    assert _core.Interpreter(model).arena_used_bytes < 2 * 4000 + 200
