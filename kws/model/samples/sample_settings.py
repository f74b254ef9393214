# SPDX-License-Identifier: Apache-2.0
"""How training clips are drawn and augmented."""

from __future__ import annotations

from dataclasses import dataclass, field

from kws.audio.augment.augmentation import Augmentation
from kws.config import check_settings, setting
from kws.features.frontend_settings import (
    LONGEST_WINDOW_MS,
    SHORTEST_WINDOW_MS,
    FrontendSettings,
    frames_in,
)


@dataclass(frozen=True)
class SampleSettings:
    """How training clips are drawn and augmented."""

    silence_per_keyword: float = setting(
        0.7, 0, 1000, "Silence clips in an epoch per keyword clip (mean over the keywords)."
    )
    unknown_per_keyword: float = setting(
        1.5, 0, 1000, "Unknown clips in an epoch per keyword clip (mean over the keywords)."
    )
    talk_per_keyword: float = setting(
        3.0,
        0,
        1000,
        "Windows of talk (--negatives) in an epoch per keyword clip (mean over the keywords), "
        "labelled unknown.",
    )
    hard_negative_share: float = setting(
        0.3,
        0,
        1,
        "Share of the windows of talk that come from recordings of kws mine, if there are any.",
    )
    joined: float = setting(
        0.15,
        0,
        1,
        "Share of the unknown clips that join the start of one word and the end of another.",
    )
    min_keyword_energy: float = setting(
        0.0,
        0,
        1,
        "A keyword clip that keeps less than this share of its energy after shifting is labelled "
        "unknown.",
    )
    balance: float = setting(
        1.0,
        0,
        1,
        "Balance of scarce keywords: with 0 each clip is drawn equally often, with 1 each keyword.",
    )
    extra: float = setting(0.1, 0, 1, "Share of the clips that come from --extra-data.")
    recorded: float = setting(
        0.5,
        0,
        1,
        "Minimum share of real people in the clips of each class, if the data set has people and "
        "synthetic voices.",
    )
    spec_augment: float = setting(
        0.0,
        0,
        0.5,
        "Maximum width of the blanked time and frequency stripes (SpecAugment), as "
        "a share of the spectrogram.",
    )
    copies: int = setting(
        12,
        1,
        1000,
        "Differently augmented copies of the training set. The epochs use them in turn.",
    )
    window_ms: int = setting(
        1000,
        SHORTEST_WINDOW_MS,
        LONGEST_WINDOW_MS,
        "Length of the model's window, in milliseconds: a word should fit. Memory grows with it, "
        "and above a second the time between inferences.",
    )
    keep_noise: bool = setting(
        False,
        None,
        None,
        "Features without noise removal. tcs_resnet may miss fewer words with them, tiny_conv "
        "misses far more. Only kws computes them.",
    )
    augmentation: Augmentation = field(default_factory=Augmentation)

    @property
    def frontend(self) -> FrontendSettings:
        """The frontend's settings with the window's frames."""
        return FrontendSettings(frames=frames_in(self.window_ms), keep_noise=self.keep_noise)

    @property
    def lead_frames(self) -> int:
        """Frames of a clip's lead, the sound before the window."""
        return frames_in(self.window_ms + self.augmentation.lead_ms) - frames_in(self.window_ms)

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_settings(self)
