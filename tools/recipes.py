# SPDX-License-Identifier: Apache-2.0
"""Recipes of the models in kws/assets: words, architectures, settings, rounds of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kws.model.train.named_settings import ALWAYS_ON

ABOUT = (
    "Speech Commands by Pete Warden, Google (arXiv:1804.03209), licence CC BY 4.0: an excerpt of "
    "12,429 clips of 35 words by 1,691 speakers and its background noises. Talk without the "
    "keywords by many people, noises and measured rooms (licences: Apache-2.0, CC0, CC BY 4.0, "
    "CC BY 3.0, public domain, and two games' that are free to give away)."
)

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
    """Folder of the base model's row in RUNS, for a second round; the seed is the same."""

    mined: bool = False
    """Whether training includes the mined false alarms of the first row."""

    shift: int = 0
    """Added to the seed, so that each round draws different clips."""

    start_mined: bool = False
    """Whether training also includes the mined false alarms of the base model."""

    more: bool = False
    """Whether training also includes the folders of --talk."""

    mean: bool = False
    """Whether the base model is the mean of `start` and of the base model of `start`."""

    most_seeds: int = 100
    asset: str = ""
    """Name in kws/assets of the bundle of the row's best run."""

    per_hour: float = 1.0
    """False alarms allowed per hour of talk."""

    at_words: float = 3.0
    """False alarms allowed in an hour with 180 other single words."""

    eager: float = 0.0
    """Both rates for a second bundle, which is only measured; 0: there is none."""


FOR_TEACHER: dict[str, Any] = {
    "talk_per_keyword": 9.0,
    "spec_augment": 0.1,
    "balance": 0.5,
    "joined": 0.3,
    "unknown_per_keyword": 2.0,
    "silence_per_keyword": 1.0,
    **ALWAYS_ON,
}
FOR_YES_NO: dict[str, Any] = {
    "talk_per_keyword": 5.0,
    "hard_negative_share": 0.1,
    "spec_augment": 0.1,
    "joined": 0.3,
    **ALWAYS_ON,
    "background": 0.85,
    "talk": 0.55,
}
FOR_TEN_WORDS: dict[str, Any] = {
    "talk_per_keyword": 8.0,
    "hard_negative_share": 0.15,
    "spec_augment": 0.05,
    "balance": 0.6,
    "joined": 0.3,
    "unknown_per_keyword": 2.0,
    "silence_per_keyword": 1.0,
    **ALWAYS_ON,
    "talk": 0.45,
}


MEAN: dict[str, Any] = {"frozen": 0.0, "epochs": 1, "copies": 1, "learning_rate": 1e-6}
"""An epoch that updates the statistics of batch normalization and hardly anything else."""


def rounds(
    folder: str,
    title: str,
    words: tuple[str, ...],
    options: dict[str, Any],
    *,
    second: dict[str, Any],
    third: dict[str, Any],
) -> tuple[Row, Row, Row]:
    """The three rounds of a student; `second` and `third` are further settings of these rounds."""
    first = Row(
        *(f"{folder}_first", f"{title}: first round", words, "tcs_resnet"),
        {"epochs": 60, "copies": 10, **options},
        teacher="teacher_second",
        mined=True,
    )
    again = replace(
        first,
        folder=f"{folder}_second",
        title=f"{title}: second round",
        options={**options, "frozen": 0.0, **second},
        start=first.folder,
        shift=1,
        start_mined=True,
    )
    last = replace(
        again,
        folder=f"{folder}_third",
        title=f"{title}: third round, with more talk",
        options={**options, "frozen": 0.0, **third},
        start=again.folder,
        teacher="teacher_third",
        shift=41,
        more=True,
    )
    return first, again, last


def mean(row: Row, folder: str, at_words: float) -> Row:
    """The mean of a round and the round before it: a built-in bundle."""
    return replace(
        row,
        folder=folder,
        title=row.title.partition(":")[0] + ": under 60 kB",
        options={**row.options, **MEAN},
        start=row.folder,
        start_mined=False,
        mean=True,
        asset=folder,
        # Lowered from 1.0: for yes and no after two false alarms in test talk, for ten words
        # because kinds of talk unseen in training cause several times as many
        # (docs/research.md).
        per_hour=0.5,
        at_words=at_words,
    )


YES_NO_AGAIN = {"epochs": 75, "copies": 14, "talk_per_keyword": 8.0, "hard_negative_share": 0.12}
YES_NO_ROUNDS = rounds(
    *("yes_no", "yes, no", YES_NO, FOR_YES_NO),
    second=YES_NO_AGAIN,
    third=YES_NO_AGAIN,
)
TEN_ROUNDS = rounds(
    *("ten_words", "ten words", TEN, FOR_TEN_WORDS),
    second={"epochs": 60, "copies": 12},
    third={"epochs": 75, "copies": 14, "talk_per_keyword": 10.0, "talk": 0.5},
)

TEACHER = Row(
    *("teacher", "14 words: the teacher", MANY, "tcs_resnet_wide"),
    {"epochs": 45, "copies": 9, **FOR_TEACHER},
    most_seeds=1,
)
FOR_TEACHER_AGAIN = {
    **FOR_TEACHER,
    "frozen": 0.0,
    "hard_negative_share": 0.1,
    "background": 0.85,
    "talk": 0.5,
}
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
    options={**FOR_TEACHER_AGAIN, "epochs": 36, "copies": 8},
    start="teacher_second",
    shift=31,
    start_mined=True,
    more=True,
)

ROWS = (
    TEACHER,
    TEACHER_SECOND,
    TEACHER_THIRD,
    *YES_NO_ROUNDS,
    replace(mean(YES_NO_ROUNDS[-1], "yes_no", 3.0), eager=4.0),
    Row(
        *("tiny", "yes, no: under 20 kB", YES_NO, "tiny_conv"),
        {
            "epochs": 90,
            "copies": 10,
            "talk_per_keyword": 2.0,
            "hard_negative_share": 0.1,
            "joined": 0.2,
            **ALWAYS_ON,
        },
        teacher="teacher_second",
        mined=True,
        asset="tiny",
        # With fewer false alarms a model of this size misses more than half of the words in noise.
        per_hour=5.0,
        at_words=10.0,
    ),
    *TEN_ROUNDS,
    mean(TEN_ROUNDS[-1], "ten_words", 9.0),
)


def starts(row: Row) -> list[str]:
    """Folders of the base models of a row; a mean has two, `start` and its base model."""
    folders = [row.start] if row.start else []
    if row.mean:
        folders += [other.start for other in ROWS if other.folder == row.start]
    return folders


def about(row: Row, more: Sequence[Path]) -> str:
    """The training data of a row's runs. The licences of `more` are not known here."""
    if not (row.more and more):
        return ABOUT
    return f"{ABOUT} More talk without the keywords: {', '.join(path.name for path in more)}."
