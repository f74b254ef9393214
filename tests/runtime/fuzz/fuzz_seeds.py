"""The fuzzer's seeds: a small model per op, a small complete model, the default model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kws.bundle.built_in import default_bundle_path
from tests.runtime.model_builder import ModelBuilder
from tests.runtime.stateful_models import add_svdf, lstm_model, streaming_model
from tools.test_model_header import small_model

_RNG = np.random.default_rng(3)
_IMAGE = (1, 6, 5, 4)


@cache
def seeds() -> dict[str, bytes]:
    """The seeds by name."""
    models = {"small_model": small_model()}
    for kind in (_windows, _dense, _elementwise, _shapes, _conversions, _streaming, _typed, _moves):
        models |= kind()
    model = default_bundle_path() / "model.tflite"
    if model.is_file():
        models["default"] = model.read_bytes()
    return models


def write_seeds(folder: Path) -> None:
    """Write each seed to a file."""
    for name, model in seeds().items():
        (folder / f"{name}.tflite").write_bytes(model)


class _Op:
    """Builds a model with one op."""

    def __init__(self) -> None:
        self.builder = ModelBuilder()

    def tensor(self, shape: Sequence[int] = _IMAGE, dtype: str = "int8", **more: Any) -> int:
        """A tensor with a scale, unless it holds integers."""
        scale = None if dtype in ("int32", "float32") else 0.05
        return self.builder.tensor(shape, dtype, scale, 0 if dtype == "int16" else 3, **more)

    def filter(self, shape: Sequence[int], axis: int = 0) -> int:
        """Weights with a scale for each channel along `axis`."""
        data = _RNG.integers(-127, 128, tuple(shape))
        return self.builder.tensor(shape, "int8", [0.01] * shape[axis], 0, data, axis=axis)

    def bias(self, channels: int) -> int:
        """A bias for these weights."""
        data = _RNG.integers(-500, 500, channels)
        return self.builder.tensor((channels,), "int32", [0.0005] * channels, 0, data)

    def numbers(self, *values: int) -> int:
        """A constant list of int32."""
        return self.builder.tensor((len(values),), "int32", data=np.array(values))

    def build(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: str | None = None,
        **fields: Any,
    ) -> bytes:
        """The model; its inputs are the op's non-constant inputs."""
        self.builder.op(name, inputs, outputs, options, **fields)
        tensors = self.builder.graphs[0].tensors
        buffers = self.builder.buffers
        fed = [i for i in inputs if buffers[tensors[i].buffer].data is None]
        return self.builder.build(fed, outputs)


def _windows() -> dict[str, bytes]:
    window: dict[str, Any] = {"padding": 0, "strideH": 2, "strideW": 1}
    window["fusedActivationFunction"] = 1
    out = (1, 3, 5, 4)
    m = _Op()
    inputs = [m.tensor(), m.filter((4, 3, 3, 4)), m.bias(4)]
    models = {"conv_2d": m.build("CONV_2D", inputs, [m.tensor(out)], "Conv2DOptions", **window)}
    m = _Op()
    inputs = [m.tensor((1, 6, 5, 1)), m.filter((1, 3, 3, 4), 3), m.bias(4)]
    window["depthMultiplier"] = 4
    models["depthwise_conv_2d"] = m.build(
        "DEPTHWISE_CONV_2D", inputs, [m.tensor(out)], "DepthwiseConv2DOptions", **window
    )
    del window["depthMultiplier"]
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        m = _Op()
        window |= {"filterHeight": 2, "filterWidth": 2}
        models[name] = m.build(name, [m.tensor()], [m.tensor(out)], "Pool2DOptions", **window)
    return models


def _dense() -> dict[str, bytes]:
    m = _Op()
    models = {}
    inputs = [m.tensor((2, 9)), m.filter((5, 9)), m.bias(5)]
    options = "FullyConnectedOptions"
    models["fully_connected"] = m.build("FULLY_CONNECTED", inputs, [m.tensor((2, 5))], options)
    m = _Op()
    y = m.builder.tensor((3, 5), "int8", 1 / 256, -128)
    models["softmax"] = m.build("SOFTMAX", [m.tensor((3, 5))], [y], "SoftmaxOptions", beta=1.0)
    m = _Op()
    y = m.builder.tensor((3, 5), "int8", 1 / 16, 127)
    models["log_softmax"] = m.build("LOG_SOFTMAX", [m.tensor((3, 5))], [y], "LogSoftmaxOptions")
    return models


