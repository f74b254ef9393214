# SPDX-License-Identifier: Apache-2.0
"""Data sets: folders of words, split so that no speaker is in two sets.

The layout is Speech Commands': `<word>/<speaker>_nohash_<take>.wav` (or another ending),
`_background_noise_/`, and, if they are there, `validation_list.txt` and `testing_list.txt`. Any
other folder of folders of recordings works too; see `named_speaker` for its speakers. A folder
of a word may have a folder for each speaker. `_silence_` holds recordings without words, too, and
`_unknown_` holds other words.
"""

from __future__ import annotations

import difflib
import enum
import hashlib
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.decoding.left_out import unheard_text
from kws.audio.layout.word_folders import WordFolders, composed, read_folders
from kws.audio.pcm import around_voice
from kws.audio.sound_files import load_clip
from kws.errors import DataError
from kws.labels import check_keywords, word_of

LISTS = {"validation": "validation_list.txt", "test": "testing_list.txt"}

_SHORT_BACKGROUND = 4 * SAMPLE_RATE
"""A background recording with fewer samples is not longer than the longest clip, or hardly: such as
the clips of a folder `_silence_`."""

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

    notes: tuple[str, ...] = ()
    """Lines for the user: how speakers and sets were found, and what was left out."""

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
        self.check_spelling(words)
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

    def check_spelling(self, words: Sequence[str]) -> None:
        """Make sure that no other word is a keyword in capitals, which would be taught as unknown.

        Raises:
            DataError: there is one, such as Marvin for the keyword marvin.
        """
        lower = {word.casefold(): word for word in words}
        for other in self.words:
            word = lower.get(other.casefold(), other)
            if word != other and other not in words:
                raise DataError(
                    f"{self.root}: its word {other!r} and the keyword {word!r} differ in capitals "
                    "only; spell both the same"
                )

    def _check_word(self, word: str) -> None:
        if word not in self.words:
            raise DataError(
                f"{self.root}: no clips of {word!r}{self._hint(word)}; its words are "
                f"{_listed(self.words)}"
            )
        clips = [clip for clip in self.clips if clip.word == word]
        counts = Counter(clip.split for clip in clips)
        for split in Split:
            if not counts[split]:
                speakers = len({clip.speaker for clip in clips})
                if self.has_lists:
                    cure = "correct its lists"
                elif speakers < len(Split):
                    cure = (
                        f"each set needs a speaker of its own, so record {len(Split)} people or "
                        f"more, or add voices with kws synth --out {self.root}"
                    )
                else:
                    cure = (
                        f"add speakers, or say in {LISTS['validation']} and {LISTS['test']} "
                        "which speakers are for what"
                    )
                raise DataError(
                    f"{self.root}: no speakers of {word!r} are left for the {split} set "
                    f"({len(clips)} clips, {speakers} speakers); {cure}"
                )

    def _hint(self, word: str) -> str:
        """What could have been meant by a word without clips."""
        inside = next((c for c in self.clips if word_of(c.path.parent.name) == word), None)
        if inside:
            return f" (but in {inside.path.parent}: words have to be the outer folders)"
        near = difflib.get_close_matches(word, self.words, n=1)
        return f" (did you mean {near[0]!r}?)" if near else ""


def open_dataset(
    root: Path, *, validation_percent: float = 10, test_percent: float = 10
) -> DataSet:
    """The data set in a folder of words.

    The percentages are for the hash rule, which splits a folder without lists.

    Raises:
        DataError: the folder is missing or cannot be read, or holds no folder of recordings.
    """
    try:
        lists = {Split(name): _read_list(root / file) for name, file in LISTS.items()}
        folders = read_folders(root)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "a list in it is not text"
        raise DataError(f"{root}: {reason.lower()}; name a folder of recordings") from None
    if not folders.spoken:
        raise DataError(f"{root}: {folders.lack_of_words}")
    has_lists = any(entries is not None for entries in lists.values())
    moved: dict[str, Split] = {}
    if has_lists:
        splits = [_listed_split(lists, root, file.path) for file in folders.spoken]
    else:
        by_word: defaultdict[str, set[str]] = defaultdict(set)
        for file in folders.spoken:
            by_word[file.word].add(file.speaker)
        percents = {Split.VALIDATION: validation_percent, Split.TEST: test_percent}
        by_speaker, moved = split_speakers(by_word, percents)
        splits = [by_speaker[file.speaker] for file in folders.spoken]
    clips = tuple(
        Clip(file.path, file.word, file.speaker, split)
        for file, split in zip(folders.spoken, splits, strict=True)
    )
    notes = _notes(root, folders, has_lists, moved)
    return DataSet(root, clips, tuple(folders.backgrounds), has_lists, notes)


