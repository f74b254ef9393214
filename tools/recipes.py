# SPDX-License-Identifier: Apache-2.0
"""Recipes of the models in kws/assets: words, architectures, settings, rounds of training."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from kws.model.train.named_settings import ALWAYS_ON

ABOUT = (
    "Speech Commands by Pete Warden, Google (arXiv:1804.03209), licence CC BY 4.0: an excerpt of "
    "12,429 clips of 35 words by 1,691 speakers and its background noises. Talk without the "
    "keywords, noises and measured rooms (licences: Apache-2.0, CC0, CC BY 4.0, "
    "CC BY 3.0, public domain)."
)
"""The training data of runs without `--talk` and `--noises`."""

YES_NO = ("yes", "no")
TEN = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
MANY = (*TEN, "zero", "one", "five", "eight")
"""All words with more than a few clips."""


@dataclass(frozen=True)
class Row:
    """A row of docs/results.md: an architecture and the settings of its training."""

    folder: str
    title: str
    words: tuple[str, ...]
    arch: str
    options: dict[str, Any] = field(default_factory=dict)
    teacher: str = ""
    """Folder of the teacher's row in RUNS; empty for none."""

    start: str = ""
    """Folder of the base model's row in RUNS, for a further round; the seed is the same. Its window
    may have another length."""

    mean_with: tuple[str, ...] = ()
    """Folders of further rounds: training starts from the mean of the weights of them and `start`.
    The mean of rounds that each continued from the one before often hears more than the last."""

    mined: bool = False
    """Whether training includes the mined false alarms of the first row."""

    shift: int = 0
    """Added to the seed, so that each round draws different clips."""

    start_mined: bool = False
    """Whether training also includes the mined false alarms of the base model."""

    more: bool = False
    """Whether training also includes the folders of --talk."""

    most_seeds: int = 100
    asset: str = ""
    """Name in kws/assets of the bundle of the row's best run."""

    per_hour: float = 0.5
    """False alarms allowed per hour of talk."""

    at_words: float = 3.0
    """False alarms allowed in an hour with 180 other single words."""

    verify: str = ""
    """Folder of the row whose model takes a second look; empty for none."""

    stride: int = 0
    """Frames from one inference to the next with the second look."""

    alone: tuple[float, float] | None = None
    """`per_hour` and `at_words` without the second look; None: the same."""


FOR_TEACHER: dict[str, Any] = {
    "talk_per_keyword": 9.0,
    "spec_augment": 0.1,
    "balance": 0.5,
    "joined": 0.3,
    "unknown_per_keyword": 2.0,
    "silence_per_keyword": 1.0,
    **ALWAYS_ON,
}
FOR_TEACHER_AGAIN = {
    **FOR_TEACHER,
    "frozen": 0.0,
    "hard_negative_share": 0.1,
    "background": 0.85,
    "talk": 0.5,
}

TEACHER = Row(
    *("teacher", "14 words: the teacher", MANY, "tcs_resnet_wide"),
    {"epochs": 45, "copies": 9, **FOR_TEACHER},
    most_seeds=1,
)
TEACHER_SECOND = replace(
    TEACHER,
    folder="teacher_second",
    title="14 words: the teacher's second round",
    options={**FOR_TEACHER_AGAIN, "epochs": 75, "copies": 15},
    start="teacher",
    shift=1,
    mined=True,
)
TEACHER_THIRD = replace(
    TEACHER_SECOND,
    folder="teacher_third",
    title="14 words: the teacher's third round, with more talk",
    options={**FOR_TEACHER_AGAIN, "epochs": 60, "copies": 13},
    start="teacher_second",
    shift=31,
    start_mined=True,
    more=True,
)
LOOK = replace(
    TEACHER_THIRD,
    folder="look",
    title="14 words: the second look",
    # A window of 1.24 s: with 360 ms from one inference to the next, a word is in it for longer.
    options={
        **FOR_TEACHER_AGAIN,
        "epochs": 24,
        "copies": 8,
        "learning_rate": 0.003,
        "window_ms": 1240,
    },
    start="teacher_third",
    shift=97,
)
LOOK_MORE = replace(
    LOOK,
    folder="look_more",
    title="14 words: more of the second look",
    options={**LOOK.options, "epochs": 48, "copies": 12, "learning_rate": 0.004},
    start="look",
    shift=211,
)
LOOK_MEAN = replace(
    LOOK,
    folder="look_mean",
    title="14 words: the mean of three rounds, a second look",
    # Hardly any learning: an epoch sets the statistics of the batch normalization.
    options={**LOOK.options, "epochs": 1, "copies": 1, "learning_rate": 1e-6},
    mean_with=("look", "look_more"),
    start_mined=False,
)
STUDENT = Row(
    *("", "", YES_NO, "tcs_resnet"),
    teacher="teacher_third",
    mined=True,
    more=True,
    shift=41,
    verify="look",
    stride=18,
    # Learners' talk and single readers of validation cause more false alarms than other talk.
    per_hour=1.0,
    at_words=1.0,
    alone=(1.5, 3.0),
)
TEN_FIRST = replace(
    STUDENT,
    folder="ten_words_first",
    title="ten words, the first round",
    words=TEN,
    options={
        "epochs": 75,
        "copies": 14,
        "talk_per_keyword": 9.0,
        "hard_negative_share": 0.15,
        "spec_augment": 0.05,
        "balance": 0.6,
        "joined": 0.3,
        "unknown_per_keyword": 2.0,
        "silence_per_keyword": 1.0,
        **ALWAYS_ON,
        "talk": 0.5,
    },
    verify="",
)

ROWS = (
    TEACHER,
    TEACHER_SECOND,
    TEACHER_THIRD,
    LOOK,
    LOOK_MORE,
    LOOK_MEAN,
    replace(
        STUDENT,
        folder="yes_no",
        title="yes, no",
        arch="tcs_resnet_small",
        options={
            "epochs": 75,
            "copies": 14,
            "talk_per_keyword": 8.0,
            "hard_negative_share": 0.12,
            "spec_augment": 0.1,
            "joined": 0.3,
            **ALWAYS_ON,
            "background": 0.85,
            "talk": 0.55,
        },
        asset="yes_no",
    ),
    replace(
        STUDENT,
        folder="tiny",
        title="yes, no: first model under 20 kB",
        arch="tiny_conv",
        options={
            "epochs": 90,
            "copies": 10,
            "talk_per_keyword": 3.0,
            "hard_negative_share": 0.1,
            "joined": 0.2,
            **ALWAYS_ON,
            "background": 0.85,
            "talk": 0.45,
        },
        asset="tiny",
        stride=6,
        # With fewer false alarms the first model alone misses more than half of the words in noise.
        alone=(5.0, 10.0),
    ),
    TEN_FIRST,
    replace(
        TEN_FIRST,
        folder="ten_words",
        title="ten words",
        options={**TEN_FIRST.options, "epochs": 40, "copies": 8, "learning_rate": 0.005},
        start="ten_words_first",
        start_mined=True,
        shift=211,
        verify="look_mean",
        asset="ten_words",
        per_hour=3.0,
        at_words=9.0,
        alone=(5.0, 9.0),
    ),
)