def _elementwise() -> dict[str, bytes]:
    models = {}
    for name, options in {
        "ADD": "AddOptions",
        "SUB": "SubOptions",
        "MUL": "MulOptions",
        "MAXIMUM": "MaximumMinimumOptions",
        "MINIMUM": "MaximumMinimumOptions",
    }.items():
        m = _Op()
        inputs = [m.tensor(), m.tensor((1, 1, 1, 4))]
        models[name] = m.build(name, inputs, [m.tensor()], options)
    for name in ("RELU", "RELU6", "LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU"):
        m = _Op()
        y = m.tensor()
        if name in ("LOGISTIC", "TANH"):
            y = m.builder.tensor(_IMAGE, "int8", 1 / 256 if name == "LOGISTIC" else 1 / 128, 0)
            m.builder.graphs[0].tensors[y].quantization.zeroPoint[0] = -128 * (name == "LOGISTIC")
        more: dict[str, Any] = {}
        if name == "LEAKY_RELU":
            more = {"options": "LeakyReluOptions", "alpha": 0.1}
        models[name] = m.build(name, [m.tensor()], [y], **more)
    for name in ("MEAN", "SUM"):
        m = _Op()
        inputs = [m.tensor(), m.numbers(1, 2)]
        models[name] = m.build(name, inputs, [m.tensor((1, 4))], "ReducerOptions")
    m = _Op()
    y = m.tensor((1, 6, 5), "int32")
    models["ARG_MAX"] = m.build(
        "ARG_MAX", [m.tensor(), m.numbers(-1)], [y], "ArgMaxOptions", outputType=2
    )
    return models


def _shapes() -> dict[str, bytes]:
    models = {}
    m = _Op()
    models["RESHAPE"] = m.build("RESHAPE", [m.tensor(), m.numbers(1, 120)], [m.tensor((1, 120))])
    m = _Op()
    models["SQUEEZE"] = m.build(
        "SQUEEZE", [m.tensor()], [m.tensor(_IMAGE[1:])], "SqueezeOptions", squeezeDims=[0]
    )
    m = _Op()
    models["EXPAND_DIMS"] = m.build(
        "EXPAND_DIMS", [m.tensor(), m.numbers(1)], [m.tensor((1, 1, 6, 5, 4))]
    )
    m = _Op()
    models["TRANSPOSE"] = m.build(
        "TRANSPOSE", [m.tensor(), m.numbers(0, 3, 1, 2)], [m.tensor((1, 4, 6, 5))]
    )
    pads: NDArray[Any] = np.array([[0, 0], [1, 2], [0, 3], [0, 0]])
    for name in ("PAD", "PADV2"):
        m = _Op()
        inputs = [m.tensor(), m.builder.tensor((4, 2), "int32", data=pads)]
        if name == "PADV2":
            inputs.append(m.tensor((1,), data=np.array([7])))
        models[name] = m.build(name, inputs, [m.tensor((1, 9, 8, 4))])
    m = _Op()
    inputs = [m.tensor(), m.tensor((1, 6, 2, 4))]
    models["CONCATENATION"] = m.build(
        "CONCATENATION", inputs, [m.tensor((1, 6, 7, 4))], "ConcatenationOptions", axis=2
    )
    m = _Op()
    axis = m.builder.tensor((), "int32", data=np.array(3))
    halves = [m.tensor((1, 6, 5, 2)) for _ in range(2)]
    models["SPLIT"] = m.build("SPLIT", [axis, m.tensor()], halves, "SplitOptions", numSplits=2)
    m = _Op()
    axis = m.builder.tensor((), "int32", data=np.array(2))
    parts = [m.tensor((1, 6, 1, 4)), m.tensor((1, 6, 4, 4))]
    models["SPLIT_V"] = m.build(
        "SPLIT_V", [m.tensor(), m.numbers(1, 4), axis], parts, "SplitVOptions", numSplits=2
    )
    m = _Op()
    inputs = [m.tensor(), m.numbers(0, 1, 0, 0), m.numbers(1, 6, 5, 4), m.numbers(1, 2, 1, 1)]
    models["STRIDED_SLICE"] = m.build(
        "STRIDED_SLICE", inputs, [m.tensor((1, 3, 5, 4))], "StridedSliceOptions", beginMask=1
    )
    m = _Op()
    inputs = [m.tensor(), m.numbers(0, 1, 2, 0), m.numbers(1, 3, -1, 4)]
    models["SLICE"] = m.build("SLICE", inputs, [m.tensor((1, 3, 3, 4))], "SliceOptions")
    return models


