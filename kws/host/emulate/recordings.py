# SPDX-License-Identifier: Apache-2.0
"""Test recordings: a folder's matrix.toml, or a data set's held-out clips.

A matrix.toml lists recordings of two kinds; files are relative to its folder:

    [[recording]]              # one recording, played by itself
    name = "yes, first voice"
    file = "yes_1.flac"        # or `seconds = 10`: a quiet room; a list is concatenated
    expect = "yes"             # or "unknown", "silence"; a list: these, each once, in this order
    level = 4.0                # factor for the samples, clipped; default 1
    lead = 1                   # seconds of quiet room before it, not counted in times; default 0

    [[scene]]                  # words at known times
    name = "one minute"
    seconds = 60
    background = "street.flac" # repeated; default: a quiet room
    level = 0.2                # factor for the background's samples
    [[scene.word]]
    at = 3.5                   # seconds
    file = "yes_1.flac"
    expect = "yes"

A word that the model under test does not have counts as unknown.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from kws import config
from kws._core import SAMPLE_RATE
from kws.audio.background_noises import quiet_room
from kws.audio.dataset import Clip, Split, open_dataset
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.errors import KwsError, UsageError
from kws.host.emulate.expectations import Expectation, Recording, clip_recording, whole
from kws.labels import SILENCE, UNKNOWN, keywords_of
from kws.model.evaluate.score.words import REACTION_MS

MATRIX = "matrix.toml"

MOST_LEAD = 60
"""Longest quiet room before a recording, in seconds."""

_GAP = SAMPLE_RATE  # samples between the clips of a wake word and a command

_KEYS = {
    "recording": {"name", "file", "seconds", "expect", "level", "lead"},
    "scene": {"name", "seconds", "background", "level", "word"},
    "word": {"at", "file", "expect"},
}


def default_matrix() -> Path:
    """The folder of test recordings for the default model."""
    return Path(str(importlib.resources.files("kws") / "assets" / "matrix"))


def load_matrix(folder: Path, labels: Sequence[str]) -> list[Recording]:
    """The recordings that a folder's matrix.toml lists.

    Args:
        folder: holds matrix.toml and the files it names.
        labels: labels of the model under test.

    Raises:
        KwsError: the file is missing or invalid, or a keyword has no clip.
        AudioError: a file that it names cannot be read.
    """
    file = folder / MATRIX
    table = config.read_toml(file)
    recordings = [_recording(folder, entry, labels) for entry in table.get("recording", [])]
    recordings += [_words_at_times(folder, entry, labels) for entry in table.get("scene", [])]
    tested = {part.label for recording in recordings for part in recording.expected}
    missing = [word for word in keywords_of(labels) if word not in tested]
    if missing:
        raise KwsError(
            f"{file}: has no clip of {', '.join(missing)}; pass clips of your own, or a data set "
            "with --data"
        )
    return recordings


def held_out(root: Path, labels: Sequence[str], per_label: int) -> list[Recording]:
    """Clips of a data set's test split: its speakers are in no model's training data.

    Args:
        root: the data set's folder.
        labels: labels of the model under test.
        per_label: clips per keyword, and of all other words together, spread evenly.

    Raises:
        DataError: no such data set.
        UsageError: it has no test clip of a keyword.
    """
    clips = open_dataset(root).of(Split.TEST)
    recordings: list[Recording] = []
    for label in (UNKNOWN, *keywords_of(labels)):
        chosen = _spread(root, clips, label, labels, per_label)
        recordings += [clip_recording(f"{label}={path}", labels) for path in chosen]
    return recordings


def held_out_after_wake_word(
    root: Path, wake: Sequence[str], commands: Sequence[str], per_label: int
) -> list[Recording]:
    """Like `held_out`, but for two bundles: each command after a wake word, and on its own.

    Args:
        root: the data set's folder.
        wake: keywords of the first bundle; used in turn.
        commands: keywords of the second bundle. Wake words among them are not played on their own.
        per_label: clips per command.

    Raises:
        DataError: no such data set.
        UsageError: it has no test clip of a word.
    """
    clips = open_dataset(root).of(Split.TEST)
    words = (*wake, *commands)
    wakes = [_spread(root, clips, word, words, per_label) for word in wake]
    recordings: list[Recording] = []
    for place, command in enumerate(commands):
        for turn, path in enumerate(_spread(root, clips, command, words, per_label)):
            said = load_clip(path)
            first = (place + turn) % len(wake)
            opening = load_clip(wakes[first][turn % len(wakes[first])])
            pcm = np.concatenate([opening, quiet_room(_GAP), said])
            label = f"{wake[first]},{command}"
            recordings.append(Recording(pcm, (whole(f"{label}: {path}", label, pcm),)))
            if command not in wake:
                recordings.append(Recording(said, (whole(f"alone: {path}", UNKNOWN, said),)))
    return recordings


def _spread(
    root: Path, clips: Sequence[Clip], label: str, labels: Sequence[str], count: int
) -> list[Path]:
    """Clips of a label (for `unknown`, of any other word), spread evenly."""
    of_label = [
        clip.path
        for clip in clips
        if clip.word == label or (label == UNKNOWN and clip.word not in labels)
    ]
    if not of_label and label != UNKNOWN:
        raise UsageError(f"{root}: no test clip of {label!r}; pass a data set that has some")
    chosen = np.linspace(0, len(of_label) - 1, min(count, len(of_label))).astype(int)
    return [of_label[i] for i in chosen]


def _recording(folder: Path, entry: dict[str, Any], labels: Sequence[str]) -> Recording:
    where = f"{folder / MATRIX}: recording {entry.get('name', '?')!r}"
    _check_keys(where, "recording", entry)
    if ("file" in entry) == ("seconds" in entry):
        raise KwsError(f"{where}: specify either a file or seconds of silence")
    if "file" in entry:
        files = entry["file"] if isinstance(entry["file"], list) else [entry["file"]]
        clips = [load_clip(folder / file).astype(np.float64) for file in files]
        level = _number(where, entry, "level") if "level" in entry else 1.0
        pcm = _to_int16(np.concatenate(clips) * level)
    else:
        pcm = quiet_room(int(_number(where, entry, "seconds") * SAMPLE_RATE))
    expected = whole(_text(where, entry, "name"), _label(where, entry, labels), pcm)
    if isinstance(entry["expect"], list):
        expected = replace(expected, in_order=tuple(expected.label.split(", ")))
    lead = _number(where, entry, "lead") if "lead" in entry else 0.0
    if not 0 <= lead <= MOST_LEAD:
        raise KwsError(f"{where}: lead is {lead:g} s; it must be 0 to {MOST_LEAD} s")
    return Recording(pcm, (expected,), round(1000 * lead))


def _words_at_times(folder: Path, entry: dict[str, Any], labels: Sequence[str]) -> Recording:
    where = f"{folder / MATRIX}: scene {entry.get('name', '?')!r}"
    _check_keys(where, "scene", entry)
    name = _text(where, entry, "name")
    pcm = quiet_room(int(_number(where, entry, "seconds") * SAMPLE_RATE)).astype(np.float64)
    if "background" in entry:
        background = load_clip(folder / entry["background"])
        pcm += np.resize(background, len(pcm)) * _number(where, entry, "level")
    expected: list[Expectation] = []
    for word in sorted(entry.get("word", []), key=lambda w: _number(where, w, "at")):
        _check_keys(where, "word", word)
        clip = load_clip(folder / _text(where, word, "file"))
        start = round(_number(where, word, "at") * SAMPLE_RATE)
        if start < 0 or start + len(clip) > len(pcm):
            raise KwsError(f"{where}: the word at {word['at']} s is not within the scene")
        pcm[start : start + len(clip)] += clip
        start_ms = start * 1000 // SAMPLE_RATE
        end_ms = start_ms + len(clip) * 1000 // SAMPLE_RATE
        if expected and start_ms < expected[-1].end_ms + REACTION_MS:
            raise KwsError(
                f"{where}: the word at {word['at']} s comes too soon after the one before it; "
                f"leave {REACTION_MS} ms of quiet between words"
            )
        label = _label(where, word, labels)
        expected.append(Expectation(f"{name} @{start_ms}ms", label, start_ms, end_ms))
    return Recording(_to_int16(pcm), tuple(expected))


def _to_int16(samples: np.ndarray[Any, np.dtype[np.float64]]) -> Pcm:
    clipped: Pcm = np.clip(np.rint(samples), -32768, 32767).astype(np.int16)
    return clipped


def _check_keys(where: str, kind: str, entry: dict[str, Any]) -> None:
    if extra := sorted(set(entry) - _KEYS[kind]):
        raise KwsError(
            f"{where}: unknown key {extra[0]!r}; choose from {', '.join(sorted(_KEYS[kind]))}"
        )


def _number(where: str, entry: dict[str, Any], key: str) -> float:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise KwsError(f"{where}: {key} is missing or not a number")
    return float(value)


def _text(where: str, entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str):
        raise KwsError(f"{where}: {key} is missing or not text")
    return value


def _label(where: str, entry: dict[str, Any], labels: Sequence[str]) -> str:
    if isinstance(words := entry.get("expect"), list):
        return ", ".join(_label(where, {"expect": word}, labels) for word in words)
    label = _text(where, entry, "expect")
    return label if label in labels or label == SILENCE else UNKNOWN
