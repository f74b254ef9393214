# SPDX-License-Identifier: Apache-2.0
"""Recordings of a wake word by people, as clips of a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kws._core import SAMPLE_RATE
from kws.audio.dataset import recordings, speaker_of
from kws.audio.pcm import Pcm
from kws.audio.sound_files import fit, load_clip, write_clip
from kws.errors import DataError
from kws.model.evaluate.streams import speech_span


def import_recordings(folder: Path, words: Sequence[str], data: Path) -> int:
    """Cut recordings to a second each and write them into a data set.

    Args:
        folder: a folder per word, as `kws record` writes them. With one keyword its recordings may
            lie in the folder itself.
        words: the keywords. Other folders become clips of the unknown class.
        data: the data set. Clips that it has already are written again.

    Returns:
        How many recordings of keywords there were.

    Raises:
        DataError: the folder is missing, or holds no recording of a keyword.
        AudioError: a recording is damaged.
        KwsError: a clip could not be written.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; name one with recordings of {words[0]!r}")
    by_word = {
        inner.name: recordings(inner)
        for inner in sorted(folder.iterdir())
        if inner.is_dir() and not inner.name.startswith((".", "_"))
    }
    if len(words) == 1 and words[0] not in by_word:
        by_word[words[0]] = recordings(folder)
    for word in words:
        if not by_word.get(word):
            raise DataError(
                f"{folder}: no recordings of {word!r}; put them into {folder / word}, such as "
                f"anna_1.wav (kws record makes them)"
            )
    for word, paths in by_word.items():
        takes: Counter[str] = Counter()
        for path in paths:
            speaker = speaker_of(path.stem, word)
            clip = data / word / f"{speaker}_nohash_{takes[speaker]}.wav"
            write_clip(clip, one_second(load_clip(path)))
            takes[speaker] += 1
    return sum(len(by_word[word]) for word in words)


def one_second(pcm: Pcm) -> Pcm:
    """The second of a recording that has its voice in the middle: int16[16000].

    Of a recording that is shorter, all, and zeros.
    """
    first, end = speech_span(pcm)
    start = max(min((first + end - SAMPLE_RATE) // 2, len(pcm) - SAMPLE_RATE), 0)
    return fit(pcm[start:], SAMPLE_RATE)