def _notes(
    root: Path, folders: WordFolders, has_lists: bool, moved: Mapping[str, Split]
) -> tuple[str, ...]:
    notes = [
        f"{root / name}: left out, since its name begins with _; rename it if it is a word"
        for name in folders.left_out
    ]
    if folders.loose:
        notes.append(
            f"{root}: {len(folders.loose)} recordings in no folder of a word are left out, such as "
            f"{folders.loose[0].name}"
        )
    if folders.unheard:
        notes.append(f"{root}: {unheard_text(folders.unheard)}")
    unnamed = [file for file in folders.spoken if not file.is_named]
    if unnamed and not has_lists:
        notes.append(
            f"{root}: the names of {len(unnamed)} clips do not say who speaks, such as "
            f"{unnamed[0].path.name}; each counts as a speaker of its own"
        )
    if moved:
        sets = ", ".join(
            f"{' and '.join(sorted(s for s in moved if moved[s] == split))} to {split}"
            for split in sorted(set(moved.values()))
        )
        notes.append(
            f"{root}: so that each word with {len(Split)} speakers or more is in each set, "
            f"speakers were moved: {sets}"
        )
    return tuple(notes)


def split_speakers(
    by_word: Mapping[str, Iterable[str]], percents: Mapping[Split, float]
) -> tuple[dict[str, Split], dict[str, Split]]:
    """The split of each speaker: by the hash rule, and such that no word lacks a set.

    A word of three speakers or more for which the rule leaves a set empty gets one of its speakers
    moved there, unless another word would lack a set then.

    Args:
        by_word: the speakers of each word.
        percents: of speakers for validation and for the test.

    Returns:
        All speakers, and those who were moved.
    """
    words: defaultdict[str, list[str]] = defaultdict(list)
    for word, speakers in by_word.items():
        for speaker in set(speakers):
            words[speaker].append(word)
    shares = (percents[Split.VALIDATION], percents[Split.TEST])
    splits = {speaker: hash_split(speaker, *shares) for speaker in words}
    counts = {word: Counter(splits[s] for s in set(people)) for word, people in by_word.items()}
    moved: dict[str, Split] = {}

    def can_leave(speaker: str) -> bool:
        """Whether each of the speaker's words has another one in the same set."""
        rich = [counts[word] for word in words[speaker] if counts[word].total() >= len(Split)]
        return all(count[splits[speaker]] > 1 for count in rich)

    for word in sorted(counts, key=lambda word: (counts[word].total(), word)):
        for split in (Split.TEST, Split.VALIDATION, Split.TRAIN):
            needed = split is Split.TRAIN or percents[split] > 0
            if counts[word][split] or not needed or counts[word].total() < len(Split):
                continue
            free = [speaker for speaker in set(by_word[word]) if can_leave(speaker)]
            if not free:
                continue
            chosen = min(free, key=lambda s: (splits[s] != Split.TRAIN, _steps(s)))
            for other in words[chosen]:
                counts[other].subtract([splits[chosen]])
                counts[other].update([split])
            splits[chosen] = moved[chosen] = split
    return splits, moved


def hash_split(speaker: str, validation_percent: float, test_percent: float) -> Split:
    """The split of a speaker by Speech Commands' rule, which depends on the name alone."""
    percent = _steps(speaker) * (100.0 / (_HASH_STEPS - 1))
    if percent < validation_percent:
        return Split.VALIDATION
    if percent < validation_percent + test_percent:
        return Split.TEST
    return Split.TRAIN


def _steps(speaker: str) -> int:
    """Where Speech Commands' rule puts a speaker on its scale."""
    digest = hashlib.sha1(speaker.encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % _HASH_STEPS


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
    """The background recordings, int16[n], 16 kHz: each whole, the short ones joined.

    Raises:
        AudioError: a file is missing or damaged.
    """
    sounds = [load_clip(path) for path in dataset.backgrounds]
    short = [sound for sound in sounds if len(sound) < _SHORT_BACKGROUND]
    long = [sound for sound in sounds if len(sound) >= _SHORT_BACKGROUND]
    return [*long, np.concatenate(short)] if short else long


def _read_list(path: Path) -> frozenset[str] | None:
    """The clips in a list, as `word/stem` and with the folders before it, if any.

    Without extensions: these differ between copies of a data set.
    """
    if not path.exists():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    entries = set()
    for line in lines:
        name = PurePosixPath(composed(line.strip().replace("\\", "/")))
        parts = (*name.parent.parts, name.stem)
        entries |= {"/".join(parts[start:]) for start in range(len(parts) - 1)}
    return frozenset(entries)


def _listed_split(lists: Mapping[Split, frozenset[str] | None], root: Path, path: Path) -> Split:
    name = composed(path.relative_to(root).with_suffix("").as_posix())
    for split, entries in lists.items():
        if entries is not None and name in entries:
            return split
    return Split.TRAIN


def _listed(words: Sequence[str], most: int = 40) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more
