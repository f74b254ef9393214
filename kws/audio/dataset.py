# SPDX-License-Identifier: Apache-2.0
"""Data sets: folders of words, split so that no speaker is in two sets.

The layout is Speech Commands': `<word>/<speaker>_nohash_<take>.wav` (or another ending),
`_background_noise_/`, and, if they are there, `validation_list.txt` and `testing_list.txt`. Any
other folder of folders of recordings works too; see `speaker_of` for its speakers.
"""

from __future__ import annotations

import difflib
import enum
import hashlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.pcm import around_voice
from kws.audio.sound_files import EXTENSIONS, load_clip
from kws.errors import DataError
from kws.labels import check_keywords

BACKGROUND_FOLDER = "_background_noise_"
LISTS = {"validation": "validation_list.txt", "test": "testing_list.txt"}

# Speech Commands' own rule puts a speaker's hash on a scale of this many steps.
_HASH_STEPS = 2**27


class Split(enum.StrEnum):
    """The sets that clips are split into."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True)
class Clip:
    """One recording of one word."""

    path: Path
    word: str
    speaker: str
    split: Split


@dataclass(frozen=True)
class DataSet:
    """The content of a folder; files are opened only when their sound is loaded."""

    root: Path
    clips: tuple[Clip, ...]
    """Sorted by word, then by file name."""

    backgrounds: tuple[Path, ...]
    """Recordings without words; may be empty."""

    has_lists: bool
    """Whether lists in the folder split the clips; otherwise the hash rule does."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word that has a clip, sorted."""
        return tuple(sorted({clip.word for clip in self.clips}))

    def of(self, split: Split, words: Iterable[str] | None = None) -> list[Clip]:
        """The clips of a split, of all words or of some."""
        wanted = set(self.words if words is None else words)
        return [clip for clip in self.clips if clip.split == split and clip.word in wanted]

    def shared_speakers(self) -> dict[str, tuple[Split, ...]]:
        """Speakers that are in more than one split. Only lists can cause that."""
        splits: defaultdict[str, set[Split]] = defaultdict(set)
        for clip in self.clips:
            splits[clip.speaker].add(clip.split)
        return {speaker: tuple(sorted(s)) for speaker, s in sorted(splits.items()) if len(s) > 1}

    def check(self, words: Sequence[str]) -> None:
        """Make sure that these keywords can be trained and tested.

        Raises:
            UsageError: no keywords, one named twice, or one that is the name of another class.
            DataError: a word without clips; a word without speakers in a split; a speaker in two.
        """
        check_keywords(words)
        for word in words:
            self._check_word(word)
        shared = self.shared_speakers()
        if shared:
            speaker, splits = next(iter(shared.items()))
            raise DataError(
                f"{self.root}: its lists put speaker {speaker} in {' and '.join(splits)} "
                f"({len(shared)} such speakers); a test would flatter, so correct "
                f"{LISTS['validation']} and {LISTS['test']}"
            )

    def _check_word(self, word: str) -> None:
        if word not in self.words:
            near = difflib.get_close_matches(word, self.words, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise DataError(
                f"{self.root}: no clips of {word!r}{hint}; its words are {_listed(self.words)}"
            )
        clips = [clip for clip in self.clips if clip.word == word]
        counts = Counter(clip.split for clip in clips)
        for split in Split:
            if not counts[split]:
                speakers = len({clip.speaker for clip in clips})
                cure = (
                    "correct its lists"
                    if self.has_lists
                    else f"add speakers, or say in {LISTS['validation']} and {LISTS['test']} "
                    "which clips are for what"
                )
                raise DataError(
                    f"{self.root}: no speakers of {word!r} are left for the {split} set "
                    f"({len(clips)} clips, {speakers} speakers); {cure}"
                )


def open_dataset(
    root: Path, *, validation_percent: float = 10, test_percent: float = 10
) -> DataSet:
    """The data set in a folder of words.

    The percentages are for the hash rule, which splits a folder without lists.

    Raises:
        DataError: the folder is missing or cannot be read, or holds no folder of recordings.
    """
    try:
        folders = sorted(p for p in root.iterdir() if p.is_dir())
        lists = {Split(name): _read_list(root / file) for name, file in LISTS.items()}
        has_lists = any(entries is not None for entries in lists.values())
        clips = []
        for folder in folders:
            if folder.name.startswith((".", "_")):
                continue
            for path in recordings(folder):
                speaker = speaker_of(path.stem, folder.name)
                if has_lists:
                    split = _listed_split(lists, f"{folder.name}/{path.stem}")
                else:
                    split = hash_split(speaker, validation_percent, test_percent)
                clips.append(Clip(path, folder.name, speaker, split))
        noise = root / BACKGROUND_FOLDER
        backgrounds = tuple(recordings(noise)) if noise.is_dir() else ()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "a list in it is not text"
        raise DataError(f"{root}: {reason.lower()}; name a folder of recordings") from None
    if not clips:
        raise DataError(
            f"{root}: no words; a data set has a folder of recordings for each word, such as "
            "yes/anna_nohash_0.wav"
        )
    return DataSet(root, tuple(clips), backgrounds, has_lists)


def recordings(folder: Path) -> list[Path]:
    """Files of a folder that have a recording's extension, sorted by name."""
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if not entry.name.startswith(".")
            and os.path.splitext(entry.name)[1].lower() in EXTENSIONS  # noqa: PTH122 - 100,000 of them
            and entry.is_file()
        ]
    return [folder / name for name in sorted(names)]


