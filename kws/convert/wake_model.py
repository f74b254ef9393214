# SPDX-License-Identifier: Apache-2.0
"""Writes microWakeWord models: a streaming .tflite file that gives the probability of one word.

ESPHome's micro_wake_word feeds a model int8[1, n, 40], the n new frames of a call, and reads
uint8[1, 1], a probability of 0 to 255. Its interpreter has the ops in `OPS` only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.bundle.bundle import Bundle
from kws.bundle.checks import SCORE_SCALE, SCORE_ZERO_POINT, open_model
from kws.convert.incremental.model import candidates
from kws.convert.incremental.window_graph import WindowGraph
from kws.convert.model_table import pack, schema, unpack
from kws.errors import UsageError
from kws.features.frontend_settings import FrontendSettings

# Source of both: ESPHome 2024.11 and 2026.6, micro_wake_word.cpp and streaming_model.cpp.
OPS = frozenset({
    "ADD", "ASSIGN_VARIABLE", "AVERAGE_POOL_2D", "CALL_ONCE", "CONCATENATION", "CONV_2D",
    "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "LOGISTIC", "MAX_POOL_2D", "MEAN", "MUL", "PACK", "PAD",
    "QUANTIZE", "READ_VARIABLE", "RESHAPE", "SPLIT_V", "STRIDED_SLICE", "VAR_HANDLE",
})  # fmt: skip
"""Ops that ESPHome registers, by the schema's names."""

MOST_VARIABLES = 20
"""Variables that ESPHome's interpreter can keep."""

_FULL_SCALE = 1 / 255
"""Scale of factors between 0 and exactly 1, which is 255 steps."""

_DEPTH = 6.5
"""Differences of logits beyond this are 0 or 1 as a probability: exp(-6.5) is 1/665."""


def streaming_model_of(bundle: Bundle) -> bytes:
    """The bundle's model if it streams, or else the same model with variables for older frames.

    Raises:
        ModelError: the model cannot stream.
        ToolError: TensorFlow is not installed.
    """
    if bundle.input_frames < bundle.frontend.frames:
        return bundle.model
    # Whether it saves work does not matter here.
    possible = candidates(bundle.model, bundle.inference_stride)
    return pack(min(possible, key=lambda candidate: candidate.share).table)


def wake_model(model: bytes, word: int) -> bytes:
    """The microWakeWord model of one word.

    A softmax over n scores is 1 / (1 + sum(exp(d))), where d are the n - 1 differences of the other
    logits and the word's. ESPHome has no op for a sum of exponentials, so the model computes the
    product of 1 - sigmoid(d) instead. Apart from rounding it is the same for two scores, and
    otherwise lower: by less than 2.7/256 where the softmax is 220/256 or more.

    Args:
        model: a streaming model that ends with a softmax.
        word: index of the word's score in the model's output.

    Raises:
        UsageError: ESPHome cannot run the model.
    """
    graph = _Graph(model)
    graph.replace_ops()
    graph.take_frames()
    graph.replace_softmax(word)
    graph.check()
    return pack(graph.table)


