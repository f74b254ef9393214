# SPDX-License-Identifier: Apache-2.0
"""Mixes the channels of a recording: their average, unless that hides the voice.

Two channels may cancel each other, and some may contain only noise. The choice compares contrast:
the level of a signal's loud parts relative to its quiet parts, which is high for speech.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]

SEARCHED_SECONDS = 120
"""Seconds at the start that determine the choice."""

_FRAME_SECONDS = 0.02
_MARGIN_DB = 6.0
"""A channel with this much more contrast replaces the average."""

_ALIKE_DB = 3.0
"""Among channels within this contrast, the loudest is used."""

_MOST_DB = 40.0
"""Higher contrast is ignored: it comes from digital silence in pauses."""

_CANCELLED = 0.1
"""Channels cancel if their average has less than this share of the power of unrelated channels."""

_FAR = 2.0
"""Samples with a higher peak (1 is full scale) are scaled, not clipped. Lossy codecs overshoot."""

_SILENT = 1e-7  # mean square


@dataclass(frozen=True)
class Mix:
    """Conversion of a recording to one channel within full scale."""

    channels: int
    """Number of channels in the file."""

    channel: int | None = None
    """The channel used, from 1; None for the average of all."""

    divisor: float = 1.0
    """Divisor of the samples: a power of two, 1 unless they are far above full scale."""

    reason: str = ""
    """Why a single channel was chosen; empty if the user chose it, or for the average."""

    def apply(self, samples: npt.NDArray[Any]) -> Samples:
        """The samples of one channel: float32[n], from -1 to 1.

        Args:
            samples: int16 or float32[n, channels].
        """
        if samples.dtype == np.int16:
            samples = samples.astype(np.float32) / np.float32(32768)
        if self.channel is not None:
            mono: Samples = samples[:, self.channel - 1].astype(np.float32)
        else:
            with np.errstate(invalid="ignore", over="ignore"):  # NaN is detected later
                mono = samples.mean(axis=1, dtype=np.float32)
        if self.divisor == 1.0:
            return mono
        scaled: Samples = np.ldexp(mono, -round(np.log2(self.divisor)))
        return scaled

    @property
    def text(self) -> str:
        """Description of the mix."""
        if self.channels == 1:
            return "mono"
        if self.channel is None:
            return f"average of {self.channels} channels"
        why = f" ({self.reason})" if self.reason else ""
        return f"channel {self.channel} of {self.channels}{why}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the user about an unusual mix."""
        lines = []
        if self.reason:
            lines.append(f"{self.reason}: using {self.text.partition(' (')[0]} (--channel)")
        if self.divisor != 1.0:
            lines.append(
                f"samples are up to {self.divisor:g} times full scale; divided by {self.divisor:g}"
            )
        return tuple(lines)


def choose_mix(samples: Samples, rate: int, channel: int | None = None) -> Mix:
    """Choose the mix of a recording.

    Args:
        samples: its first `SEARCHED_SECONDS`, float32[n, channels].
        rate: samples per second.
        channel: the channel that the user chose, from 1.
    """
    channels = samples.shape[1]
    reason = ""
    finite = np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0)
    if channel is None and channels > 1:
        channel, reason = _best(finite, rate)
    heard = finite if channel is None else finite[:, channel - 1]
    peak = float(np.abs(heard).max(initial=0.0))
    divisor = 2.0 ** np.ceil(np.log2(peak)) if peak > _FAR else 1.0
    return Mix(channels, channel, float(divisor), reason)


def _best(samples: Samples, rate: int) -> tuple[int | None, str]:
    """The channel to use and the reason; None if the average is good enough."""
    mixed = np.column_stack([samples, samples.mean(axis=1, dtype=np.float64)])
    frame = max(1, round(rate * _FRAME_SECONDS))
    count = max(1, len(mixed) // frame)
    parts = np.array_split(mixed, count)
    energy = np.stack([np.mean(part**2, axis=0) for part in parts])
    quiet, loud = np.percentile(energy, (10, 95), axis=0)
    floor = np.maximum(quiet, np.maximum(_SILENT, loud / 10 ** (_MOST_DB / 10)))
    contrast = 10 * np.log10(np.maximum(loud, floor) / floor)
    of_channels, of_mean = contrast[:-1], float(contrast[-1])
    good = of_channels >= of_channels.max() - _ALIKE_DB
    best = int(np.argmax(np.where(good, loud[:-1], -1.0)))
    if (
        loud[best] > _SILENT
        and energy[:, -1].mean() < _CANCELLED * energy[:, :-1].mean() / (samples.shape[1])
    ):
        return best + 1, "the channels cancel each other"
    if of_channels[best] - of_mean >= _MARGIN_DB:
        return best + 1, "other channels contain noise"
    return None, ""
