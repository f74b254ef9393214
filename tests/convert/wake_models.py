"""A small model in microWakeWord's format: three new frames, kept frames, one uint8 probability."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.runtime.model_builder import ModelBuilder

STEP, KEPT, CHANNELS = 3, 2, 40
INPUT_SCALE = 0.10196078568696976


def wake_model(step: int = STEP) -> bytes:
    """Detects loud sound: a dense layer with equal weights over the last frames."""
    m = ModelBuilder()
    frames = KEPT + step
    features = ("int8", INPUT_SCALE, -128)
    x = m.tensor((1, step, CHANNELS), *features)
    once = m.add_graph()
    m.op("CALL_ONCE", [], [], "CallOnceOptions", initSubgraphIndex=once)
    silence = np.full((1, KEPT, CHANNELS), -128)
    first = m.tensor((1,), "resource", graph=once)
    zeros = m.tensor(silence.shape, *features, data=silence, graph=once)
    name: dict[str, Any] = {"container": "", "sharedName": "frames"}
    m.op("VAR_HANDLE", [], [first], "VarHandleOptions", graph=once, **name)
    m.op("ASSIGN_VARIABLE", [first, zeros], [], "AssignVariableOptions", graph=once)

    handle = m.tensor((1,), "resource")
    m.op("VAR_HANDLE", [], [handle], "VarHandleOptions", **name)
    old = m.tensor((1, KEPT, CHANNELS), *features)
    m.op("READ_VARIABLE", [handle], [old], "ReadVariableOptions")
    window = m.tensor((1, frames, CHANNELS), *features)
    m.op("CONCATENATION", [old, x], [window], "ConcatenationOptions", axis=1)
    newest = m.tensor((1, KEPT, CHANNELS), *features)
    bounds = [
        m.tensor((3,), "int32", data=np.array(numbers))
        for numbers in ([0, step, 0], [1, frames, CHANNELS], [1, 1, 1])
    ]
    m.op("STRIDED_SLICE", [window, *bounds], [newest], "StridedSliceOptions")
    m.op("ASSIGN_VARIABLE", [handle, newest], [], "AssignVariableOptions")
    size = frames * CHANNELS
    flat = m.tensor((1, size), *features)
    shape = m.tensor((2,), "int32", data=np.array([1, size]))
    m.op("RESHAPE", [window, shape], [flat], "ReshapeOptions", newShape=[1, size])
    weight_scale = 2 / size
    weights = m.tensor((1, size), "int8", weight_scale, 0, np.ones((1, size)))
    # Features are 0 to 26; a mean of 13 gives a probability of one half.
    bias_data = np.array([-26 / (INPUT_SCALE * weight_scale)])
    bias = m.tensor((1,), "int32", INPUT_SCALE * weight_scale, 0, bias_data)
    logit = m.tensor((1, 1), "int8", 0.1, 0)
    m.op("FULLY_CONNECTED", [flat, weights, bias], [logit], "FullyConnectedOptions")
    score = m.tensor((1, 1), "int8", 1 / 256, -128)
    m.op("LOGISTIC", [logit], [score])
    probability = m.tensor((1, 1), "uint8", 1 / 256, 0)
    m.op("QUANTIZE", [score], [probability], "QuantizeOptions")
    return m.build([x], [probability], ([], []))


def write_manifest(folder: Path, name: str = "loud (1)", **changes: Any) -> Path:
    """Write model and manifest; `changes` apply to the table `micro`, None removes a key."""
    micro = {"probability_cutoff": 0.9, "sliding_window_size": 5, "feature_step_size": 10}
    micro = {key: value for key, value in {**micro, **changes}.items() if value is not None}
    step = STEP if micro.get("feature_step_size") == 10 else 1
    (folder / f"{name}.tflite").write_bytes(wake_model(step))
    table = {
        "type": "micro",
        "wake_word": "Something Loud",
        "author": "Nobody",
        "model": f"{name}.tflite",
        "version": 2,
        "micro": micro,
    }
    file = folder / f"{name}.json"
    file.write_text(json.dumps(table))
    return file
