# SPDX-License-Identifier: Apache-2.0
"""Unpacks a .tflite file to mutable objects, and packs them again.

Needs flatbuffers, which comes with TensorFlow. Without it, importing this module raises a ToolError
that names the extra.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kws.convert.backend import quiet
from kws.extras import require

_PURPOSE = "changing a model"
flatbuffers = require("flatbuffers", "train", _PURPOSE)

_ALIGNMENT = 16
"""Alignment of constants in TFLite's schema, in bytes: kernels read whole words."""


class _SharingBuilder(flatbuffers.Builder):  # type: ignore[misc, name-defined] # has no types
    """Writes equal vectors and strings once, such as the all-zero zero points of filters."""

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


def schema() -> Any:
    """The classes that flatc generates from TFLite's schema."""
    with quiet():
        return require("tensorflow.lite.python.schema_py_generated", "train", _PURPOSE)


def unpack(model: bytes) -> Any:
    """The schema's ModelT of a .tflite file."""
    return schema().ModelT.InitFromPackedBuf(model, 0)


def pack(table: Any) -> bytes:
    """The .tflite file of a ModelT, with equal constants and names written once."""
    builder = _SharingBuilder()
    builder.Finish(table.Pack(builder), b"TFL3")
    return bytes(builder.Output())
