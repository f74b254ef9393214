# SPDX-License-Identifier: Apache-2.0
"""A .tflite file without what only the converter needs: the same model in fewer bytes."""

from __future__ import annotations

from typing import Any

import flatbuffers
import numpy as np

from kws.convert.backend import quiet

_ALIGNMENT = 16
"""Of constants, in bytes, as TFLite's schema says: the kernels read whole words."""


class _SharingBuilder(flatbuffers.Builder):  # type: ignore[misc] # flatbuffers has no types
    """Writes equal vectors and texts once.

    A filter of 64 channels has 64 zero points of 8 bytes, all 0. Its biases have the same, and so
    have all other layers of 64 channels.
    """

    def __init__(self) -> None:
        super().__init__(1 << 16)
        self._vectors: dict[tuple[str, bytes], int] = {}

    def CreateNumpyVector(self, x: Any) -> int:  # noqa: N802 - flatbuffers' name
        key = (x.dtype.str, x.tobytes())
        if key not in self._vectors:
            if x.dtype == np.uint8:  # a constant's bytes
                self.Prep(_ALIGNMENT, len(key[1]))
            self._vectors[key] = super().CreateNumpyVector(x)
        return self._vectors[key]

    def CreateString(self, s: Any, *args: Any) -> int:  # noqa: N802 - flatbuffers' name
        key = ("text", bytes(s))
        if key not in self._vectors:
            self._vectors[key] = super().CreateString(s, *args)
        return self._vectors[key]


def slim(model: bytes) -> bytes:
    """The same model with short names: the last part of a tensor's name, none for constants.

    Args:
        model: a .tflite file that the converter wrote.
    """
    with quiet():
        from tensorflow.lite.python import (  # noqa: PLC0415 - slow, for training only
            schema_py_generated as schema,
        )
    table = schema.ModelT.InitFromPackedBuf(model, 0)
    for graph in table.subgraphs:
        outside = {*graph.inputs, *graph.outputs}
        for index, tensor in enumerate(graph.tensors):
            constant = table.buffers[tensor.buffer].data is not None
            if index not in outside:
                tensor.name = None if constant else tensor.name.rsplit(b"/")[-1]
    table.metadata = [m for m in table.metadata or [] if m.name == b"min_runtime_version"]
    builder = _SharingBuilder()
    builder.Finish(table.Pack(builder), b"TFL3")
    return bytes(builder.Output())