def speaker_of(stem: str, word: str) -> str:
    """The speaker of a file with this name (without extension) in the folder of this word.

    `anna_nohash_3` is Anna; so are `anna_3`, `anna-3`, `anna 3` and `anna (3)`: a number at the end
    counts takes. If nothing else remains, or only the word itself (`3`, `yes_3`), the name does not
    say who speaks, and the file counts as a speaker of its own.
    """
    speaker, mark, _ = stem.partition("_nohash_")
    if mark and speaker:
        return speaker
    speaker = re.sub(r"[ _-]*(\(\d+\)|(?<![0-9A-Za-z])\d+)$", "", stem)
    speaker = re.sub(rf"^{re.escape(word)}[ _-]+|[ _-]+{re.escape(word)}$", "", speaker)
    return stem if speaker in {"", word} else speaker


def hash_split(speaker: str, validation_percent: float, test_percent: float) -> Split:
    """The split of a speaker by Speech Commands' rule, which depends on the name alone."""
    steps = int(hashlib.sha1(speaker.encode(), usedforsecurity=False).hexdigest(), 16) % _HASH_STEPS
    percent = steps * (100.0 / (_HASH_STEPS - 1))
    if percent < validation_percent:
        return Split.VALIDATION
    if percent < validation_percent + test_percent:
        return Split.TEST
    return Split.TRAIN


def load_pcm(
    clips: Sequence[Clip],
    samples: int = SAMPLE_RATE,
    progress: Callable[[int], object] | None = None,
    out: npt.NDArray[np.int16] | None = None,
) -> npt.NDArray[np.int16]:
    """The sound of all clips, decoded on all cores: int16[len(clips), samples], 16 kHz.

    Of a longer clip the part around its voice is taken; a shorter one is filled with zeros.

    Args:
        clips: the clips to load.
        samples: length of a row.
        progress: called with the number of clips done since the last call.
        out: an array for the result, such as one in a file; None for a new one in memory.

    Raises:
        AudioError: a file is missing or damaged.
    """
    rows = np.empty((len(clips), samples), np.int16) if out is None else out

    def load(index: int) -> None:
        rows[index] = around_voice(load_clip(clips[index].path), samples)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for done, _ in enumerate(pool.map(load, range(len(clips))), 1):
                if progress and (done % 100 == 0 or done == len(clips)):
                    progress(done % 100 or 100)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return rows


def load_backgrounds(dataset: DataSet) -> list[npt.NDArray[np.int16]]:
    """The background recordings, each whole, int16[n], 16 kHz.

    Raises:
        AudioError: a file is missing or damaged.
    """
    return [load_clip(path) for path in dataset.backgrounds]


def _read_list(path: Path) -> frozenset[str] | None:
    """The clips in a list, as `word/stem`: extensions differ between copies of a data set."""
    if not path.exists():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    names = (PurePosixPath(line.strip().replace("\\", "/")) for line in lines if line.strip())
    return frozenset(f"{name.parent.name}/{name.stem}" for name in names)


def _listed_split(lists: dict[Split, frozenset[str] | None], name: str) -> Split:
    for split, entries in lists.items():
        if entries is not None and name in entries:
            return split
    return Split.TRAIN


def _listed(words: Sequence[str], most: int = 40) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
