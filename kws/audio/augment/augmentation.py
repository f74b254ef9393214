# SPDX-License-Identifier: Apache-2.0
"""What may happen to a training clip."""

from __future__ import annotations

from dataclasses import dataclass

from kws.config import check_settings, setting


@dataclass(frozen=True)
class Augmentation:
    """What may happen to a training clip. A share of 0 switches an effect off."""

    shift_ms: int = setting(
        400, 0, 900,
        "Clips are moved in time by up to this many milliseconds, either way. On a device a word "
        "passes through the whole second, and has to be recognized on most of its way.",
    )  # fmt: skip
    lead_ms: int = setting(
        0, 0, 10_000,
        "Milliseconds of sound before each clip, which the frontend processes and the model does "
        "not see: the noise of the clip, if it has one. On a device the noise estimate has settled "
        "long before a word comes. A quarter of the clips have silence there, as the validation "
        "and test clips have.",
    )  # fmt: skip
    speed: float = setting(
        0.1, 0, 0.5,
        "Clips are played up to this share faster or slower, which changes their pitch too.",
    )  # fmt: skip
    pitch: float = setting(
        0.1, 0, 1,
        "Share of the clips whose pace changes further, by up to 20 %, while the pitch stays.",
    )  # fmt: skip
    room: float = setting(
        0.2, 0, 1,
        "Share of the clips that are put into a room: simulated ones, or half of them in those of "
        "--rooms.",
    )  # fmt: skip
    background: float = setting(
        0.7, 0, 1,
        "Share of the clips that get noise: background recordings, coloured noise or babble.",
    )  # fmt: skip
    babble: float = setting(
        0.15, 0, 1, "Share of the noise that is a babble of other training clips."
    )
    talk: float = setting(
        0.3, 0, 1,
        "Share of the noise that is somebody who talks, if there is talk (--negatives). More makes "
        "a model hear more keywords while others talk, and answer to more of the talk.",
    )  # fmt: skip
    snr_db: float = setting(5.0, -20, 60, "Lowest signal-to-noise ratio, in dB.")
    snr_range_db: float = setting(
        30.0, 0, 60, "Highest signal-to-noise ratio, in dB above `snr_db`."
    )
    gain_db: float = setting(
        30.0, 0, 60,
        "Width of the range of levels, in dB: two thirds of it quieter, one third louder.",
    )  # fmt: skip
    microphone: float = setting(
        0.2, 0, 1, "Share of the clips that lose bass and treble, as in a poor microphone."
    )
    narrow: float = setting(
        0.0, 0, 1,
        "Share of the clips that lose all above 3.4 to 7 kHz, as many recordings of talk do. A "
        "model must not tell keywords from talk by that.",
    )  # fmt: skip
    clipping: float = setting(0.03, 0, 1, "Share of the clips whose peaks are cut off.")

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_settings(self)


NONE = Augmentation(0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0)
"""Clips stay as they are."""
