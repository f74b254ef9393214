"""Estimates the cycles of convolutions and FULLY_CONNECTED by shape, for docs/benchmarks.md.

Each row of the table is a model of one op, run on the emulated board.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kws.host.measure.benchmark import bench_board
from tests.runtime.model_builder import ModelBuilder

_IN, _FILTER, _OUT = 0.05, 0.01, 0.1
"""Scales of a common layer: the factor from sum to output is a shift of 1 to 20 bits."""

_INTRODUCTION = """
## Which shapes are fast

Every shape works, but not every shape has a fast loop. The tables show the cycles of a model with
one layer, in all and per multiply-accumulate. Products with padding count as products. Windows,
strides and dilations are written height x width.

**CONV_2D** has one fast loop for nearly all windows, strides, dilations and groups. It computes
two filters at three output pixels at a time. A product costs more where

- a filter has few products (window x input channels), or their number is not a multiple of 4;
- there are few filters, because each window is copied once for all of them;
- two output pixels remain, because the loop computes three all the same;
- a filter has more than 64 products: then its weights are widened anew for every three pixels.
  With fewer, up to 27 pixels share that work.

Windows of 3 x 3 and 1 x 3 over a single input channel, as first layers often have, take the loops
of depthwise convolutions. An output of a single pixel, as in streaming models, takes the loop of
FULLY_CONNECTED.

**DEPTHWISE_CONV_2D** has fast loops for six kinds of windows:

- windows of 3 x 3 and of 1 x 3, stride 1 or 2 along the rows of the image, no dilation, 4 outputs
  a row or more (four or five outputs at a time);
- any number of taps along the rows, no dilation there, stride 1, 6 outputs a row or more (six
  outputs at a time; with eight or nine taps in a loop of their own);
- the same with stride 2 along the rows, where the channels are no multiple of 4 or have more than
  one output each: even and odd columns are taken apart, and each is convolved with stride 1;
- 8 taps along the rows, stride 2 there, no dilation, a multiplier of 4 or more (four filters at a
  time);
- a single output, as in streaming models, with a multiple of 4 channels and multiplier 1;
- all else with a multiple of 4 channels and multiplier 1 (four channels of one output at a time).

A dilated window of stride 1 sees every second value, or every third, so the image falls apart into
two or three, and each is convolved without dilation. That is done where one of the first two kinds
of loops takes the parts and the window has 3 taps or more.

Other shapes take a loop that computes one output at a time. If the input has more than one channel,
the kernel takes the image's columns as its rows where the window is one column wide, and where both
the window and the output are higher than one and the output is higher than wide (unless it is 5
wide and at most 7 high).

The linker leaves out the loops that a model's shapes do not need.

**FULLY_CONNECTED** has one fast loop for all sizes. It computes four units at a time and takes
four inputs per step. The remaining units and inputs are computed one by one.

The fast loops of both convolutions also need the factor of each channel to shift by 1 to 20 bits
to the right, as it does in most models. An activation that clips what int8 would not is a pass of
its own over the output.

