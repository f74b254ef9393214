# SPDX-License-Identifier: Apache-2.0
"""How training clips are drawn and augmented."""

from __future__ import annotations

from dataclasses import dataclass, field

from kws.audio.augment.augmentation import Augmentation
from kws.config import check_range


@dataclass(frozen=True)
class SampleSettings:
    """How training clips are drawn and changed."""

    silence_per_keyword: float = 0.7
    """Silence clips in an epoch for each clip of a keyword (the mean of all keywords)."""

    unknown_per_keyword: float = 1.5
    """Unknown clips in an epoch for each clip of a keyword."""

    joined: float = 0.15
    """Share of the unknown clips that are made of the beginning of one word and the end of
    another."""

    whole: float = 0.0
    """A clip of a keyword of whose energy less than this share is left after it was moved counts as
    unknown: the end of a word is none."""

    balance: float = 1.0
    """How far scarce keywords are drawn more often: 0 not at all, 1 until all count the same."""

    extra: float = 0.1
    """Share of the clips that come from the second data set, if one is given."""

    recorded: float = 0.5
    """Share of a class's clips, at least, that people speak, where the data set has people and
    synthetic voices."""

    mask: float = 0.0
    """Widest stripes, as a share of the spectrogram, that are blanked over time and frequency."""

    copies: int = 12
    """Differently changed copies of the training set; the epochs use them in turn."""

    augmentation: Augmentation = field(default_factory=Augmentation)
    """What happens to each clip."""

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        check_range("silence_per_keyword", self.silence_per_keyword, 0, 1000)
        check_range("unknown_per_keyword", self.unknown_per_keyword, 0, 1000)
        for share in ("joined", "whole", "balance", "extra", "recorded"):
            check_range(share, getattr(self, share), 0, 1)
        check_range("mask", self.mask, 0, 0.5)
        check_range("copies", self.copies, 1, 1000)
