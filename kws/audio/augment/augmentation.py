# SPDX-License-Identifier: Apache-2.0
"""Settings of the augmentation of training clips."""

from __future__ import annotations

from dataclasses import dataclass

from kws.config import check_settings, setting


@dataclass(frozen=True)
class Augmentation:
    """Settings of the augmentation of training clips. A share of 0 switches an effect off."""

    shift_ms: int = setting(
        400, 0, 900,
        "Maximum shift in time, in milliseconds, in both directions. On a device a word passes "
        "through the whole window and has to be recognized on most of its way.",
    )  # fmt: skip
    lead_ms: int = setting(
        0, 0, 10_000,
        "Milliseconds of the clip's noise before the clip, which only the frontend processes. On a "
        "device the noise estimate has settled before a word comes. A quarter of the clips have "
        "silence there, like the validation and test clips.",
    )  # fmt: skip
    speed: float = setting(
        0.1, 0, 0.5,
        "Maximum change of speed, as a share, in both directions. The pitch changes too.",
    )  # fmt: skip
    pitch: float = setting(
        0.1, 0, 1,
        "Share of the clips whose pace changes by up to another 20 % at the same pitch.",
    )  # fmt: skip
    room: float = setting(
        0.2, 0, 1,
        "Share of the clips with the echo of a room. With --rooms, half of the rooms come from "
        "there; the others are simulated.",
    )  # fmt: skip
    background: float = setting(
        0.7, 0, 1,
        "Share of the clips with noise: background recordings, coloured noise or babble.",
    )  # fmt: skip
    babble: float = setting(
        0.15, 0, 1, "Share of the noise that is a babble of other training clips."
    )
    talk: float = setting(
        0.3, 0, 1,
        "Share of the noise that is talk (--negatives). A higher share means fewer misses over "
        "talk and more false alarms in talk.",
    )  # fmt: skip
    snr_db: float = setting(5.0, -20, 60, "Lowest signal-to-noise ratio, in dB.")
    snr_range_db: float = setting(
        30.0, 0, 60, "Highest signal-to-noise ratio, in dB above `snr_db`."
    )
    gain_db: float = setting(
        30.0, 0, 60,
        "Width of the range of levels, in dB: two thirds are quieter, one third is louder.",
    )  # fmt: skip
    microphone: float = setting(
        0.2, 0, 1, "Share of the clips without bass and treble, as from a poor microphone."
    )
    narrow: float = setting(
        0.0, 0, 1,
        "Share of the clips that are cut off above 3.4 to 7 kHz, like many recordings of talk: "
        "otherwise a model may use this to tell keywords from talk.",
    )  # fmt: skip
    clipping: float = setting(0.03, 0, 1, "Share of the clips with clipped peaks.")

    def __post_init__(self) -> None:
        """Raises UsageError for a value out of range."""
        check_settings(self)


NONE = Augmentation(0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0)
"""No augmentation."""