def _conversions() -> dict[str, bytes]:
    models = {}
    for source, target in (("float32", "int8"), ("int8", "int16"), ("uint8", "int8")):
        m = _Op()
        x, y = m.tensor(dtype=source), m.tensor(dtype=target)
        models[f"QUANTIZE_{source}"] = m.build("QUANTIZE", [x], [y], "QuantizeOptions")
    m = _Op()
    y = m.tensor(dtype="float32")
    models["DEQUANTIZE"] = m.build("DEQUANTIZE", [m.tensor()], [y], "DequantizeOptions")
    return models


def _streaming() -> dict[str, bytes]:
    models = {}
    for first in ("none", "random"):
        ring = {"kept": 3, "new": 1, "channels": 2, "zero": 5, "first": first, "seed": 1}
        models[f"variables_{first}"] = streaming_model(ring)
    quantization = {"feature": 0.01, "state_zero": 0, "out": 0.1, "out_zero": 3}
    for state_type, state, time in (("int8", 0.1, 0.01), ("int16", 0.001, 0.0001)):
        m = ModelBuilder()
        x = m.tensor((1, 8), "int8", 0.05, 3)
        sizes = {"batch": 1, "features": 8, "units": 3, "rank": 2, "memory": 5}
        more = {**quantization, "state": state, "time": time}
        y = add_svdf(m, _RNG, x, sizes, more, state_type=state_type)
        models[f"svdf_{state_type}"] = m.build([x], [y])
    models["lstm"] = lstm_model(_RNG, (1, 2, 3), 4, hidden_zero=3, clip=0.5)
    return models


def _floats(m: _Op, *shape: int) -> int:
    """A constant."""
    return m.builder.tensor(shape, "float32", data=_RNG.normal(0, 1, shape))


