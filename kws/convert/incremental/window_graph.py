# SPDX-License-Identifier: Apache-2.0
"""Read access to the graph of a model that sees a whole window."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.convert.model_table import schema

_TYPES = {0: np.float32, 2: np.int32, 4: np.int64, 7: np.int16, 9: np.int8}
"""Types of constants, by the schema's TensorType."""


@dataclass(frozen=True)
class Op:
    """One operator."""

    index: int
    name: str
    """The schema's name, such as CONV_2D."""

    table: Any
    """The schema's OperatorT."""

    @property
    def inputs(self) -> list[int]:
        """Input tensors, without omitted ones."""
        return [int(i) for i in _list(self.table.inputs) if i >= 0]

    @property
    def outputs(self) -> list[int]:
        """Output tensors."""
        return [int(i) for i in _list(self.table.outputs)]

    @property
    def options(self) -> Any:
        """The operator's options in the schema."""
        return self.table.builtinOptions

    def __str__(self) -> str:
        return f"{self.name} (op {self.index})"


class WindowGraph:
    """The main graph of a model."""

    def __init__(self, table: Any) -> None:
        """`table` is the schema's ModelT."""
        self.table = table
        graph = table.subgraphs[0]
        self.tensors = graph.tensors
        self.inputs = [int(i) for i in _list(graph.inputs)]
        self.outputs = [int(i) for i in _list(graph.outputs)]
        names = self._names
        self.ops = []
        for index, op in enumerate(_list(graph.operators)):
            code = table.operatorCodes[op.opcodeIndex]
            # Files from before 2020 have the code only in the older field.
            number = max(code.builtinCode, code.deprecatedBuiltinCode)
            self.ops.append(Op(index, names.get(number, f"op code {number}"), op))

    @cached_property
    def _names(self) -> dict[int, str]:
        return {
            number: name
            for name, number in vars(schema().BuiltinOperator).items()
            if isinstance(number, int)
        }

    def shape(self, tensor: int) -> list[int]:
        """A tensor's dimensions."""
        return [int(size) for size in _list(self.tensors[tensor].shape)]

    def is_constant(self, tensor: int) -> bool:
        """Whether the file contains the tensor's values."""
        data = self.table.buffers[self.tensors[tensor].buffer].data
        return data is not None and len(data) > 0

    def values(self, tensor: int) -> npt.NDArray[Any]:
        """A constant's values, flattened."""
        data = self.table.buffers[self.tensors[tensor].buffer].data
        return np.asarray(data, np.uint8).view(_TYPES[self.tensors[tensor].type])


def _list(values: Any) -> list[Any]:
    return [] if values is None else list(values)
