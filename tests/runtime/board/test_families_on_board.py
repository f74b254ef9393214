"""For each op, the emulated Cortex-M4 is bit-identical to the host and uses the same arena size."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from kws.host.emulate.inference import Job
from tests.runtime.board.same_bits import assert_same_bits
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.stateful_models import add_svdf, lstm_model, streaming_model
from tests.runtime.strategies import int8s

ROWS = 8


def shapes_model(rng: np.random.Generator) -> bytes:
    """A chain of all ops that move elements."""
    m = ModelBuilder()
    quantization = ("int8", 0.1, -3)

    def ints(*numbers: int) -> int:
        return m.tensor((len(numbers),), "int32", data=np.array(numbers))

    h, w, c = (int(n) for n in rng.integers(1, 7, 3))
    x = m.tensor((h, w, c), *quantization)
    wide = m.tensor((1, h, w, c), *quantization)
    m.op("EXPAND_DIMS", [x, m.tensor((), "int32", data=np.array(0))], [wide], "ExpandDimsOptions")
    turned = m.tensor((1, c, h, w), *quantization)
    m.op("TRANSPOSE", [wide, ints(0, 3, 1, 2)], [turned], "TransposeOptions")
    padded = m.tensor((1, c, h + 3, w + 1), *quantization)
    pairs = m.tensor((4, 2), "int32", data=np.array([[0, 0], [0, 0], [1, 2], [0, 1]]))
    m.op("PAD", [turned, pairs], [padded], "PadOptions")
    more = m.tensor((1, c + 1, h + 3, w + 1), *quantization)
    pairs = m.tensor((4, 2), "int32", data=np.array([[0, 0], [1, 0], [0, 0], [0, 0]]))
    fill = m.tensor((1,), *quantization, np.array([77]))
    m.op("PADV2", [padded, pairs, fill], [more], "PadV2Options")
    both = m.tensor((1, c + 1, h + 3, 2 * w + 2), *quantization)
    m.op("CONCATENATION", [more, more], [both], "ConcatenationOptions", axis=3)
    axis = m.tensor((), "int32", data=np.array(3))
    halves = [m.tensor((1, c + 1, h + 3, w + 1), *quantization) for _ in range(2)]
    m.op("SPLIT", [axis, both], halves, "SplitOptions", numSplits=2)
    rows = [m.tensor((1, c + 1, n, w + 1), *quantization) for n in (h, 3)]
    axis = m.tensor((), "int32", data=np.array(2))
    m.op("SPLIT_V", [halves[1], ints(h, 3), axis], rows, "SplitVOptions", numSplits=2)
    newest = m.tensor((1, c + 1, 2, w + 1), *quantization)
    bounds = [ints(0, 0, 1, 0), ints(1, c + 1, 3, w + 1), ints(1, 1, 1, 1)]
    m.op("STRIDED_SLICE", [rows[1], *bounds], [newest], "StridedSliceOptions")
    last = m.tensor((1, c + 1, 1, w + 1), *quantization)
    m.op("SLICE", [newest, ints(0, 0, 1, 0), ints(1, -1, 1, -1)], [last], "SliceOptions")
    flat = m.tensor((c + 1, 1, w + 1), *quantization)
    m.op("SQUEEZE", [last], [flat], "SqueezeOptions", squeezeDims=[0])
    return m.build([x], [flat, rows[0], both])


def svdf_model(rng: np.random.Generator) -> bytes:
    """Two SVDF layers, one with each type of state."""
    m = ModelBuilder()
    x = m.tensor((1, 21), "int8", 0.05, 4)
    layer = {"feature": 0.01, "time": 1e-4, "state": 0.002, "state_zero": 0, "out_zero": 3}
    sizes = {"batch": 1, "features": 21, "units": 6, "rank": 2, "memory": 7}
    first = add_svdf(m, rng, x, sizes, {**layer, "out": 0.1})
    sizes = {"batch": 1, "features": 6, "units": 5, "rank": 1, "memory": 5}
    narrow = {**layer, "feature": 0.05, "state": 0.3, "state_zero": 5, "time": 0.01, "out": 0.05}
    return m.build([x], [add_svdf(m, rng, first, sizes, narrow, state_type="int8")])


def job(model: bytes, rng: np.random.Generator) -> Job:
    (x,) = _core.Interpreter(model).inputs
    rows: NDArray[np.int8] = int8s(rng, (ROWS, *x.shape))
    return Job(model, (rows,))


@pytest.mark.usefixtures("board_tools")
def test_board_is_bit_identical_to_the_host() -> None:
    rng = np.random.default_rng(4)
    ring = {"kept": 3, "new": 1, "channels": 5, "zero": -7, "first": "random", "seed": 2}
    models = [shapes_model(rng) for _ in range(8)]
    models += [svdf_model(rng) for _ in range(4)]
    models += [streaming_model({**ring, "kept": kept}) for kept in (1, 4)]
    models += [
        lstm_model(rng, (1, 3, 10), 7, hidden_zero=-9, cell_power=power, weight_scale=0.02)
        for power in (-15, -12, -11, -9)
    ]
    for outcome in assert_same_bits([job(model, rng) for model in models]):
        assert all(len(np.unique(values)) > 1 for values in outcome.outputs)
