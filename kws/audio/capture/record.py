# SPDX-License-Identifier: Apache-2.0
"""`kws record`: words spoken one by one, cut, checked, and saved in a data set's layout."""

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
"""Extra time for the speaker, in addition to the clip's length."""

_TRIES = 5  # bad takes of one word in a row before giving up
_REACTION_SECONDS = 0.3  # after the prompt: nobody speaks yet, but keys may click
_ABOVE_NOISE_DB = 12.0  # speech must exceed the quietest tenth by this much ...
_BELOW_PEAK_DB = 25.0  # ... and at most this much quieter than the peak
_EDGE_BLOCKS = 3


class Stage(Protocol):
    """Display for the speaker."""

    def prompt(self, word: str, number: int, count: int) -> None:
        """Ask for this word, take `number` of `count`."""

    def level(self, peak: float) -> None:
        """Show the peak of the newest sound, 0 to 1."""

    def verdict(self, path: Path | None, text: str) -> None:
        """Show the file name of a good clip; for a bad one, None and the problem."""

    def notice(self, text: str) -> None:
        """Show a message about the microphone."""


@dataclass(frozen=True)
class Clips:
    """File names of the recorded clips."""

    out: Path
    """The data set's folder."""
    speaker: str
    """Eight hexadecimal digits that identify a person."""

    def next_path(self, word: str) -> Path:
        """An unused file name in Speech Commands' pattern."""
        folder = self.out / word
        taken = [re.fullmatch(rf"{self.speaker}_nohash_(\d+)", p.stem) for p in _inside(folder)]
        number = max((int(match[1]) + 1 for match in taken if match), default=0)
        return folder / f"{self.speaker}_nohash_{number}.wav"


def speaker_hash(name: str | None) -> str:
    """A speaker's id in file names: constant, and does not reveal the name.

    Args:
        name: None for the user's login name.
    """
    if name is None:
        try:
            name = getpass.getuser()
        except (KeyError, OSError):  # a user id without a name
            name = "someone"
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:8]


def check_words(words: Sequence[str]) -> None:
    """Check that these words can be folder names in a data set.

    Raises:
        UsageError: no words, or an invalid one.
    """
    if not words:
        raise UsageError("--words: pass at least one word, such as --words yes,no")
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
    """Ask for each word `takes` times, in turn; returns the number of clips written.

    Args:
        words: the words to say.
        takes: clips per word.
        clips: names of the clips.
        sound: sound from the microphone.
        stage: display for the speaker.
        clip_ms: length of a clip, which is the model's window.

    Raises:
        UsageError: see `check_words`.
        AudioError: several takes in a row were bad.
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
                problem = problem_of(clip, take, ", or allow more time with --window-ms")
                if problem is None:
                    break
                stage.verdict(None, problem)
            else:
                raise AudioError(
                    f"{word}: {_TRIES} bad takes in a row; check with kws listen what the "
                    "microphone records"
                )
            path = clips.next_path(word)
            write_clip(path, clip)
            stage.verdict(path, "good")
            done += 1
    return done


def loudest_part(pcm: Pcm, samples: int) -> Pcm:
    """The part of `pcm` (int16[n]) with the most energy, zero-padded: int16[samples].

    Of several equally good parts, the one with the sound in the middle.
    """
    blocks = -(-samples // BLOCK)
    if len(pcm) < blocks * BLOCK:
        return fit(pcm, samples)
    energy = _energies(pcm)
    sums = np.convolve(energy, np.ones(blocks), "valid")
    good = np.flatnonzero(sums >= 0.98 * sums.max())
    start = int(good[len(good) // 2]) * BLOCK
    return pcm[start : start + samples]


def problem_of(clip: Pcm, take: Pcm, more_time: str = "") -> str | None:
    """The problem of a clip and what to do about it; None if the clip is good.

    Args:
        clip: int16[n].
        take: the surrounding sound, for the background level.
        more_time: how to get longer clips, after the advice for a word that is cut off.
    """
    size = np.abs(clip.astype(np.int32))
    if size.max() < QUIET_PEAK * 32768:
        return "too quiet; speak louder, or closer to the microphone"
    if np.count_nonzero(size >= 32767) >= CLIPPED_SAMPLES:
        return "clipped; speak more softly, or turn the microphone down"
    level = 10 * np.log10(_energies(clip))
    noise = 10 * np.log10(float(np.percentile(_energies(take), 10)))
    if level.max() - noise < _ABOVE_NOISE_DB:
        return "too much background noise; speak louder, or find a quieter place"
    speech = level > max(noise + _ABOVE_NOISE_DB, float(level.max()) - _BELOW_PEAK_DB)
    if speech[:_EDGE_BLOCKS].any() or speech[-_EDGE_BLOCKS:].any():
        seconds = len(clip) / SAMPLE_RATE
        return f"cut off; say it within {seconds:g} s of the prompt{more_time}"
    return None


def _take(sound: Iterator[Block | Notice], stage: Stage, take_ms: int) -> Pcm:
    """Record a take. If the microphone is unplugged, the take restarts."""
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
    """The mean power of each 10 ms, without DC offset, at least 1."""
    blocks = pcm[: len(pcm) // BLOCK * BLOCK].reshape(-1, BLOCK).astype(np.float64)
    energies: npt.NDArray[np.float64] = np.maximum(blocks.var(axis=1), 1.0)
    return energies


def _inside(folder: Path) -> list[Path]:
    return recordings(folder) if folder.is_dir() else []
