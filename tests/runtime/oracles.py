"""Other runtimes' outputs of a model: TFLM (PyPI tflite-micro), LiteRT's reference kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray
from tflite_micro.python.tflite_micro import runtime

from kws import _core

Array = NDArray[Any]


def run_core(model: bytes, calls: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The outputs of kws for each call's inputs; state is kept between calls."""
    # An arena of exactly the reported size must be enough.
    arena_bytes = _core.Interpreter(model).arena_used_bytes

    def outputs() -> list[list[Array]]:
        interpreter = _core.Interpreter(model, arena_bytes)
        return [[np.array(y) for y in interpreter.invoke(*inputs)] for inputs in calls]

    vectorized = outputs()
    _core.use_avx2(False)
    try:
        portable = outputs()
    finally:
        _core.use_avx2(True)
    for expected, made in zip(portable, vectorized, strict=True):
        for a, b in zip(expected, made, strict=True):
            np.testing.assert_array_equal(a, b)
    return vectorized


def run_tflm(model: bytes, calls: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The outputs of TFLM's interpreter."""
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=1 << 20)
    outputs = _output_count(model)
    results = []
    for inputs in calls:
        for i, value in enumerate(inputs):
            interpreter.set_input(value, i)
        interpreter.invoke()
        results.append([np.array(interpreter.get_output(i)) for i in range(outputs)])
    return results


def run_litert(model: bytes, calls: Sequence[Sequence[Array]]) -> list[list[Array]]:
    """The outputs of LiteRT's reference kernels (its default, XNNPACK, is not an oracle)."""
    interpreter = tf.lite.Interpreter(
        model_content=model,
        experimental_op_resolver_type=tf.lite.experimental.OpResolverType.BUILTIN_REF,
    )
    interpreter.allocate_tensors()
    results = []
    for inputs in calls:
        for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
            interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        results.append(
            [interpreter.get_tensor(d["index"]).copy() for d in interpreter.get_output_details()]
        )
    return results


def assert_same(model: bytes, calls: Sequence[Sequence[Array]], *, litert: bool = True) -> None:
    """Check that kws, TFLM and (if it has the same rules) LiteRT are bit-identical."""
    results = run_core(model, calls)
    oracles = {"tflm": run_tflm(model, calls)}
    if litert:
        oracles["litert"] = run_litert(model, calls)
    for name, theirs in oracles.items():
        for call, (a, b) in enumerate(zip(results, theirs, strict=True)):
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                np.testing.assert_array_equal(
                    x.ravel(), y.ravel(), err_msg=f"{name}, call {call}, output {i}"
                )


def _output_count(model: bytes) -> int:
    from tensorflow.lite.python import schema_py_generated as schema

    return int(schema.Model.GetRootAs(model, 0).Subgraphs(0).OutputsLength())