Each output has to be scaled and stored, whatever its window, which takes 8 cycles or more, and its
values have to be widened: so a product costs the more, the fewer a window has. That is why some
shapes remain at more than 1.6 times the best of their op.
"""


@dataclass(frozen=True)
class _Window:
    """A convolution with padding "same"."""

    text: str
    image: tuple[int, int, int]
    """Height, width, channels of the input."""

    window: tuple[int, int]
    filters: int
    """Output channels."""

    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1
    depthwise: bool = False
    clips: bool = False
    """Whether a RELU6 narrows the output's range."""

    @property
    def output(self) -> tuple[int, int]:
        """Height and width."""
        return (-(-self.image[0] // self.stride[0]), -(-self.image[1] // self.stride[1]))

    @property
    def products(self) -> int:
        """Multiply-accumulates."""
        depth = 1 if self.depthwise else self.image[2] // self.groups
        return int(np.prod(self.output) * np.prod(self.window)) * depth * self.filters

    @property
    def size(self) -> str:
        """Input and output, as the table shows them."""
        return f"{_times(self.image)} to {_times((*self.output, self.filters))}"

    def model(self) -> bytes:
        """A .tflite file of this op alone."""
        rng = np.random.default_rng(0)
        builder = ModelBuilder()
        source = builder.tensor([1, *self.image], "int8", _IN, 0)
        result = builder.tensor([1, *self.output, self.filters], "int8", _OUT, 0)
        depth = self.image[2] // self.groups
        shape = (
            (1, *self.window, self.filters)
            if self.depthwise
            else (self.filters, *self.window, depth)
        )
        axis = 3 if self.depthwise else 0
        weights = rng.integers(-127, 128, shape).astype("int8")
        scales = [_FILTER] * self.filters
        filters = builder.tensor(shape, "int8", scales, data=weights, axis=axis)
        bias = builder.tensor(
            [self.filters],
            "int32",
            [_IN * _FILTER] * self.filters,
            data=np.zeros(self.filters, "int32"),
        )
        name = "DepthwiseConv2DOptions" if self.depthwise else "Conv2DOptions"
        fields: dict[str, Any] = (
            {"depthMultiplier": self.filters // self.image[2]} if self.depthwise else {}
        )
        builder.op(
            "DEPTHWISE_CONV_2D" if self.depthwise else "CONV_2D",
            [source, filters, bias],
            [result],
            name,
            strideH=self.stride[0],
            strideW=self.stride[1],
            dilationHFactor=self.dilation[0],
            dilationWFactor=self.dilation[1],
            fusedActivationFunction=3 if self.clips else 0,  # RELU6
            **fields,
        )
        return builder.build([source], [result])


@dataclass(frozen=True)
class _Dense:
    text: str
    inputs: int
    units: int

    @property
    def products(self) -> int:
        """Multiply-accumulates."""
        return self.inputs * self.units

    @property
    def size(self) -> str:
        """Input and output, as the table shows them."""
        return f"{self.inputs} to {self.units}"

    def model(self) -> bytes:
        """A .tflite file of this op alone."""
        rng = np.random.default_rng(0)
        builder = ModelBuilder()
        source = builder.tensor([1, self.inputs], "int8", _IN, 0)
        result = builder.tensor([1, self.units], "int8", _OUT, 0)
        weights = rng.integers(-127, 128, (self.units, self.inputs)).astype("int8")
        matrix = builder.tensor(weights.shape, "int8", _FILTER, data=weights)
        builder.op("FULLY_CONNECTED", [source, matrix, -1], [result], "FullyConnectedOptions")
        return builder.build([source], [result])


def _times(sizes: tuple[int, ...]) -> str:
    return " x ".join(map(str, sizes))


_CONV_2D = (
    _Window("1 x 1", (25, 5, 64), (1, 1), 64),
    _Window("1 x 1, odd channels", (25, 5, 63), (1, 1), 63),
    _Window("1 x 1, few channels", (25, 5, 8), (1, 1), 8),
    _Window("1 x 1, stride 2 x 2", (25, 5, 64), (1, 1), 64, (2, 2)),
    _Window("1 x 1, one output pixel", (1, 1, 64), (1, 1), 64),
    _Window("1 x 1, RELU6 that clips", (25, 5, 64), (1, 1), 64, clips=True),
    _Window("3 x 3", (25, 5, 16), (3, 3), 16),
    _Window("3 x 3, stride 2 x 2", (25, 5, 16), (3, 3), 16, (2, 2)),
    _Window("3 x 3, dilation 2 x 2", (25, 5, 16), (3, 3), 16, dilation=(2, 2)),
    _Window("3 x 3, 4 groups", (25, 5, 16), (3, 3), 16, groups=4),
    _Window("3 x 3, one input channel", (49, 40, 1), (3, 3), 16),
    _Window("3 x 3, stride 2 x 2, one input channel", (49, 40, 1), (3, 3), 16, (2, 2)),
    _Window("10 x 4, stride 2 x 2, one input channel", (49, 10, 1), (10, 4), 64, (2, 2)),
    _Window("9 x 1", (49, 1, 40), (9, 1), 16),
    _Window("3 x 1", (49, 1, 40), (3, 1), 16),
)

_DEPTHWISE = (
    _Window("3 x 3", (25, 20, 64), (3, 3), 64, depthwise=True),
    _Window("3 x 3, stride 2 x 1", (25, 20, 64), (3, 3), 64, (2, 1), depthwise=True),
    _Window("3 x 3, stride 2 x 2", (25, 20, 64), (3, 3), 64, (2, 2), depthwise=True),
    _Window("3 x 3, dilation 2 x 2", (25, 20, 64), (3, 3), 64, dilation=(2, 2), depthwise=True),
    _Window("3 x 3, odd channels", (25, 20, 63), (3, 3), 63, depthwise=True),
    _Window("3 x 3, multiplier 2", (25, 20, 32), (3, 3), 64, depthwise=True),
    _Window("3 x 3, RELU6 that clips", (25, 20, 64), (3, 3), 64, depthwise=True, clips=True),
    _Window("5 x 5", (25, 20, 64), (5, 5), 64, depthwise=True),
    _Window("4 x 4", (25, 20, 64), (4, 4), 64, depthwise=True),
    _Window("9 x 1", (49, 1, 64), (9, 1), 64, depthwise=True),
    _Window("9 x 1, stride 2 x 1", (49, 1, 64), (9, 1), 64, (2, 1), depthwise=True),
    _Window("9 x 1, dilation 2 x 1", (49, 1, 64), (9, 1), 64, dilation=(2, 1), depthwise=True),
    _Window("29 x 1, dilation 2 x 1", (49, 1, 64), (29, 1), 64, dilation=(2, 1), depthwise=True),
    _Window("1 x 3", (49, 20, 16), (1, 3), 16, depthwise=True),
    _Window("3 x 1", (49, 1, 64), (3, 1), 64, depthwise=True),
    _Window("3 x 1, dilation 2 x 1", (49, 20, 16), (3, 1), 16, dilation=(2, 1), depthwise=True),
    _Window("5 x 1, one output pixel", (5, 1, 64), (5, 1), 64, (5, 1), depthwise=True),
    _Window("10 x 8, stride 2 x 2, multiplier 8", (49, 40, 1), (10, 8), 8, (2, 2), depthwise=True),
    _Window("10 x 8, stride 2 x 2, multiplier 2", (49, 40, 1), (10, 8), 2, (2, 2), depthwise=True),
)

_DENSE = (
    _Dense("multiples of 4", 256, 64),
    _Dense("odd sizes", 255, 63),
    _Dense("three units", 256, 3),
)


def section() -> list[str]:
    """The lines of the page's section, measured."""
    lines = _INTRODUCTION.strip().splitlines()
    for op, rows in (("CONV_2D", _CONV_2D), ("DEPTHWISE_CONV_2D", _DEPTHWISE)):
        lines += _table(op, rows)
    return [*lines, *_table("FULLY_CONNECTED", _DENSE), ""]


def _table(op: str, rows: tuple[_Window, ...] | tuple[_Dense, ...]) -> list[str]:
    lines = ["", f"| {op} | sizes | cycles | per product |", "|---|---|---|---|"]
    for row in rows:
        count = bench_board("qemu", row.model()).inference_cycles
        per_product = f"{count / row.products:.2f}"
        lines.append(f"| {row.text} | {row.size} | {count:,} | {per_product} |")
    return lines


if __name__ == "__main__":
    print("\n".join(section()))
