"""Random models with layers of keyword spotters in any order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.runtime.model_builder import ModelBuilder
from tests.runtime.strategies import same, valid, weights

Shape = tuple[int, ...]


class RandomGraph:
    """Adds random layers to a model. `x` is the last tensor and `shape` the shape of `x`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.m = ModelBuilder()
        self.layers: list[str] = []
        frames, bands = int(rng.integers(6, 24)), int(rng.integers(1, 17))
        self.source = self.x = self.new((1, frames, bands, 1))

    def build(self, layers: int) -> bytes:
        """A model with this number of layers and an output."""
        for _ in range(layers):
            self.add(self.rng.choice(list(LAYERS), p=CHANCES))
        self.add(self.rng.choice(list(ENDS)))
        return self.m.build([self.source], [self.x])

    def add(self, name: str) -> None:
        """Add a layer if the shape fits."""
        if {**LAYERS, **ENDS}[name](self):
            self.layers.append(name)

    def new(self, shape: Shape, like: int | None = None) -> int:
        """A tensor with a random quantization, or with another tensor's quantization."""
        if like is None:
            scale, zero = float(self.rng.uniform(0.02, 0.1)), int(self.rng.integers(-128, 128))
        else:
            q = self.m.graphs[0].tensors[like].quantization
            scale, zero = float(q.scale[0]), int(q.zeroPoint[0])
        return self.m.tensor(shape, "int8", scale, zero)

    @property
    def shape(self) -> Shape:
        return self.shape_of(self.x)

    def shape_of(self, tensor: int) -> Shape:
        return tuple(int(size) for size in self.m.graphs[0].tensors[tensor].shape)

    def windows(
        self, *, longest: int = 5, strides: bool = True, padding: int | None = None
    ) -> dict[str, int] | None:
        """The sizes of a window that fits the image, or None."""
        rng = self.rng
        _, height, width, _ = self.shape
        padding = int(rng.integers(2)) if padding is None else padding
        sizes = {"padding": padding}
        for axis, size in (("H", height), ("W", width)):
            window = int(rng.integers(1, longest + 1))
            stride = int(rng.integers(1, 3)) if strides else 1
            dilation = int(rng.choice([1, 1, 2])) if stride == 1 else 1
            out = valid(size, window, stride, dilation) if padding else same(size, stride)
            if out < 1:
                return None
            sizes |= {f"k{axis}": window, f"s{axis}": stride, f"d{axis}": dilation, f"o{axis}": out}
        return sizes


def conv(g: RandomGraph, sizes: dict[str, int] | None = None, *, depthwise: bool = False) -> bool:
    w = sizes or g.windows()
    if w is None or len(g.shape) != 4:
        return False
    channels = g.shape[3]
    multiplier = int(g.rng.integers(1, 3))
    out = channels * multiplier if depthwise else int(g.rng.integers(1, 7))
    shape = (1, w["kH"], w["kW"], out) if depthwise else (out, w["kH"], w["kW"], channels)
    axis = 3 if depthwise else 0
    scales = [float(s) for s in g.rng.uniform(0.002, 0.02, out)]
    filters = g.m.tensor(shape, "int8", scales, 0, weights(g.rng, shape), axis=axis)
    values = g.rng.integers(-2000, 2000, out)
    bias = g.m.tensor((out,), "int32", [s * 0.05 for s in scales], 0, values)
    y = g.new((1, w["oH"], w["oW"], out))
    options: dict[str, Any] = {
        "padding": w["padding"],
        "strideH": w["sH"],
        "strideW": w["sW"],
        "dilationHFactor": w["dH"],
        "dilationWFactor": w["dW"],
        "fusedActivationFunction": int(g.rng.integers(2)),
    }
    if depthwise:
        options["depthMultiplier"] = multiplier
        kind = "DepthwiseConv2DOptions"
        g.m.op("DEPTHWISE_CONV_2D", [g.x, filters, bias], [y], kind, version=3, **options)
    else:
        g.m.op("CONV_2D", [g.x, filters, bias], [y], "Conv2DOptions", version=3, **options)
    g.x = y
    return True


