# SPDX-License-Identifier: Apache-2.0
"""Narrows the int8 range before the softmax.

The converter uses the whole calibration range, including values far below the highest. The softmax
turns these into 0, yet they make the int8 steps two or three times coarser.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws.convert.backend import quiet

_DEPTH = 6.5
"""exp(-6.5) is 1/665: less than half a step of the softmax's output of 1/256."""


def narrow_logits(model: bytes, logits: npt.NDArray[np.float32]) -> bytes:
    """The same model with finer steps before its softmax; lower values are clipped.

    Args:
        model: a .tflite file from the converter, which ends with a softmax.
        logits: the float model's output for clips, float[n, classes].
    """
    with quiet():
        from tensorflow.lite.python import (  # noqa: PLC0415 - slow, for training only
            schema_py_generated as schema,
        )
    data = bytearray(model)
    table = schema.Model.GetRootAs(data)
    graph = table.Subgraphs(0)
    last = graph.Operators(graph.OperatorsLength() - 1)
    kind = table.OperatorCodes(last.OpcodeIndex()).BuiltinCode()
    quantization = graph.Tensors(last.Inputs(0)).Quantization()
    if kind != schema.BuiltinOperator.SOFTMAX or quantization is None:
        return model
    # These arrays are views of `data`.
    scale, zero_point = quantization.ScaleAsNumpy(), quantization.ZeroPointAsNumpy()
    highest = logits.max(axis=1)
    top, bottom = max(float(highest.max()), 0.0), min(float(highest.min()) - _DEPTH, 0.0)
    narrow = (top - bottom) / 255
    if narrow < scale[0]:
        scale[0] = narrow
        zero_point[0] = round(-128 - bottom / narrow)
    return bytes(data)
