# SPDX-License-Identifier: Apache-2.0
"""ONNX models with reproducible noise.

ONNX Runtime seeds a random node once, when it loads the model; later noise depends on all earlier
runs. So each random node is replaced by an input of the model, and numpy draws the noise.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.errors import DataError
from kws.extras import require

_RANDOM = "RandomNormalLike"
_DEFAULTS = {"mean": 0.0, "scale": 1.0}

_SIZE = 1 << 19
"""Random numbers per node: Piper needs 192 per 12 ms of speech, so this is enough for 30 s."""


class SeededModel:
    """A model with one output and seeded noise.

    It runs on one thread, so that sums do not depend on the number of cores. Other processors may
    still round the last bits differently.
    """

    def __init__(self, path: Path) -> None:
        """Load a model.

        Raises:
            DataError: the file is not an ONNX model.
            ToolError: a package of the extra is missing.
        """
        onnx = require("onnx", "voices", "a voice of Piper")
        require("onnxruntime", "voices", "a voice of Piper")
        try:
            model = onnx.load(path)
            self._noises = _replace_random_nodes(model, onnx)
            self._session = one_thread_session(model.SerializeToString())
        except Exception as error:
            raise not_a_model(path) from error

    def run(self, inputs: dict[str, npt.NDArray[Any]], seed: int) -> npt.NDArray[np.float32]:
        """The model's output, flattened. Inputs that the model does not have are ignored."""
        rng = np.random.default_rng(seed)
        noises = {name: rng.standard_normal(_SIZE, np.float32) for name in self._noises}
        known = {it.name for it in self._session.get_inputs()}
        fed = {name: value for name, value in inputs.items() if name in known}
        out: npt.NDArray[np.float32] = self._session.run(None, fed | noises)[0]
        return np.asarray(out, np.float32).ravel()


def one_thread_session(model: bytes | str) -> Any:
    """A single-threaded ONNX Runtime session for a model's bytes or path."""
    runtime = require("onnxruntime", "voices", "a voice of Piper or Kokoro")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def not_a_model(path: Path) -> DataError:
    """The error for a file that ONNX Runtime cannot load."""
    return DataError(f"{path}: not a voice, or damaged; download it again or remove it")


def _replace_random_nodes(model: Any, onnx: Any) -> list[str]:
    """Replace nodes that draw standard normal noise in x's shape; returns the new inputs' names.

    Each takes the first numbers of its input and reshapes them like x.
    """
    graph = model.graph
    nodes: list[Any] = []
    names: list[str] = []
    make = onnx.helper.make_node
    for node in graph.node:
        given = {attribute.name: attribute.f for attribute in node.attribute}
        if node.op_type != _RANDOM or any(given.get(k, v) != v for k, v in _DEFAULTS.items()):
            nodes.append(node)
            continue
        name = f"kws_noise_{len(names)}"
        shape, size, flat = (f"{name}_{part}" for part in ("shape", "size", "flat"))
        nodes += [
            make("Shape", [node.input[0]], [shape]),
            make("ReduceProd", [shape], [size], keepdims=1),
            make("Slice", [name, "kws_noise_start", size], [flat]),
            make("Reshape", [flat, shape], [node.output[0]]),
        ]
        graph.input.append(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [_SIZE])
        )
        names.append(name)
    if names:
        start = onnx.numpy_helper.from_array(np.zeros(1, np.int64), "kws_noise_start")
        graph.initializer.append(start)
        del graph.node[:]
        graph.node.extend(nodes)
    return names
