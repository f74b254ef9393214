"""PCM to spectrogram, through the core, and pictures of it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.sound_files import load_clip
from kws.errors import AudioError
from kws.files import atomic_write


def spectrogram(pcm: npt.NDArray[np.int16]) -> npt.NDArray[np.int8]:
    """The frames of a clip, from a zero noise estimate, as a device makes them.

    Args:
        pcm: int16[n], 16 kHz, mono.

    Returns:
        int8[frames, 40], a frame each 20 ms, at least one.

    Raises:
        AudioError: the clip is shorter than one window (30 ms).
    """
    if len(pcm) < _core.WINDOW_SAMPLES:
        raise AudioError(
            f"a clip of {len(pcm)} samples is shorter than one frame "
            f"({_core.WINDOW_SAMPLES} samples, 30 ms); record a longer one"
        )
    return _core.Frontend().process(np.ascontiguousarray(pcm, np.int16))


def of_recording(path: Path) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """The samples of a recording and its frames.

    Raises:
        AudioError: the file cannot be read, or is shorter than one window.
    """
    pcm = load_clip(path)
    try:
        return pcm, spectrogram(pcm)
    except AudioError as error:
        raise AudioError(f"{path}: {error}") from None


def save(path: Path, array: npt.NDArray[np.generic]) -> None:
    """Write an array as a .npy file under exactly this name.

    Raises:
        KwsError: the file could not be written.
    """
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    atomic_write(path, buffer.getvalue(), sync=False)