def depthwise(g: RandomGraph) -> bool:
    return len(g.shape) == 4 and conv(g, depthwise=True)


def pointwise(g: RandomGraph) -> bool:
    if len(g.shape) != 4:
        return False
    _, height, width, _ = g.shape
    ones = {f"{key}{axis}": 1 for key in "ksd" for axis in "HW"}
    return conv(g, {"padding": int(g.rng.integers(2)), **ones, "oH": height, "oW": width})


def residual(g: RandomGraph) -> bool:
    """A filter over time, added to the filter's input."""
    if len(g.shape) != 4:
        return False
    before = g.x
    w = g.windows(strides=False, padding=0)
    if w is None or not conv(g, w, depthwise=True):
        return False
    if g.shape != g.shape_of(before):
        return True  # it multiplied the channels
    y = g.new(g.shape)
    name = str(g.rng.choice(["ADD", "SUB", "MUL"]))
    kind = f"{name.capitalize()}Options"
    g.m.op(name, [before, g.x], [y], kind, fusedActivationFunction=0)
    g.x = y
    return True


def branches(g: RandomGraph) -> bool:
    """Two filters side by side."""
    if len(g.shape) != 4:
        return False
    before, parts = g.x, []
    for _ in range(2):
        g.x = before
        w = g.windows(strides=False, padding=0)
        if w is None or not conv(g, w):
            return False
        parts.append(g.x)
    shapes = [g.shape_of(part) for part in parts]
    _share_quantization(g, parts)
    y = g.new((*shapes[0][:3], shapes[0][3] + shapes[1][3]), like=parts[0])
    g.m.op("CONCATENATION", parts, [y], "ConcatenationOptions", version=2, axis=3)
    g.x = y
    return True


def _share_quantization(g: RandomGraph, tensors: list[int]) -> None:
    table = g.m.graphs[0].tensors
    for tensor in tensors[1:]:
        table[tensor].quantization = table[tensors[0]].quantization


