# SPDX-License-Identifier: Apache-2.0
"""PCM to spectrogram, through the core, and what the int8 values mean."""

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
"""What the core gives for a batch of clips: int8[n, frames, 40]."""

SHAPE = (_core.SPECTROGRAM_FRAMES, _core.CHANNELS)
"""Frames and channels of the spectrogram of one second: what a model usually sees."""

INPUT_SCALE = 1 / 256
INPUT_ZERO_POINT = -128
"""A float model learns on (value + 128) / 256, which is 0 for a silent channel. An int8 model's
input has this scale and zero point, so that it takes the core's values as they are."""


def spectrogram(
    pcm: npt.NDArray[np.int16], stride_samples: int = _core.STRIDE_SAMPLES
) -> npt.NDArray[np.int8]:
    """The frames of a clip, from a zero noise estimate and without its constant offset.

    A device makes them in the same way.

    Args:
        pcm: int16[n], 16 kHz, mono.
        stride_samples: from one frame to the next, as the frontend has it: 20 ms, or half of it.

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
    frontend = _core.Frontend(stride_samples)
    return frontend.process(_core.without_offset(pcm[np.newaxis])[0])


def batch_spectrograms(clips: npt.NDArray[np.int16], threads: int = 0) -> Spectrograms:
    """The frames of many clips, each as of `spectrogram`.

    Args:
        clips: int16[n, samples], 16 kHz, mono.
        threads: 0 for all cores.

    Returns:
        int8[n, frames, 40]; frames is 0 if the clips are shorter than one window (30 ms).
    """
    return _core.features(_core.without_offset(clips), threads=threads)


def last_frames(clips: npt.NDArray[np.int16], frames: int) -> Spectrograms:
    """What a model sees at the end of each clip: int8[n, frames, 40].

    Args:
        clips: int16[n, samples], 16 kHz, mono, at least so many frames. The noise estimate runs
            from the beginning of a clip.
        frames: of the model's window.
    """
    return batch_spectrograms(clips)[:, -frames:]


def windows_of(frames: npt.NDArray[np.int8], length: int, step: int) -> Spectrograms:
    """What a model takes in each call, of the frames of a recording: int8[calls, length, 40].

    Args:
        frames: int8[frames, 40], as `spectrogram` gives them.
        length: frames that the model takes at a time.
        step: from the first frame of a call to that of the next.

    Returns:
        The first call has the first frames. Frames that fill no call at the end are left out.
    """
    windows = np.lib.stride_tricks.sliding_window_view(frames, length, axis=0)[::step]
    return np.ascontiguousarray(windows.transpose(0, 2, 1))


def after_silence(spectrograms: Spectrograms, frames: int) -> Spectrograms:
    """Spectrograms with so many frames of silence (-128, no energy) in front."""
    return np.pad(spectrograms, [(0, 0), (frames, 0), (0, 0)], constant_values=INPUT_ZERO_POINT)


def to_float(values: Spectrograms) -> npt.NDArray[np.float32]:
    """What the float model takes: float[n, frames, 40, 1] from 0 to 255/256."""
    floats = values.astype(np.float32)
    floats -= INPUT_ZERO_POINT
    floats *= INPUT_SCALE
    return floats[..., None]


def of_recording(
    path: Path, channel: int | None = None, stride_samples: int = _core.STRIDE_SAMPLES
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """The samples of a recording and its frames; what is odd about it is said on stderr.

    Args:
        path: the recording.
        channel: the channel to hear, from 1; None to choose.
        stride_samples: from one frame to the next, as of `spectrogram`.

    Raises:
        AudioError: the file cannot be read, or is shorter than one window.
        UsageError: it has no such channel.
    """
    pcm = hear(path, channel).pcm
    try:
        return pcm, spectrogram(pcm, stride_samples)
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
