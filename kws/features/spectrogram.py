# SPDX-License-Identifier: Apache-2.0
"""Converts PCM to spectrograms with the core, and defines the scale of the int8 values."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.sound_files import hear
from kws.errors import AudioError
from kws.files import atomic_write

Spectrograms = npt.NDArray[np.int8]
"""Spectrograms of a batch of clips: int8[n, frames, 40]."""

SHAPE = (_core.SPECTROGRAM_FRAMES, _core.CHANNELS)
"""Frames and channels of a one-second spectrogram, the usual input of a model."""

INPUT_SCALE = 1 / 256
INPUT_ZERO_POINT = -128
"""A float model trains on (value + 128) / 256, which is 0 for a silent channel. An int8 model's
input has this scale and zero point, so it takes the core's values unchanged."""


def spectrogram(
    pcm: npt.NDArray[np.int16],
    stride_samples: int = _core.STRIDE_SAMPLES,
    *,
    keep_noise: bool = False,
) -> npt.NDArray[np.int8]:
    """The frames of a clip, with no initial noise estimate and no DC offset, as on a device.

    Args:
        pcm: int16[n], 16 kHz, mono.
        stride_samples: samples from one frame to the next: 20 ms or 10 ms.
        keep_noise: see `FrontendSettings`.

    Returns:
        int8[frames, 40], at least one frame.

    Raises:
        AudioError: the clip is shorter than one window (30 ms).
    """
    if len(pcm) < _core.WINDOW_SAMPLES:
        raise AudioError(
            f"a clip of {len(pcm)} samples is shorter than one frame "
            f"({_core.WINDOW_SAMPLES} samples, 30 ms); record a longer one"
        )
    frontend = _core.Frontend(stride_samples, keep_noise)
    return frontend.process(_core.without_offset(pcm[np.newaxis])[0])


def batch_spectrograms(
    clips: npt.NDArray[np.int16], threads: int = 0, *, keep_noise: bool = False
) -> Spectrograms:
    """The frames of many clips, each as in `spectrogram`.

    Args:
        clips: int16[n, samples], 16 kHz, mono.
        threads: 0 for all cores.
        keep_noise: see `FrontendSettings`.

    Returns:
        int8[n, frames, 40]; frames is 0 if the clips are shorter than one window (30 ms).
    """
    return _core.features(_core.without_offset(clips), threads=threads, keep_noise=keep_noise)


def last_frames(
    clips: npt.NDArray[np.int16], frames: int, *, keep_noise: bool = False
) -> Spectrograms:
    """The model's window at the end of each clip: int8[n, frames, 40].

    Args:
        clips: int16[n, samples], 16 kHz, mono, with at least `frames` frames. The noise estimate
            runs from the beginning of a clip.
        frames: frames in the model's window.
        keep_noise: see `FrontendSettings`.
    """
    return batch_spectrograms(clips, keep_noise=keep_noise)[:, -frames:]


def windows_of(frames: npt.NDArray[np.int8], length: int, step: int) -> Spectrograms:
    """The model's input in each call over a recording: int8[calls, length, 40].

    Args:
        frames: int8[frames, 40] from `spectrogram`.
        length: frames per call.
        step: frames from the start of a call to the start of the next.

    Returns:
        The first call has the first frames. Leftover frames at the end are dropped.
    """
    windows = np.lib.stride_tricks.sliding_window_view(frames, length, axis=0)[::step]
    return np.ascontiguousarray(windows.transpose(0, 2, 1))


def after_silence(spectrograms: Spectrograms, frames: int) -> Spectrograms:
    """Spectrograms with frames of silence (-128, no energy) in front."""
    return np.pad(spectrograms, [(0, 0), (frames, 0), (0, 0)], constant_values=INPUT_ZERO_POINT)


def to_float(values: Spectrograms) -> npt.NDArray[np.float32]:
    """Input of the float model: float[n, frames, 40, 1] from 0 to 255/256."""
    floats = values.astype(np.float32)
    floats -= INPUT_ZERO_POINT
    floats *= INPUT_SCALE
    return floats[..., None]


def of_recording(
    path: Path,
    channel: int | None = None,
    stride_samples: int = _core.STRIDE_SAMPLES,
    *,
    keep_noise: bool = False,
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """The samples and frames of a recording; its notes go to stderr.

    Args:
        path: the recording.
        channel: channel to use, from 1; None to choose one.
        stride_samples: see `spectrogram`.
        keep_noise: likewise.

    Raises:
        AudioError: the file cannot be read, or is shorter than one window.
        UsageError: it has no such channel.
    """
    pcm = hear(path, channel).pcm
    try:
        return pcm, spectrogram(pcm, stride_samples, keep_noise=keep_noise)
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
