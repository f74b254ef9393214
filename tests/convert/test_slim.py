# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow.lite.python import schema_py_generated as schema

from kws import _core
from kws.convert.slim import slim
from tests.runtime.families import FAMILIES, from_layers, mixed_net, random_rows
from tests.runtime.oracles import run_core, run_litert, run_tflm

pytestmark = pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")


@pytest.fixture(scope="module", params=["ds_cnn", "mixed_net"])
def model(request: pytest.FixtureRequest) -> bytes:
    """A model as converted, with or without variables."""
    return mixed_net() if request.param == "mixed_net" else from_layers(*FAMILIES[request.param])


def test_every_runtime_is_bit_identical(model: bytes) -> None:
    small = slim(model)
    assert len(small) < 0.9 * len(model)
    shape = _core.Interpreter(model).inputs[0].shape
    calls = [[row] for row in random_rows(shape, 2)]
    for run in (run_core, run_tflm, run_litert):
        for before, after in zip(run(model, calls), run(small, calls), strict=True):
            np.testing.assert_array_equal(before[0], after[0])


def test_constants_stay_aligned(model: bytes) -> None:
    """The kernels read weights in words."""
    small = slim(model)
    whole = np.frombuffer(small, np.uint8)
    table = schema.Model.GetRootAs(small, 0)
    buffers = [table.Buffers(i) for i in range(table.BuffersLength())]
    constants = [buffer.DataAsNumpy() for buffer in buffers if buffer.DataLength()]
    starts = [constant.ctypes.data - whole.ctypes.data for constant in constants]
    assert starts
    assert all(start % 16 == 0 for start in starts)


def test_inputs_and_outputs_keep_their_names(model: bytes) -> None:
    def ends(data: bytes) -> list[Any]:
        graph = schema.ModelT.InitFromPackedBuf(data, 0).subgraphs[0]
        return [graph.tensors[i].name for i in (*graph.inputs, *graph.outputs)]

    assert ends(slim(model)) == ends(model)


def test_slimming_twice_changes_nothing(model: bytes) -> None:
    small = slim(model)
    assert slim(small) == small