def arena_bytes(model: bytes) -> int:
    """Bytes of arena that are enough for a model in ESPHome, in whole KiB.

    TFLM's records take about as much as all that kws keeps, and Espressif's convolutions copy their
    filter. The result is 1 to 48 % above TFLM's 64-bit arena plus the copies in esp-nn 1.1.0, for
    nine models of kws and six that ESPHome publishes.
    """
    graph = WindowGraph(unpack(model))
    filters = [op.inputs[1] for op in graph.ops if op.name.endswith("CONV_2D")]
    largest = max((int(np.prod(graph.shape(tensor))) for tensor in filters), default=0)
    needed = 2 * open_model(model).arena_used_bytes + largest + 4096
    return -(-needed // 1024) * 1024


class _Graph:
    """The main graph of a model, changed in place."""

    def __init__(self, model: bytes) -> None:
        self._schema = schema()
        self.table = unpack(model)
        self._view = WindowGraph(self.table)
        self._graph = self.table.subgraphs[0]
        self._ops: list[Any] = list(self._graph.operators)
        self.table.signatureDefs = None  # they refer to the other input and output

    def replace_ops(self) -> None:
        """Replace SLICE and SPLIT, which ESPHome lacks, by STRIDED_SLICE and SPLIT_V."""
        for op in self._view.ops:
            if op.name == "SLICE":
                source, begin, _ = op.inputs
                start = self._view.values(begin)
                lengths = self._view.shape(op.outputs[0])
                ends = [int(first) + length for first, length in zip(start, lengths, strict=True)]
                bounds = [begin, self._numbers(ends), self._numbers([1] * len(ends))]
                made = self._made("STRIDED_SLICE", [source, *bounds], op.outputs, "StridedSlice")
            elif op.name == "SPLIT":
                axis, source = op.inputs
                place = int(self._view.values(axis)[0])
                sizes = self._numbers([self._view.shape(part)[place] for part in op.outputs])
                count = len(op.outputs)
                made = self._made(
                    "SPLIT_V", [source, sizes, axis], op.outputs, "SplitV", numSplits=count
                )
            else:
                continue
            self._ops[op.index] = made

    def take_frames(self) -> None:
        """Make the input int8[1, n, 40]."""
        (old,) = self._view.inputs
        channels = FrontendSettings().channels
        shape = self._view.shape(old)
        frames = int(np.prod(shape)) // channels
        zero_point = int(self._graph.tensors[old].quantization.zeroPoint[0])
        source = self._tensor((1, frames, channels), "INT8", self._scale(old), zero_point)
        inputs = [source, self._numbers(shape)]
        self._ops.insert(0, self._made("RESHAPE", inputs, [old], "Reshape", newShape=shape))
        self._graph.inputs = np.array([source], np.int32)

    def replace_softmax(self, word: int) -> None:
        """Make the output uint8[1, 1], the probability of one word; see `wake_model`."""
        (output,) = self._view.outputs
        last = next(op for op in self._view.ops if output in op.outputs)
        if last.name != "SOFTMAX":
            raise UsageError(
                f"the model ends with {last.name}; ESPHome needs the probability of one word, which"
                " kws makes from a softmax over labels"
            )
        self._ops.remove(last.table)
        (logits,) = last.inputs
        beta = float(last.options.beta)
        step = beta * self._scale(logits)
        classes = int(np.prod(self._view.shape(logits)))
        others = [index for index in range(classes) if index != word]
        count = len(others)

        weights = np.zeros((count, classes), np.int8)
        weights[:, word] = -1
        weights[np.arange(count), others] = 1
        # Without rounding, unless the logits' own steps are so small that the range is too short.
        differences = self._tensor((1, count), "INT8", max(step, _DEPTH / 127))
        self._dense(logits, weights, beta, [0] * count, differences)
        losses = self._tensor((1, count), "INT8", SCORE_SCALE, SCORE_ZERO_POINT)
        self._add("LOGISTIC", [differences], [losses])
        # A sigmoid's largest value is 255/256. Its smallest value is exactly 0, so that a word that
        # is certain keeps the probability 1, however many factors there are.
        factors = self._tensor((1, count), "INT8", _FULL_SCALE, SCORE_ZERO_POINT)
        self._dense(losses, -np.eye(count, dtype=np.int8), 1.0, [256] * count, factors)
        product, *rest = self._split(factors, count)
        for factor in rest:
            source, product = product, self._factor()
            self._add("MUL", [source, factor], [product], "Mul")
        probability = self._tensor((1, 1), "UINT8", SCORE_SCALE, 0)
        self._add("QUANTIZE", [product], [probability], "Quantize")
        self._graph.outputs = np.array([probability], np.int32)

    def check(self) -> None:
        """Keep the used op codes only, and check that ESPHome can run the model.

        Raises:
            UsageError: it cannot.
        """
        self._graph.operators = self._ops
        ops = [op for graph in self.table.subgraphs for op in graph.operators]
        used = sorted({op.opcodeIndex for op in ops})
        self.table.operatorCodes = [self.table.operatorCodes[code] for code in used]
        for op in ops:
            op.opcodeIndex = used.index(op.opcodeIndex)
        view = WindowGraph(self.table)
        unknown = sorted({op.name for op in view.ops} - OPS)
        if unknown:
            raise UsageError(f"ESPHome's micro_wake_word has no {', '.join(unknown)}")
        for op in view.ops:
            if op.name == "FULLY_CONNECTED":
                quantization = view.tensors[op.inputs[1]].quantization
                if len(quantization.scale) > 1:
                    raise UsageError(
                        f"{op} has a scale per output, which ESPHome's interpreter does not "
                        "support; convert the model with one scale per dense layer"
                    )
        variables = sum(op.name == "VAR_HANDLE" for op in view.ops)
        if variables > MOST_VARIABLES:
            raise UsageError(
                f"the model keeps {variables} variables, but ESPHome at most {MOST_VARIABLES}"
            )

    def _dense(
        self,
        source: int,
        weights: npt.NDArray[np.int8],
        weight_scale: float,
        bias: Sequence[int],
        target: int,
    ) -> None:
        """Add a dense layer; `bias` has the scale of the products."""
        matrix = self._tensor(weights.shape, "INT8", weight_scale, data=weights)
        bias_scale = self._scale(source) * weight_scale
        offsets = self._tensor((len(bias),), "INT32", bias_scale, data=np.array(bias, np.int32))
        self._add("FULLY_CONNECTED", [source, matrix, offsets], [target], "FullyConnected")

    def _split(self, source: int, count: int) -> list[int]:
        """The elements of int8[1, count] as int8[1, 1]."""
        if count == 1:
            return [source]
        parts = [self._factor() for _ in range(count)]
        axis = self._tensor((), "INT32", data=np.array(1, np.int32))
        inputs = [source, self._numbers([1] * count), axis]
        self._add("SPLIT_V", inputs, parts, "SplitV", numSplits=count)
        return parts

    def _scale(self, tensor: int) -> float:
        return float(self._graph.tensors[tensor].quantization.scale[0])

    def _factor(self) -> int:
        return self._tensor((1, 1), "INT8", _FULL_SCALE, SCORE_ZERO_POINT)

    def _numbers(self, values: Sequence[int]) -> int:
        return self._tensor((len(values),), "INT32", data=np.array(values, np.int32))

    def _tensor(
        self,
        shape: Sequence[int],
        kind: str,
        scale: float | None = None,
        zero_point: int = 0,
        data: npt.NDArray[Any] | None = None,
    ) -> int:
        made = self._schema.TensorT()
        made.shape = np.array(shape, np.int32)
        made.type = getattr(self._schema.TensorType, kind)
        made.buffer = 0
        if scale is not None:
            made.quantization = self._schema.QuantizationParametersT()
            made.quantization.scale = np.array([scale], np.float32)
            made.quantization.zeroPoint = np.array([zero_point], np.int64)
        if data is not None:
            buffer = self._schema.BufferT()
            buffer.data = np.frombuffer(data.tobytes(), np.uint8)
            self.table.buffers.append(buffer)
            made.buffer = len(self.table.buffers) - 1
        self._graph.tensors.append(made)
        return len(self._graph.tensors) - 1

    def _add(self, *args: Any, **fields: Any) -> None:
        self._ops.append(self._made(*args, **fields))

    def _made(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: str | None = None,
        **fields: Any,
    ) -> Any:
        code = self._schema.OperatorCodeT()
        code.builtinCode = getattr(self._schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = 1
        self.table.operatorCodes.append(code)
        op = self._schema.OperatorT()
        op.opcodeIndex = len(self.table.operatorCodes) - 1
        op.inputs = np.array(inputs, np.int32)
        op.outputs = np.array(outputs, np.int32)
        if options is not None:
            op.builtinOptionsType = getattr(self._schema.BuiltinOptions, f"{options}Options")
            op.builtinOptions = getattr(self._schema, f"{options}OptionsT")()
            for key, value in fields.items():
                setattr(op.builtinOptions, key, value)
        return op
