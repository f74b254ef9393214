# SPDX-License-Identifier: Apache-2.0
"""Builds the graph of an incremental model, tensor by tensor and operator by operator."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from kws.convert.incremental.window_graph import Op, WindowGraph
from kws.convert.model_table import schema

_VERSIONS = {"CONCATENATION": 2, "SLICE": 2, "PAD": 2}
"""Versions of ops that gained int8 support later."""


class IncrementalGraph:
    """Builds a model from another model's tensors, in other sizes."""

    def __init__(self, whole: WindowGraph) -> None:
        self._schema = schema()
        self._whole = whole
        self._table = copy.copy(whole.table)
        self._table.operatorCodes = list(whole.table.operatorCodes)
        self._table.buffers = list(whole.table.buffers)
        self._table.signatureDefs = None  # they refer to the other model's tensors
        self._tensors: list[Any] = []
        self._ops: list[Any] = []
        self._copies: dict[int, int] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._cut_constants: dict[tuple[int, int, int], int] = {}
        self._codes: dict[str, int] = {}
        self._variables = 0

    def shape(self, tensor: int) -> list[int]:
        """A tensor's dimensions."""
        return [int(size) for size in self._tensors[tensor].shape]

    def tensor(self, like: int, shape: Sequence[int], name: bytes | None = None) -> int:
        """A new tensor of the type and quantization of the whole model's tensor `like`."""
        made = copy.copy(self._whole.tensors[like])
        made.shape = np.array(shape, np.int32)
        made.shapeSignature = None
        made.buffer = 0
        made.name = name
        self._tensors.append(made)
        return len(self._tensors) - 1

    def original(self, tensor: int) -> int:
        """The whole model's tensor in full size: a constant, or one that is computed completely."""
        if tensor not in self._copies:
            made = copy.copy(self._whole.tensors[tensor])
            if not self._whole.is_constant(tensor):
                made.buffer = 0
            self._tensors.append(made)
            self._copies[tensor] = len(self._tensors) - 1
        return self._copies[tensor]

    def cut_constant(self, tensor: int, start: int, stop: int) -> int:
        """Elements `start` to `stop - 1` of dimension 1 of an int8 constant of the whole model."""
        shape = self._whole.shape(tensor)
        if (start, stop) == (0, shape[1]):
            return self.original(tensor)
        key = (tensor, start, stop)
        if key not in self._cut_constants:
            values = self._whole.values(tensor).reshape(shape)[:, start:stop]
            buffer = self._schema.BufferT()
            buffer.data = np.ascontiguousarray(values).view(np.uint8).ravel()
            self._table.buffers.append(buffer)
            made = self.tensor(tensor, values.shape)
            self._tensors[made].buffer = len(self._table.buffers) - 1
            self._cut_constants[key] = made
        return self._cut_constants[key]

    def numbers(self, values: Sequence[int], columns: int = 0) -> int:
        """A constant of int32 values, shaped to rows of `columns` if given."""
        key = (columns, *values)
        if key not in self._numbers:
            buffer = self._schema.BufferT()
            buffer.data = np.array(values, np.int32).view(np.uint8)
            self._table.buffers.append(buffer)
            made = self._schema.TensorT()
            made.shape = np.array([-1, columns] if columns else [-1], np.int32)
            made.shape[0] = len(values) // (columns or 1)
            made.type = self._schema.TensorType.INT32
            made.buffer = len(self._table.buffers) - 1
            self._tensors.append(made)
            self._numbers[key] = len(self._tensors) - 1
        return self._numbers[key]

    def copy_op(
        self, op: Op, inputs: Sequence[int], outputs: Sequence[int], **options: Any
    ) -> None:
        """Copy an operator of the whole model to other tensors, with some options changed."""
        made = copy.copy(op.table)
        made.inputs = np.array(inputs, np.int32)
        made.outputs = np.array(outputs, np.int32)
        if options and made.builtinOptions is not None:
            made.builtinOptions = copy.copy(made.builtinOptions)
            for name, value in options.items():
                setattr(made.builtinOptions, name, value)
        self._ops.append(made)

    def join(self, like: int, parts: Sequence[int], axis: int) -> int:
        """Concatenate parts of the whole model's tensor `like`."""
        if len(parts) == 1:
            return parts[0]
        shape = self.shape(parts[0])
        shape[axis] = sum(self.shape(part)[axis] for part in parts)
        joined = self.tensor(like, shape)
        self._op("CONCATENATION", parts, [joined], "Concatenation", axis=axis)
        return joined

    def cut(self, like: int, tensor: int, axis: int, start: int, stop: int) -> int:
        """Elements `start` to `stop - 1` of a dimension, or the tensor itself if that is all."""
        shape = self.shape(tensor)
        if (start, stop) == (0, shape[axis]):
            return tensor
        begin = [0] * len(shape)
        begin[axis], shape[axis] = start, stop - start
        part = self.tensor(like, shape)
        inputs = [tensor, self.numbers(begin), self.numbers(shape)]
        self._op("SLICE", inputs, [part], "Slice")
        return part

    def pad(self, like: int, tensor: int, pads: Sequence[tuple[int, int]]) -> int:
        """Pad the tensor with its zero point; the tensor itself if `pads` are all 0."""
        if all(pad == (0, 0) for pad in pads):
            return tensor
        shape = [
            size + before + behind
            for size, (before, behind) in zip(self.shape(tensor), pads, strict=True)
        ]
        padded = self.tensor(like, shape)
        flat = [number for pad in pads for number in pad]
        self._op("PAD", [tensor, self.numbers(flat, columns=2)], [padded], "Pad")
        return padded

    def variable(self, like: int, shape: Sequence[int]) -> tuple[int, int]:
        """A variable that is kept between calls: its handle, and its value."""
        handle = self._schema.TensorT()
        handle.type = self._schema.TensorType.RESOURCE
        handle.shape = np.array([1], np.int32)
        self._tensors.append(handle)
        place = len(self._tensors) - 1
        name = f"rows_{self._variables}".encode()
        self._variables += 1
        self._op("VAR_HANDLE", [], [place], "VarHandle", container=b"", sharedName=name)
        held = self.tensor(like, shape)
        self._op("READ_VARIABLE", [place], [held], "ReadVariable")
        return place, held

    def assign(self, handle: int, tensor: int) -> None:
        """Store a tensor in a variable."""
        self._op("ASSIGN_VARIABLE", [handle, tensor], [], "AssignVariable")

    def build(self, inputs: Sequence[int], outputs: Sequence[int]) -> Any:
        """The schema's ModelT with these inputs and outputs."""
        graph = copy.copy(self._table.subgraphs[0])
        graph.tensors, graph.operators = self._tensors, self._ops
        graph.inputs = np.array(inputs, np.int32)
        graph.outputs = np.array(outputs, np.int32)
        self._table.subgraphs = [graph]
        self._drop_unused_buffers()
        return self._table

    def _drop_unused_buffers(self) -> None:
        holders = [*self._tensors, *(self._table.metadata or [])]
        used = sorted({0, *(int(holder.buffer) for holder in holders)})
        places = {buffer: place for place, buffer in enumerate(used)}
        self._table.buffers = [self._table.buffers[buffer] for buffer in used]
        self._table.metadata = [copy.copy(entry) for entry in self._table.metadata or []]
        for holder in [*self._tensors, *self._table.metadata]:
            holder.buffer = places[int(holder.buffer)]

    def _op(
        self, name: str, inputs: Sequence[int], outputs: Sequence[int], kind: str, **fields: Any
    ) -> None:
        made = self._schema.OperatorT()
        made.opcodeIndex = self._code(name)
        made.inputs = np.array(inputs, np.int32)
        made.outputs = np.array(outputs, np.int32)
        made.builtinOptionsType = getattr(self._schema.BuiltinOptions, f"{kind}Options")
        made.builtinOptions = getattr(self._schema, f"{kind}OptionsT")()
        for key, value in fields.items():
            setattr(made.builtinOptions, key, value)
        self._ops.append(made)

    def _code(self, name: str) -> int:
        if name not in self._codes:
            code = self._schema.OperatorCodeT()
            code.builtinCode = getattr(self._schema.BuiltinOperator, name)
            code.deprecatedBuiltinCode = min(code.builtinCode, 127)
            code.version = _VERSIONS.get(name, 1)
            self._table.operatorCodes.append(code)
            self._codes[name] = len(self._table.operatorCodes) - 1
        return self._codes[name]
