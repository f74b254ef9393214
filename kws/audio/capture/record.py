# SPDX-License-Identifier: Apache-2.0
"""`kws record`: words said one by one, cut, checked, and named as a data set wants them."""

from __future__ import annotations

import getpass
import hashlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.capture.blocks import Block, Notice
from kws.audio.layout.word_folders import recordings
from kws.audio.pcm import BLOCK, Pcm, samples_of
from kws.audio.sound_files import fit, write_clip
from kws.audio.stats import CLIPPED_SAMPLES, QUIET_PEAK
from kws.errors import AudioError, UsageError
from kws.files import make_directory
from kws.labels import check_word

SPARE_MS = 1200
"""A speaker has so much more time for a word than its clip is long."""

_TRIES = 5  # bad takes of one word in a row; then the microphone is at fault
_REACTION_SECONDS = 0.3  # after the prompt, when nobody speaks yet but keys click
_ABOVE_NOISE_DB = 12.0  # speech is louder than the quietest tenth by this ...
_BELOW_PEAK_DB = 25.0  # ... and not quieter than the loudest by this
_EDGE_BLOCKS = 3


class Stage(Protocol):
    """Where the speaker reads what to do."""

    def prompt(self, word: str, number: int, count: int) -> None:
        """This word is to be said now: the `number`th of `count`."""

    def level(self, peak: float) -> None:
        """The peak of the newest sound, 0 to 1."""

    def verdict(self, path: Path | None, text: str) -> None:
        """The file of a good clip, or None and what is wrong with it."""

    def notice(self, text: str) -> None:
        """Something about the microphone."""


@dataclass(frozen=True)
class Clips:
    """What is recorded, and under which name."""

    out: Path
    """The data set's folder."""
    speaker: str
    """Eight hexadecimal digits that stand for a person."""

    def next_path(self, word: str) -> Path:
        """A name that no clip of this speaker has, as Speech Commands has them."""
        folder = self.out / word
        taken = [re.fullmatch(rf"{self.speaker}_nohash_(\d+)", p.stem) for p in _inside(folder)]
        number = max((int(match[1]) + 1 for match in taken if match), default=0)
        return folder / f"{self.speaker}_nohash_{number}.wav"


def speaker_hash(name: str | None) -> str:
    """What stands for a speaker in file names: the same each time, and not the name.

    Args:
        name: None for the user's.
    """
    if name is None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):  # a user id without a name
            name = "someone"
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:8]


def check_words(words: Sequence[str]) -> None:
    """Make sure that these can be folders of a data set.

    Raises:
        UsageError: there are none, or one that is no word.
    """
    if not words:
        raise UsageError("--words: name at least one word, such as --words yes,no")
    for word in words:
        check_word(word, "choose another for --words")


def record(
    words: Sequence[str],
    takes: int,
    clips: Clips,
    sound: Iterator[Block | Notice],
    stage: Stage,
    *,
    clip_ms: int = 1000,
) -> int:
    """Ask for each word `takes` times, in turn; gives how many clips were written.

    Args:
        words: what to say.
        takes: how often.
        clips: where the clips go.
        sound: what the microphone hears.
        stage: where the speaker reads what to do.
        clip_ms: length of a clip, which is what the model will see.

    Raises:
        UsageError: see `check_words`.
        AudioError: nothing that could be used came for several takes in a row.
        KwsError: a clip could not be written.
    """
    check_words(words)
    for word in words:
        make_directory(clips.out / word)
    done = 0
    for number in range(1, takes + 1):
        for word in words:
            for _ in range(_TRIES):
                stage.prompt(word, number, takes)
                take = _take(sound, stage, clip_ms + SPARE_MS)
                clip = loudest_part(take, samples_of(clip_ms))
                problem = problem_of(clip, take)
                if problem is None:
                    break
                stage.verdict(None, problem)
            else:
                raise AudioError(
                    f"{word}: {_TRIES} takes in a row were no good; see with kws listen what the "
                    "microphone hears"
                )
            path = clips.next_path(word)
            write_clip(path, clip)
            stage.verdict(path, "good")
            done += 1
    return done


def loudest_part(pcm: Pcm, samples: int) -> Pcm:
    """The part of `pcm` (int16[n]) that holds most energy: int16[samples].

    If several are equally good, it is the one with the sound in its middle. If `pcm` is shorter,
    zeros follow.
    """
    blocks = -(-samples // BLOCK)
    if len(pcm) < blocks * BLOCK:
        return fit(pcm, samples)
    energy = _energies(pcm)
    sums = np.convolve(energy, np.ones(blocks), "valid")
    good = np.flatnonzero(sums >= 0.98 * sums.max())
    start = int(good[len(good) // 2]) * BLOCK
    return pcm[start : start + samples]


def problem_of(clip: Pcm, take: Pcm) -> str | None:
    """Why a clip of one word is no good, and what to do; None if it is good.

    Args:
        clip: int16[n].
        take: what it was cut from; shows how loud it is when nobody speaks.
    """
    size = np.abs(clip.astype(np.int32))
    if size.max() < QUIET_PEAK * 32768:
        return "nothing was heard; speak louder, or nearer to the microphone"
    if np.count_nonzero(size >= 32767) >= CLIPPED_SAMPLES:
        return "clipped; speak softer, or turn the microphone down"
    level = 10 * np.log10(_energies(clip))
    noise = 10 * np.log10(float(np.percentile(_energies(take), 10)))
    if level.max() - noise < _ABOVE_NOISE_DB:
        return "too quiet for the noise around; speak louder, or find a quieter place"
    speech = level > max(noise + _ABOVE_NOISE_DB, float(level.max()) - _BELOW_PEAK_DB)
    if speech[:_EDGE_BLOCKS].any() or speech[-_EDGE_BLOCKS:].any():
        seconds = len(clip) / SAMPLE_RATE
        return f"cut off; say it within {seconds:g} s, after the prompt; --window-ms gives more"
    return None


def _take(sound: Iterator[Block | Notice], stage: Stage, take_ms: int) -> Pcm:
    """What is said from now on. If the microphone goes away, the take starts again."""
    start = time.monotonic() + _REACTION_SECONDS
    parts: list[Pcm] = []
    wanted = samples_of(take_ms)
    for item in sound:
        if isinstance(item, Notice):
            stage.notice(item.text)
            start = time.monotonic() + _REACTION_SECONDS
            parts = []
        elif len(item.pcm) and item.captured >= start:
            parts.append(item.pcm)
            wide = item.pcm.astype(np.int32)
            stage.level(float(np.abs(wide).max()) / 32768)
            if sum(map(len, parts)) >= wanted:
                break
    return np.concatenate([np.zeros(0, np.int16), *parts])


def _energies(pcm: Pcm) -> npt.NDArray[np.float64]:
    """The mean power of each 10 ms, without offset; 1 at least."""
    blocks = pcm[: len(pcm) // BLOCK * BLOCK].reshape(-1, BLOCK).astype(np.float64)
    energies: npt.NDArray[np.float64] = np.maximum(blocks.var(axis=1), 1.0)
    return energies


def _inside(folder: Path) -> list[Path]:
    return recordings(folder) if folder.is_dir() else []
