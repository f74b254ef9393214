"""Estimates the cycles of convolutions and FULLY_CONNECTED by shape, for docs/benchmarks.md.

Each row of the table is a model of one op, run on the emulated board.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kws.host.measure.benchmark import bench_board
from tests.runtime.model_builder import ModelBuilder
from tools.markdown import bullets, head, paragraph, row

_IN, _FILTER, _OUT = 0.05, 0.01, 0.1
"""Scales of a common layer: the factor from sum to output is a shift of 1 to 20 bits."""

_INTRODUCTION = (
    "## Which shapes are fast",
    "",
    *paragraph(
        "Every shape works; some have a fast loop. The tables show cycles for a single-layer "
        "model, in total and per multiply-accumulate (including padding). Windows, strides and "
        "dilations are height x width."
    ),
    "",
    *paragraph(
        "**CONV_2D** has one fast loop for nearly all shapes: two filters and three output "
        "pixels at a time. A product costs more if"
    ),
    "",
    *bullets(
        "a filter has few products (window x input channels), or not a multiple of 4;",
        "there are few filters, because each window is copied once for all filters;",
        "two output pixels remain, because the loop computes three;",
        "a filter has more than 64 products. Its weights are then widened for every three pixels, "
        "otherwise for up to 27.",
    ),
    "",
    *paragraph(
        "Windows of 3 x 3 and 1 x 3 over one input channel use the loops of depthwise "
        "convolutions. A single output pixel, as in streaming models, uses the loop of "
        "FULLY_CONNECTED."
    ),
    "",
    "**DEPTHWISE_CONV_2D** has six fast loops; strides and dilations are along the rows:",
    "",
    *head("window", "stride", "dilation", "other conditions", "at a time"),
    row("3 x 3, 1 x 3", "1, 2", "none", "4 outputs per row or more", "4 or 5 outputs"),
    row("any", "1", "none", "6 outputs per row or more", "6 outputs"),
    row("any", "2", "none", "channels not a multiple of 4, or multiplier above 1", "6 outputs"),
    row("8 taps along the rows", "2", "none", "multiplier of 4 or more", "4 filters"),
    row("any", "any", "any", "one output, channels a multiple of 4, multiplier 1", ""),
    row("any", "any", "any", "channels a multiple of 4, multiplier 1", "4 channels of an output"),
    "",
    *bullets(
        "The third loop convolves even and odd columns separately.",
        "With dilation, stride 1 and 3 taps or more, the image is split into two or three parts "
        "without dilation, if one of the first two loops supports the parts.",
        "Other shapes use a loop with one output at a time. If the input has more than one "
        "channel, it swaps rows and columns in two cases: the window is one column wide; or "
        "window and output have more than one row and the output has more rows than columns "
        "(except 5 columns and at most 7 rows).",
    ),
    "",
    *paragraph(
        "**FULLY_CONNECTED** has one fast loop: four units and four inputs at a time, the "
        "rest one by one."
    ),
    "",
    *bullets(
        "The fast loops of convolutions need factors that shift each channel by 1 to 20 bits to "
        "the right, as most models have.",
        "If an activation clips to a range narrower than int8's, a second pass over the output is "
        "needed.",
        "Each output needs 8 cycles or more to scale and store, so small windows cost more per "
        "product.",
        "The linker leaves out loops that a model does not need.",
    ),
)


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
        """A .tflite file with only this op."""
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
        """A .tflite file with only this op."""
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
    lines = list(_INTRODUCTION)
    for op, rows in (("CONV_2D", _CONV_2D), ("DEPTHWISE_CONV_2D", _DEPTHWISE)):
        lines += _table(op, rows)
    return [*lines, *_table("FULLY_CONNECTED", _DENSE), ""]


def _table(op: str, rows: tuple[_Window, ...] | tuple[_Dense, ...]) -> list[str]:
    lines = ["", *head(op, "sizes", "cycles", "per product")]
    for layer in rows:
        count = bench_board("qemu", layer.model()).inference_cycles
        lines.append(row(layer.text, layer.size, f"{count:,}", f"{count / layer.products:.2f}"))
    return lines


if __name__ == "__main__":
    print("\n".join(section()))