def split(g: RandomGraph) -> bool:
    """The two halves of the channels, added."""
    if len(g.shape) != 4 or g.shape[3] % 2:
        return False
    half = (*g.shape[:3], g.shape[3] // 2)
    axis = g.m.tensor((), "int32", data=np.array(3))
    parts = [g.new(half, like=g.x) for _ in range(2)]
    g.m.op("SPLIT", [axis, g.x], parts, "SplitOptions", version=2, numSplits=2)
    y = g.new(half)
    g.m.op("ADD", parts, [y], "AddOptions", fusedActivationFunction=0)
    g.x = y
    return True


def pool(g: RandomGraph) -> bool:
    w = g.windows(longest=3) if len(g.shape) == 4 else None
    if w is None:
        return False
    y = g.new((1, w["oH"], w["oW"], g.shape[3]), like=g.x)
    options: dict[str, Any] = {
        "padding": w["padding"],
        "strideH": w["sH"],
        "strideW": w["sW"],
        "filterHeight": w["kH"],
        "filterWidth": w["kW"],
    }
    if w["dH"] > 1 or w["dW"] > 1:
        return False  # pools have no dilation
    name = str(g.rng.choice(["AVERAGE_POOL_2D", "MAX_POOL_2D"]))
    g.m.op(name, [g.x], [y], "Pool2DOptions", version=2, **options)
    g.x = y
    return True


def pad(g: RandomGraph) -> bool:
    pads = g.rng.integers(0, 3, (len(g.shape), 2))
    pads[0] = pads[-1] = 0
    shape = tuple(int(n) for n in np.array(g.shape) + pads.sum(axis=1))
    y = g.new(shape, like=g.x)
    amounts = g.m.tensor(pads.shape, "int32", data=pads)
    g.m.op("PAD", [g.x, amounts], [y], "PadOptions", version=2)
    g.x = y
    return True


def activation(g: RandomGraph) -> bool:
    y = g.m.tensor(g.shape, "int8", 1 / 256, -128)
    g.m.op("LOGISTIC", [g.x], [y])
    g.x = y
    return True


def constant(g: RandomGraph) -> bool:
    """A product with a constant per channel."""
    size = (g.shape[-1],)
    factors = g.m.tensor(size, "int8", 0.02, 3, g.rng.integers(-128, 128, size))
    y = g.new(g.shape)
    g.m.op("MUL", [g.x, factors], [y], "MulOptions", fusedActivationFunction=0)
    g.x = y
    return True


def gate(g: RandomGraph) -> bool:
    """A product with the mean over the window."""
    if len(g.shape) != 4:
        return False
    mean = _mean(g, [1, 2], (1, 1, 1, g.shape[3]))
    y = g.new(g.shape)
    g.m.op("MUL", [g.x, mean], [y], "MulOptions", fusedActivationFunction=0)
    g.x = y
    return True


def flatten_bands(g: RandomGraph) -> bool:
    """Flatten each frame into channels."""
    if len(g.shape) != 4:
        return False
    _, frames, bands, channels = g.shape
    return _reshape(g, (1, frames, 1, bands * channels))


def band_mean(g: RandomGraph) -> bool:
    if len(g.shape) != 4:
        return False
    g.x = _mean(g, [2], (1, g.shape[1], 1, g.shape[3]))
    return True


def dense(g: RandomGraph) -> bool:
    """All rows flattened into one dense layer."""
    size = int(np.prod(g.shape))
    return _reshape(g, (1, size)) and _matrix(g, size, (1, 4))


def frame_dense(g: RandomGraph) -> bool:
    """A dense layer per frame, then a dense layer of all results."""
    frames, size = g.shape[1], int(np.prod(g.shape[2:]))
    return _reshape(g, (frames, size)) and _matrix(g, size, (frames, 3)) and dense(g)


def mean(g: RandomGraph) -> bool:
    if len(g.shape) != 4:
        return False
    g.x = _mean(g, [1, 2], (1, g.shape[3]))
    return _matrix(g, g.shape[1], (1, 4))


def window(g: RandomGraph) -> bool:
    """The rows are the output."""
    return True


def _mean(g: RandomGraph, over: list[int], shape: Shape) -> int:
    y = g.new(shape)
    axes = g.m.tensor((len(over),), "int32", data=np.array(over))
    keeps = len(shape) == len(g.shape)
    g.m.op("MEAN", [g.x, axes], [y], "ReducerOptions", version=2, keepDims=keeps)
    return y


def _reshape(g: RandomGraph, shape: Shape) -> bool:
    y = g.new(shape, like=g.x)
    sizes = g.m.tensor((len(shape),), "int32", data=np.array(shape))
    g.m.op("RESHAPE", [g.x, sizes], [y], "ReshapeOptions", newShape=list(shape))
    g.x = y
    return True


def _matrix(g: RandomGraph, size: int, shape: Shape) -> bool:
    matrix = (shape[1], size)
    filters = g.m.tensor(matrix, "int8", 0.01, 0, weights(g.rng, matrix))
    bias = g.m.tensor((shape[1],), "int32", 0.0005, 0, g.rng.integers(-999, 999, shape[1]))
    y = g.new(shape)
    g.m.op("FULLY_CONNECTED", [g.x, filters, bias], [y], "FullyConnectedOptions", version=4)
    g.x = y
    return True


LAYERS: dict[str, Callable[[RandomGraph], bool]] = {
    "conv": conv,
    "depthwise": depthwise,
    "pointwise": pointwise,
    "residual": residual,
    "branches": branches,
    "split": split,
    "pool": pool,
    "pad": pad,
    "activation": activation,
    "constant": constant,
    "gate": gate,
    "flatten_bands": flatten_bands,
    "band_mean": band_mean,
}
_WEIGHTS = np.array([4, 4, 3, 4, 2, 1, 1, 1, 1, 1, 0.3, 1, 0.5])
CHANCES = _WEIGHTS / _WEIGHTS.sum()
ENDS: dict[str, Callable[[RandomGraph], bool]] = {
    "dense": dense,
    "frame_dense": frame_dense,
    "mean": mean,
    "window": window,
}
