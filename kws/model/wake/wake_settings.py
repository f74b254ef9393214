# SPDX-License-Identifier: Apache-2.0
"""What `kws wake` is set to."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kws.config import check_settings, setting
from kws.errors import UsageError

AT_WORDS = 40.0
"""False alarms allowed in an hour with 180 of the words that sound alike: nobody says so many."""


@dataclass(frozen=True)
class WakeSettings:
    """What a bundle for a phrase is made with."""

    words: tuple[str, ...]
    """The keywords as `label_of` writes them."""

    voices: int = setting(120, 3, 100_000, "How many voices speak, at most.")
    takes: int = setting(3, 1, 1000, "Takes of each keyword by each voice.")
    alike: int = setting(8, 0, 1000, "Words per keyword that sound like it, spoken as unknown.")
    epochs: int = setting(20, 1, 100_000, "Passes over the clips in each of the two rounds.")
    false_alarms_per_hour: float = setting(
        0.5, 0, 1000, "False alarms per hour of talk for which the thresholds are chosen."
    )
    seed: int = setting(0, 0, 2**31, "Another seed gives other clips and other weights.")

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_settings(self)


def label_of(phrase: str) -> str:
    """The label of a phrase: small letters, `_` for spaces.

    Raises:
        UsageError: nothing is left.
    """
    label = re.sub(r"[\s_]+", "_", phrase.strip().lower()).strip("_")
    if not label:
        raise UsageError("an empty phrase; say what the device is to hear: kws wake 'hey marvin'")
    return label
