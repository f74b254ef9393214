# SPDX-License-Identifier: Apache-2.0
"""What the frontend is set to."""

from __future__ import annotations

from dataclasses import dataclass

from kws import _core

HOP = _core.STRIDE_SAMPLES
"""Samples from one frame to the next."""

HOP_MS = HOP * 1000 // _core.SAMPLE_RATE
"""The same in milliseconds."""


STRIDES = (HOP, HOP // 2)
"""From one frame to the next; half a hop for models that were trained so."""

SHORTEST_WINDOW_MS = (_core.SHORTEST_WINDOW + 1) * HOP_MS
LONGEST_WINDOW_MS = (_core.LONGEST_WINDOW + 1) * HOP_MS
"""What a model may see at a time."""


def frames_in(window_ms: int) -> int:
    """Frames of a clip of so many milliseconds, whose last hop may be begun: 49 for 1000 ms."""
    return -(-window_ms // HOP_MS) - 1


@dataclass(frozen=True)
class FrontendSettings:
    """What a spectrogram is made with. The values are the core's; a bundle must agree with them."""

    sample_rate: int = _core.SAMPLE_RATE
    """Samples per second."""

    window_samples: int = _core.WINDOW_SAMPLES
    """Samples in a frame's window (30 ms)."""

    stride_samples: int = _core.STRIDE_SAMPLES
    """Samples from one frame to the next: one hop (20 ms), or half of one."""

    channels: int = _core.CHANNELS
    """int8 values in a frame."""

    frames: int = _core.SPECTROGRAM_FRAMES
    """Frames in the spectrogram that a model sees, 25 to 150; 49 are 1 s."""

    @property
    def clip_samples(self) -> int:
        """Samples of a clip that a model sees whole, in whole hops: 16000 for 49 frames."""
        samples = self.window_samples + (self.frames - 1) * self.stride_samples
        return -(-samples // HOP) * HOP

    @property
    def clip_ms(self) -> int:
        """The same in milliseconds."""
        return self.clip_samples * 1000 // self.sample_rate
