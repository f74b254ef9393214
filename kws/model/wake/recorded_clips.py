# SPDX-License-Identifier: Apache-2.0
"""Recordings of a wake word by people, as clips of a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from kws._core import SAMPLE_RATE
from kws.audio.decoding.left_out import damaged, damaged_text, undecodable_text
from kws.audio.layout.word_folders import read_folders, recordings, speaker_of
from kws.audio.pcm import around_voice
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import DataError
from kws.labels import label_of
from kws.progress import notice


def import_recordings(
    folder: Path, words: Sequence[str], data: Path, samples: int = SAMPLE_RATE
) -> int:
    """Cut recordings to the voice and write them into a data set.

    Args:
        folder: has a folder per word, as written by `kws record`. With one keyword, its recordings
            may be in the folder itself.
        words: the keywords. Other folders become clips of the unknown class.
        data: the data set. Existing clips are overwritten.
        samples: length of a clip.

    Returns:
        Number of recordings of keywords.

    Raises:
        DataError: the folder is missing or has no recordings of a keyword.
        AudioError: none of them can be used.
        KwsError: a clip could not be written.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; pass one with recordings of {words[0]!r}")
    by_word: dict[str, list[tuple[Path, str]]] = {}
    folders = read_folders(folder)
    if folders.undecodable:
        notice(f"{folder}: {undecodable_text(folders.undecodable)}")
    for file in folders.spoken:
        label = label_of(file.word)
        word = label if label in words else file.word
        by_word.setdefault(word, []).append((file.path, file.speaker))
    if len(words) == 1 and words[0] not in by_word:
        by_word[words[0]] = [(path, speaker_of(path, words[0])) for path in recordings(folder)]
    bad = damaged([path for files in by_word.values() for path, _ in files])
    if bad:
        notice(f"{folder}: {damaged_text(folder, bad)}")
        by_word = {w: [f for f in files if f[0] not in bad] for w, files in by_word.items()}
    for word in words:
        if not by_word.get(word):
            if bad:
                raise next(iter(bad.values()))
            raise DataError(
                f"{folder}: no recordings of {word!r}; put them into {folder / word}, such as "
                f"anna_1.wav (kws record makes them)"
            )
    for word, files in by_word.items():
        takes: Counter[str] = Counter()
        for path, speaker in files:
            clip = data / word / f"{speaker}_nohash_{takes[speaker]}.wav"
            write_clip(clip, around_voice(load_clip(path), samples))
            takes[speaker] += 1
    return sum(len(by_word[word]) for word in words)