def _typed() -> dict[str, bytes]:
    """Kernels of float32 and int16."""
    models: dict[str, bytes] = {}
    window: dict[str, Any] = {"padding": 0, "strideH": 2, "strideW": 1}
    for name, shape in (("CONV_2D", (4, 3, 3, 4)), ("DEPTHWISE_CONV_2D", (1, 3, 3, 4))):
        m = _Op()
        options = {"CONV_2D": "Conv2DOptions"}.get(name, "DepthwiseConv2DOptions")
        inputs = [m.tensor(dtype="float32"), _floats(m, *shape), _floats(m, 4)]
        y = m.tensor((1, 3, 5, 4), "float32")
        models[f"{name}_float32"] = m.build(name, inputs, [y], options, **window)
        m = _Op()
        inputs = [m.tensor(dtype="int16"), m.filter(shape, 3 * (shape[0] == 1))]
        y = m.tensor((1, 3, 5, 4), "int16")
        models[f"{name}_int16"] = m.build(name, inputs, [y], options, **window)
    m = _Op()
    inputs = [m.numbers(1, 6, 5, 4), m.filter((4, 3, 3, 4)), m.tensor((1, 3, 5, 4)), m.bias(4)]
    models["TRANSPOSE_CONV"] = m.build(
        "TRANSPOSE_CONV", inputs, [m.tensor()], "TransposeConvOptions", **window
    )
    for name in ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "SQUARED_DIFFERENCE", "PRELU"):
        m = _Op()
        inputs = [m.tensor(dtype="float32"), m.tensor((1, 1, 1, 4), "float32")]
        models[f"{name}_float32"] = m.build(name, inputs, [m.tensor(dtype="float32")])
    for name in ("ABS", "SQRT", "RSQRT", "TANH", "LOGISTIC", "SOFTMAX", "LOG_SOFTMAX", "RELU"):
        m = _Op()
        y = m.tensor(dtype="float32")
        models[f"{name}_float32"] = m.build(name, [m.tensor(dtype="float32")], [y])
    for name in ("REDUCE_MAX", "REDUCE_MIN", "MEAN"):
        m = _Op()
        inputs = [m.tensor(dtype="float32"), m.numbers(1, 2)]
        y = m.tensor((1, 4), "float32")
        models[f"{name}_float32"] = m.build(name, inputs, [y], "ReducerOptions")
    m = _Op()
    y = m.builder.tensor(_IMAGE, "int16", 1 / 65536, -32768)
    models["SOFTMAX_to_int16"] = m.build("SOFTMAX", [m.tensor()], [y], "SoftmaxOptions", beta=1.0)
    m = _Op()
    x, y = m.tensor(dtype="int16"), m.builder.tensor(_IMAGE, "int16", 1 / 32768, 0)
    models["SOFTMAX_int16"] = m.build("SOFTMAX", [x], [y], "SoftmaxOptions", beta=1.0)
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        m = _Op()
        x, y = m.tensor(dtype="int16"), m.tensor((1, 3, 5, 4), "int16")
        size = {"filterHeight": 2, "filterWidth": 2}
        models[f"{name}_int16"] = m.build(name, [x], [y], "Pool2DOptions", **window, **size)
    return models


def _moves() -> dict[str, bytes]:
    models: dict[str, bytes] = {}
    m = _Op()
    pair = [m.tensor(), m.tensor()]
    models["PACK"] = m.build("PACK", pair, [m.tensor((1, 2, 6, 5, 4))], "PackOptions", axis=1)
    m = _Op()
    parts = [m.tensor((1, 6, 4)) for _ in range(5)]
    models["UNPACK"] = m.build("UNPACK", [m.tensor()], parts, "UnpackOptions", axis=2)
    m = _Op()
    models["SHAPE"] = m.build("SHAPE", [m.tensor()], [m.tensor((4,), "int32")], "ShapeOptions")
    for dtype in ("int8", "float32"):
        m = _Op()
        inputs = [m.tensor(dtype=dtype), m.numbers(9, 3)]
        models[f"RESIZE_BILINEAR_{dtype}"] = m.build(
            "RESIZE_BILINEAR", inputs, [m.tensor((1, 9, 3, 4), dtype)], "ResizeBilinearOptions"
        )
    m = _Op()
    inputs = [m.tensor(), m.numbers(9, 3)]
    models["RESIZE_NEAREST_NEIGHBOR"] = m.build(
        "RESIZE_NEAREST_NEIGHBOR", inputs, [m.tensor((1, 9, 3, 4))], "ResizeNearestNeighborOptions"
    )
    m = _Op()
    inputs = [m.tensor(), m.tensor((3,), "int32")]
    models["GATHER"] = m.build("GATHER", inputs, [m.tensor((1, 3, 5, 4))], "GatherOptions", axis=1)
    pads: NDArray[Any] = np.array([[0, 0], [1, 0]])
    for name, options in (
        ("SPACE_TO_BATCH_ND", "SpaceToBatchNDOptions"),
        ("BATCH_TO_SPACE_ND", "BatchToSpaceNDOptions"),
    ):
        m = _Op()
        shapes = [_IMAGE, (6, 3, 2, 4)]
        x, y = (m.tensor(shape) for shape in (shapes if name[0] == "S" else shapes[::-1]))
        inputs = [x, m.numbers(2, 3), m.builder.tensor((2, 2), "int32", data=pads)]
        models[name] = m.build(name, inputs, [y], options)
    m = _Op()
    inputs = [m.tensor(), m.tensor((4, 3))]
    models["BATCH_MATMUL"] = m.build(
        "BATCH_MATMUL", inputs, [m.tensor((1, 6, 5, 3))], "BatchMatMulOptions"
    )
    return models
