# SPDX-License-Identifier: Apache-2.0
"""How long `kws studio` trains: three settings of `kws wake`, and the folders of their runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.tts.engines.espeak import accents_in
from kws.bundle.layout import SETTINGS_FILE
from kws.errors import KwsError
from kws.host.studio.project import HOME, RECORDINGS, RUNS, Project, read_json, texts_of
from kws.host.studio.unchanged import changed_at, read_changed
from kws.model.wake import wake_word
from kws.model.wake.wake_settings import WakeSettings
from kws.model.weights import checkpoint, run_files


@dataclass(frozen=True)
class Effort:
    """A setting of the effort."""

    name: str
    title: str
    buys: str
    """What the user gets for the time."""

    settings: Mapping[str, Any]
    """Settings of `WakeSettings` that differ from the default."""

    learns_sound: bool = True
    """Whether the project's words by people and talk are used."""


EFFORTS = {
    effort.name: effort
    for effort in (
        Effort(
            "quick",
            "Quick look",
            "A first model in a few minutes, to see all steps. It misses many people, and has not "
            "learned to ignore talk.",
            {"voices": 40, "takes": 2, "alike": 4, "sentences": 0, "epochs": 25},
            learns_sound=False,
        ),
        Effort(
            "good",
            "Good",
            "A model to live with: more voices, and it learns to ignore talk, best with a folder "
            "of talk by people.",
            {},
        ),
        Effort(
            "best",
            "Best",
            "Twice the voices and twice the training, for a model that you ship.",
            {"voices": 240, "takes": 4, "epochs": 40},
        ),
    )
}
"""By name, the shortest first."""


def wake_settings(project: Project, effort: Effort) -> WakeSettings:
    """The settings of `kws wake` for a project with a phrase.

    Raises:
        KwsError: the phrase or the language does not suit.
    """
    return WakeSettings(
        project.words,
        accents=accents_in(project.settings.language),
        sellable=project.settings.sellable,
        **effort.settings,
    )


def minutes(project: Project, effort: Effort) -> int:
    """Estimated time on two cores, with the rounds that talk adds if there is some."""
    searches = effort.learns_sound and bool(talk(project))
    seconds = wake_word.estimated_seconds(wake_settings(project, effort), searches=searches)
    return max(round(seconds / 60), 1)


def wake_arguments(project: Project, effort: Effort, out: str) -> tuple[str, ...]:
    """The command line of `kws wake`, without `kws`; paths start at the project's folder."""
    settings = project.settings
    texts = texts_of(settings.phrase)
    arguments = ["wake", *(texts if len(texts) == 1 else ("--words", ",".join(texts)))]
    if settings.language != "en":
        arguments += ["--language", settings.language]
    if project.takes() and {take.word for take in project.takes()} == set(project.words):
        arguments += ["--recordings", RECORDINGS]
    if effort.learns_sound:
        arguments += ["--data", settings.data] if settings.data else []
        arguments += [part for folder in talk(project) for part in ("--negatives", folder)]
    if settings.sellable:
        arguments.append("--sellable")
    for name, value in effort.settings.items():
        arguments += [f"--{name}", str(value)]
    return (*arguments, "--out", out)


def talk(project: Project) -> tuple[str, ...]:
    """The folders of talk to train with.

    Accidental detections alone are not enough: all of them are for training, none for validation.
    """
    named = project.settings.negatives
    folders = tuple(folder for folder in named if folder != HOME or project.has_home)
    return () if folders == (HOME,) else folders


# --- folders of runs ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A folder of `kws wake`."""

    path: Path
    number: int
    """1, 2, ...: the same effort with other settings or recordings gets a new folder."""

    @property
    def is_finished(self) -> bool:
        """Whether it has its bundle and its result."""
        return self.result is not None and (self.bundle / SETTINGS_FILE).is_file()

    @property
    def bundle(self) -> Path:
        """The bundle's folder, which may not exist yet."""
        return self.path / run_files.BUNDLE

    @property
    def result(self) -> dict[str, Any] | None:
        """What `kws wake --json` printed; None before it has finished."""
        result = read_json(self.path / wake_word.RESULT_FILE)
        return result if isinstance(result, dict) else None

    @property
    def began(self) -> float:
        """When it began, in seconds since 1970; infinity if it has not begun to speak."""
        return changed_at(self.path / wake_word.CLIP_SETTINGS_FILE, math.inf)

    def curves(self) -> list[dict[str, Any]]:
        """Accuracy by epoch of each round of training that has begun."""
        teachers = sorted((self.path / wake_word.SECOND).glob("seed*"))
        rounds = {"First round": self.path / wake_word.FIRST}
        rounds |= {f"Second round, teacher {i}": folder for i, folder in enumerate(teachers, 1)}
        rounds["Third round"] = self.path / wake_word.THIRD
        rounds["Second look"] = self.path / run_files.SECOND_LOOK
        curves = []
        for title, folder in rounds.items():
            history = read_changed(folder / run_files.CHECKPOINT, checkpoint.load_history)
            if history:
                epochs = [
                    {"epoch": epoch, "accuracy": it.train_accuracy,
                     "validation": it.validation_accuracy}
                    for epoch, it in enumerate(history, 1)
                ]  # fmt: skip
                curves.append({"title": title, "epochs": epochs})
        return curves


def runs_of(project: Project, effort: str) -> list[Run]:
    """The runs of an effort, the oldest first."""
    folder = project.path / RUNS
    found = []
    for path in folder.glob(f"{effort}*") if folder.is_dir() else ():
        number = path.name.removeprefix(effort).removeprefix("-") or "1"
        if path.is_dir() and number.isdecimal():
            found.append(Run(path, int(number)))
    return sorted(found, key=lambda run: run.number)


def run_name(effort: str, number: int) -> str:
    """The folder of a run, from the project's folder."""
    return f"{RUNS}/{effort}" if number == 1 else f"{RUNS}/{effort}-{number}"


def finished_run(project: Project, effort: str) -> Run | None:
    """The newest finished run of an effort."""
    return next((run for run in reversed(runs_of(project, effort)) if run.is_finished), None)


def spoken_words(run: Run) -> tuple[str, ...] | None:
    """The words of a run's clips; None before it has begun to speak."""
    try:
        words = config.read_toml(run.path / wake_word.CLIP_SETTINGS_FILE).get("words")
    except KwsError:
        return None
    return tuple(map(str, words)) if isinstance(words, list) else None
