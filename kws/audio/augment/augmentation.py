# SPDX-License-Identifier: Apache-2.0
"""Settings for augmenting training clips."""

from __future__ import annotations

from dataclasses import dataclass

from kws.config import check_settings, setting


@dataclass(frozen=True)
class Augmentation:
    """Settings for augmenting training clips. A share of 0 disables an effect."""

    shift_ms: int = setting(
        400, 0, 900,
        "Maximum time shift in either direction, in milliseconds. On a device a word moves "
        "through the whole window and must be recognized at most positions.",
    )  # fmt: skip
    lead_ms: int = setting(
        0, 0, 10_000,
        "Milliseconds of the clip's noise before the clip, processed only by the frontend: on a "
        "device the noise estimate has settled before a word starts. A quarter of the clips have "
        "silence there, like the validation and test clips.",
    )  # fmt: skip
    speed: float = setting(
        0.1, 0, 0.5,
        "Maximum speed change in either direction, as a share. The pitch changes too.",
    )  # fmt: skip
    pitch: float = setting(
        0.1, 0, 1,
        "Share of clips whose pace also changes by up to 20 % at the same pitch.",
    )  # fmt: skip
    room: float = setting(
        0.2, 0, 1,
        "Share of clips with room echo. With --rooms, half of the rooms are recorded; the others "
        "are simulated.",
    )  # fmt: skip
    background: float = setting(
        0.7, 0, 1,
        "Share of clips with noise: background recordings, coloured noise or babble.",
    )  # fmt: skip
    babble: float = setting(
        0.15, 0, 1, "Share of the noise that is babble made from other training clips."
    )
    talk: float = setting(
        0.3, 0, 1,
        "Share of the noise that is talk (--negatives). A higher share reduces misses over talk "
        "but increases false alarms in talk.",
    )  # fmt: skip
    snr_db: float = setting(5.0, -20, 60, "Lowest signal-to-noise ratio, in dB.")
    snr_range_db: float = setting(
        30.0, 0, 60, "Highest signal-to-noise ratio, in dB above `snr_db`."
    )
    gain_db: float = setting(
        30.0, 0, 60,
        "Width of the level range, in dB: two thirds are quieter, one third is louder.",
    )  # fmt: skip
    microphone: float = setting(
        0.2, 0, 1, "Share of clips without bass and treble, as from a poor microphone."
    )
    narrow: float = setting(
        0.0, 0, 1,
        "Share of clips low-passed at 3.4 to 7 kHz, like many recordings of talk: otherwise a "
        "model may tell keywords from talk by the bandwidth.",
    )  # fmt: skip
    clipping: float = setting(0.03, 0, 1, "Share of clips with clipped peaks.")

    def __post_init__(self) -> None:
        """Raises UsageError for a value out of range."""
        check_settings(self)


NONE = Augmentation(0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0)
"""No augmentation."""
