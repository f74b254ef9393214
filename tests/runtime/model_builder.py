"""Writes small .tflite models for tests, directly from the schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import flatbuffers
import numpy as np
from numpy.typing import NDArray
from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

_TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "int32": schema.TensorType.INT32,
    "int64": schema.TensorType.INT64,
    "int8": schema.TensorType.INT8,
    "uint8": schema.TensorType.UINT8,
    "uint32": schema.TensorType.UINT32,
    "uint64": schema.TensorType.UINT64,
    "int16": schema.TensorType.INT16,
    "bool": schema.TensorType.BOOL,
    "resource": schema.TensorType.RESOURCE,
}


@dataclass
class Graph:
    """A subgraph under construction; `tensor` returns the index of a tensor."""

    tensors: list[Any] = field(default_factory=list)
    operators: list[Any] = field(default_factory=list)


class ModelBuilder:
    """Collects tensors and operators; `build` returns the file's bytes."""

    def __init__(self) -> None:
        self.graphs = [Graph()]
        self.buffers: list[Any] = [schema.BufferT()]
        self._codes: list[Any] = []

    def add_graph(self) -> int:
        """Start another subgraph and return its index."""
        self.graphs.append(Graph())
        return len(self.graphs) - 1

    def tensor(
        self,
        shape: Sequence[int],
        dtype: str = "int8",
        scale: float | Sequence[float] | None = None,
        zero_point: int = 0,
        data: NDArray[Any] | None = None,
        *,
        axis: int = 0,
        variable: bool = False,
        graph: int = 0,
    ) -> int:
        """Add a tensor; `scale` as a list is per channel along `axis`, `data` makes a constant."""
        tensor = schema.TensorT()
        tensor.shape = list(shape)
        tensor.type = _TYPES[dtype]
        tensor.name = f"tensor_{len(self.graphs[graph].tensors)}"
        tensor.isVariable = variable
        tensor.hasRank = True
        if scale is not None:
            scales = [scale] if isinstance(scale, float) else list(scale)
            quantization = schema.QuantizationParametersT()
            quantization.scale = np.array(scales, np.float32)
            quantization.zeroPoint = np.full(len(scales), zero_point, np.int64)
            quantization.quantizedDimension = axis
            tensor.quantization = quantization
        tensor.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data, dtype).tobytes(), np.uint8)
            self.buffers.append(buffer)
            tensor.buffer = len(self.buffers) - 1
        elif not variable:
            self.buffers.append(schema.BufferT())
            tensor.buffer = len(self.buffers) - 1
        self.graphs[graph].tensors.append(tensor)
        return len(self.graphs[graph].tensors) - 1

    def op(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: str | None = None,
        *,
        version: int = 1,
        graph: int = 0,
        intermediates: Sequence[int] = (),
        **fields: Any,
    ) -> None:
        """Add operator `name` (ADD, CONV_2D, ...); `options` names the table that `fields` fill."""
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, name)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = version
        self._codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = len(self._codes) - 1
        operator.inputs = list(inputs)
        operator.outputs = list(outputs)
        if intermediates:
            operator.intermediates = list(intermediates)
        if options is not None:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(schema, options + "T")()
            for key, value in fields.items():
                assert hasattr(operator.builtinOptions, key), key
                setattr(operator.builtinOptions, key, value)
        self.graphs[graph].operators.append(operator)

    def custom_op(
        self, name: str, inputs: Sequence[int], outputs: Sequence[int], options: bytes
    ) -> None:
        """Add a custom operator; `options` is the data for the op's library."""
        self.op("CUSTOM", inputs, outputs)
        self._codes[-1].customCode = name
        operator = self.graphs[0].operators[-1]
        operator.customOptions = np.frombuffer(options, np.uint8)

    def build(
        self,
        inputs: Sequence[int],
        outputs: Sequence[int],
        *others: tuple[Sequence[int], Sequence[int]],
    ) -> bytes:
        """The file; `others` are the inputs and outputs of further subgraphs."""
        model = schema.ModelT()
        model.version = 3
        model.description = "kws test"
        model.operatorCodes = self._codes
        model.buffers = self.buffers
        model.subgraphs = []
        for graph, ends in zip(self.graphs, [(inputs, outputs), *others], strict=True):
            subgraph = schema.SubGraphT()
            subgraph.tensors = graph.tensors
            subgraph.operators = graph.operators
            subgraph.inputs, subgraph.outputs = list(ends[0]), list(ends[1])
            model.subgraphs.append(subgraph)
        builder = flatbuffers.Builder(4096)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())
