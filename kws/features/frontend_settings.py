# SPDX-License-Identifier: Apache-2.0
"""What the frontend is set to."""

from __future__ import annotations

from dataclasses import dataclass

from kws import _core

HOP = _core.STRIDE_SAMPLES
"""Samples from one frame to the next."""

HOP_MS = HOP * 1000 // _core.SAMPLE_RATE
"""The same in milliseconds."""


@dataclass(frozen=True)
class FrontendSettings:
    """What a spectrogram is made with. The values are the core's; a bundle must agree with them."""

    sample_rate: int = _core.SAMPLE_RATE
    """Samples per second."""

    window_samples: int = _core.WINDOW_SAMPLES
    """Samples in a frame's window (30 ms)."""

    stride_samples: int = _core.STRIDE_SAMPLES
    """Samples from one frame to the next (20 ms): one hop."""

    channels: int = _core.CHANNELS
    """int8 values in a frame."""

    frames: int = _core.SPECTROGRAM_FRAMES
    """Frames in the spectrogram that a model sees (1 s)."""
