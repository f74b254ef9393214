# SPDX-License-Identifier: Apache-2.0
"""A picture of a clip and its spectrogram."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.extras import require
from kws.files import atomic_write

_INK = "#26323f"


def channel_hertz() -> npt.NDArray[np.float64]:
    """The centre frequency of each channel: float64[40], Hz.

    The channels are triangles with half overlap, evenly spaced on the mel scale
    (1127 ln(1 + f / 700)).
    """
    low, high = (1127 * np.log1p(hertz / 700) for hertz in (_core.LOWEST_HZ, _core.HIGHEST_HZ))
    mels = np.linspace(low, high, _core.CHANNELS + 2)[1:-1]
    hertz: npt.NDArray[np.float64] = 700 * np.expm1(mels / 1127)
    return hertz


def save_picture(
    path: Path,
    pcm: npt.NDArray[np.int16],
    frames: npt.NDArray[np.int8],
    title: str,
    stride_samples: int = _core.STRIDE_SAMPLES,
) -> None:
    """Write a PNG: the waveform above, the spectrogram below, on one time axis.

    Args:
        path: the PNG file.
        pcm: int16[n], 16 kHz.
        frames: int8[frames, 40], the spectrogram of `pcm`; at least one frame.
        title: title of the picture.
        stride_samples: samples from one frame to the next.

    Raises:
        KwsError: the file could not be written.
        ToolError: matplotlib is not installed.
    """
    plt = require("matplotlib.figure", "plots", "a picture of a spectrogram")
    figure = plt.Figure(figsize=(9, 5.2), dpi=130, layout="constrained")
    wave, spectrum = figure.subplots(2, 1, sharex=True, height_ratios=[1, 2.4])
    seconds = len(pcm) / _core.SAMPLE_RATE
    times = np.arange(len(pcm)) / _core.SAMPLE_RATE

    wave.plot(times, pcm / 32768, color="#2a6f97", linewidth=0.6)
    peak = max(float(np.abs(pcm.astype(np.int32)).max()) / 32768, 0.01)
    wave.set_ylim(-1.1 * peak, 1.1 * peak)
    wave.set_ylabel("amplitude")
    wave.set_title(title, loc="left", color=_INK, fontweight="bold")
    wave.spines[["top", "right"]].set_visible(False)
    wave.grid(axis="x", color="#d8dee4", linewidth=0.6)

    # A frame is drawn as the stride around the middle of its window.
    middle = _core.WINDOW_SAMPLES / 2
    edges = (np.arange(len(frames) + 1) - 0.5) * stride_samples + middle
    image = spectrum.pcolormesh(
        edges / _core.SAMPLE_RATE,
        np.arange(_core.CHANNELS + 1),
        frames.T,
        cmap="magma",
        vmin=-128,
        vmax=127,
    )
    hertz = channel_hertz()
    ticks = [0, 5, 10, 15, 20, 25, 30, 35, 39]
    spectrum.set_yticks([tick + 0.5 for tick in ticks], [f"{hertz[tick]:,.0f}" for tick in ticks])
    spectrum.set_ylabel("channel centre (Hz)")
    spectrum.set_xlabel("time (s)")
    spectrum.set_xlim(0, seconds)
    bar = figure.colorbar(image, ax=spectrum, pad=0.01, aspect=30)
    bar.set_label("int8 value")
    bar.outline.set_visible(False)

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    atomic_write(path, buffer.getvalue(), sync=False)
