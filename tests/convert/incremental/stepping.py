"""Runs a model and its incremental model step by step on the same frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kws import _core
from kws.convert.model_table import pack, schema

STEPS = 6
"""Number of compared steps, starting with the first full window."""

Array = NDArray[Any]


def stepped_frames(rng: np.random.Generator, count: int, step: int, elements: int) -> Array:
    """Frames for enough steps to fill the window, plus some more steps.

    Missing frames of the first step are -128, as in the pipeline.
    """
    missing = -count % step
    frames = rng.integers(-128, 128, (missing + count + (STEPS - 1) * step, elements))
    frames[:missing] = -128
    return frames.astype(np.int8)


def window_calls(frames: Array, count: int, step: int, shape: tuple[int, ...]) -> list[Array]:
    """The windows at each step, starting with the first full window."""
    ends = range(len(frames) - (STEPS - 1) * step, len(frames) + 1, step)
    return [frames[end - count : end].reshape(shape) for end in ends]


def step_calls(frames: Array, step: int, shape: tuple[int, ...]) -> list[Array]:
    """The new frames of each step, from the start."""
    return [frames[i : i + step].reshape(shape) for i in range(0, len(frames), step)]


def assert_same_bits(whole: bytes, small: bytes, count: int, step: int, seed: int = 0) -> int:
    """Check that both models are bit-identical at each step; return the count of distinct outputs.

    Args:
        whole: a model with a window of `count` frames.
        small: the incremental model for `step` frames.
        count: frames per window.
        step: frames per step.
        seed: seed of the frames.
    """
    one, other = _core.Interpreter(whole), _core.Interpreter(small)
    shape, step_shape = one.inputs[0].shape, other.inputs[0].shape
    assert np.prod(step_shape) * count == np.prod(shape) * step
    rng = np.random.default_rng(seed)
    frames = stepped_frames(rng, count, step, int(np.prod(shape)) // count)
    expected = [np.array(one.invoke(x)[0]) for x in window_calls(frames, count, step, shape)]
    for _ in range(2):  # also after a reset
        answers = [np.array(other.invoke(x)[0]) for x in step_calls(frames, step, step_shape)]
        for i, (a, b) in enumerate(zip(answers[-STEPS:], expected, strict=True)):
            np.testing.assert_array_equal(a, b, err_msg=f"step {i} after the first full window")
        other.reset()
    return len({answer.tobytes() for answer in expected})


def with_first_values(table: Any) -> bytes:
    """The model with a graph that first assigns zeros, since LiteRT needs assigned variables."""
    s = schema()
    main, once = table.subgraphs[0], s.SubGraphT()
    codes = {name: _code(table, getattr(s.BuiltinOperator, name)) for name in _ONCE_OPS}
    once.tensors, once.operators, once.inputs, once.outputs = [], [], [], []
    handles = {}
    for op in main.operators:
        if op.opcodeIndex == codes["VAR_HANDLE"]:
            handles[int(op.outputs[0])] = op
        if op.opcodeIndex != codes["READ_VARIABLE"]:
            continue
        value = _copied(s.TensorT(), main.tensors[op.outputs[0]])
        buffer = s.BufferT()
        buffer.data = np.zeros(int(np.prod(value.shape)), np.uint8)
        table.buffers.append(buffer)
        value.buffer = len(table.buffers) - 1
        once.tensors += [main.tensors[op.inputs[0]], value]
        place = len(once.tensors) - 2
        handle = _copied(s.OperatorT(), handles[int(op.inputs[0])])
        handle.outputs = [place]
        assign = s.OperatorT()
        assign.opcodeIndex = codes["ASSIGN_VARIABLE"]
        assign.inputs, assign.outputs = [place, place + 1], []
        assign.builtinOptionsType = s.BuiltinOptions.AssignVariableOptions
        assign.builtinOptions = s.AssignVariableOptionsT()
        once.operators += [handle, assign]
    call = s.OperatorT()
    call.opcodeIndex = codes["CALL_ONCE"]
    call.inputs, call.outputs = [], []
    call.builtinOptionsType = s.BuiltinOptions.CallOnceOptions
    call.builtinOptions = s.CallOnceOptionsT()
    call.builtinOptions.initSubgraphIndex = 1
    main.operators = [call, *main.operators]
    table.subgraphs = [main, once]
    return pack(table)


_ONCE_OPS = ("CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE")


def _code(table: Any, number: int) -> int:
    """The index of an op's code in the model; added if missing."""
    for place, code in enumerate(table.operatorCodes):
        if code.builtinCode == number:
            return place
    code = schema().OperatorCodeT()
    code.builtinCode = number
    code.deprecatedBuiltinCode = min(number, 127)
    code.version = 1
    table.operatorCodes.append(code)
    return len(table.operatorCodes) - 1


def _copied(new: Any, old: Any) -> Any:
    for name, value in vars(old).items():
        setattr(new, name, value)
    return new
