# SPDX-License-Identifier: Apache-2.0
"""Settings of the frontend."""

from __future__ import annotations

from dataclasses import dataclass

from kws import _core

HOP = _core.STRIDE_SAMPLES
"""Samples from one frame to the next."""

HOP_MS = HOP * 1000 // _core.SAMPLE_RATE

STRIDES = (HOP, HOP // 2)
"""Possible strides, in samples; half a hop for models that were trained with it."""

SHORTEST_WINDOW_MS = (_core.SHORTEST_WINDOW + 1) * HOP_MS
LONGEST_WINDOW_MS = (_core.LONGEST_WINDOW + 1) * HOP_MS
"""Limits of a model's window."""


def frames_in(window_ms: int) -> int:
    """Frames in a clip of this length; its last hop may be partial: 49 for 1000 ms."""
    return -(-window_ms // HOP_MS) - 1


@dataclass(frozen=True)
class FrontendSettings:
    """Parameters of a spectrogram. The defaults are the core's; a bundle must agree with them."""

    sample_rate: int = _core.SAMPLE_RATE
    """Samples per second."""

    window_samples: int = _core.WINDOW_SAMPLES
    """Samples in a frame's window (30 ms)."""

    stride_samples: int = _core.STRIDE_SAMPLES
    """Samples from one frame to the next: a hop (20 ms) or half a hop."""

    channels: int = _core.CHANNELS
    """int8 values in a frame."""

    keep_noise: bool = False
    """Whether the features are logarithms of the amplitudes, without noise removal and gain."""

    frames: int = _core.SPECTROGRAM_FRAMES
    """Frames in a model's window, 25 to 150; 49 are 1 s."""

    @property
    def clip_samples(self) -> int:
        """Samples in a model's window, in whole hops: 16000 for 49 frames."""
        samples = self.window_samples + (self.frames - 1) * self.stride_samples
        return -(-samples // HOP) * HOP

    @property
    def clip_ms(self) -> int:
        """Length of a model's window in milliseconds."""
        return self.clip_samples * 1000 // self.sample_rate
