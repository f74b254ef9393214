# SPDX-License-Identifier: Apache-2.0
"""Shrinks a .tflite file by removing names and metadata that only the converter needs."""

from __future__ import annotations

from kws.convert.model_table import pack, unpack


def slim(model: bytes) -> bytes:
    """The same model with short tensor names (their last part) and no names of constants."""
    table = unpack(model)
    for graph in table.subgraphs:
        outside = {*graph.inputs, *graph.outputs}
        for index, tensor in enumerate(graph.tensors):
            constant = table.buffers[tensor.buffer].data is not None
            if index not in outside:
                tensor.name = None if constant else tensor.name.rsplit(b"/")[-1]
    table.metadata = [m for m in table.metadata or [] if m.name == b"min_runtime_version"]
    return pack(table)
