# SPDX-License-Identifier: Apache-2.0
"""Data sets: folders of words, split so that no speaker is in two sets.

The layout is Speech Commands': `<word>/<speaker>_nohash_<take>.wav` (or another ending),
`_background_noise_/`, and optionally `validation_list.txt` and `testing_list.txt`. Any other folder
of folders of recordings works too (`named_speaker` finds its speakers). A word's folder may contain
one folder per speaker. `_silence_` also contains recordings without words; `_unknown_` holds other
words.
"""

from __future__ import annotations

import difflib
import enum
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.decoding.left_out import undecodable_text
from kws.audio.layout.word_folders import WordFolders, composed, read_folders
from kws.audio.pcm import around_voice
from kws.audio.sound_files import load_clip
from kws.errors import DataError
from kws.labels import check_keywords, word_of
from kws.parallel import on_all_cores

LISTS = {"validation": "validation_list.txt", "test": "testing_list.txt"}

_SHORT_BACKGROUND = 4 * SAMPLE_RATE
"""Shorter background recordings (such as clips in `_silence_`) are joined into one."""

_HASH_STEPS = 2**27  # steps of Speech Commands' hash scale
_VALIDATION_PERCENT = 10
_TEST_PERCENT = 10


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
    """The clips in a folder; files are opened only when their sound is loaded."""

    root: Path
    clips: tuple[Clip, ...]
    """Sorted by word, then by file name."""

    backgrounds: tuple[Path, ...]
    """Recordings without words; may be empty."""

    has_lists: bool
    """Whether lists in the folder split the clips, rather than the hash rule."""

    notes: tuple[str, ...] = ()
    """Lines for the user about speakers, splits and skipped files."""

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every word that has a clip, sorted."""
        return tuple(sorted({clip.word for clip in self.clips}))

    def of(self, split: Split, words: Iterable[str] | None = None) -> list[Clip]:
        """The clips of a split, for all words or only some."""
        wanted = set(self.words if words is None else words)
        return [clip for clip in self.clips if clip.split == split and clip.word in wanted]

    def shared_speakers(self) -> dict[str, tuple[Split, ...]]:
        """Speakers in more than one split; possible only with lists."""
        splits: defaultdict[str, set[Split]] = defaultdict(set)
        for clip in self.clips:
            splits[clip.speaker].add(clip.split)
        return {speaker: tuple(sorted(s)) for speaker, s in sorted(splits.items()) if len(s) > 1}

    def check(self, words: Sequence[str]) -> None:
        """Check that these keywords can be trained and tested.

        Raises:
            UsageError: no keywords, a duplicate, or the name of another class.
            DataError: a word has no clips, or no speakers in a split; a speaker is in two splits.
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
                f"({len(shared)} such speakers); test scores would be inflated, so correct "
                f"{LISTS['validation']} and {LISTS['test']}"
            )

    def check_spelling(self, words: Sequence[str]) -> None:
        """Check that no other word differs from a keyword only in capitals.

        Raises:
            DataError: one does; Marvin would be trained as unknown alongside the keyword marvin.
        """
        lower = {word.casefold(): word for word in words}
        for other in self.words:
            word = lower.get(other.casefold(), other)
            if word != other and other not in words:
                raise DataError(
                    f"{self.root}: its word {other!r} and the keyword {word!r} differ only in "
                    "capitals; spell both the same"
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
                        f"each set needs its own speaker, so record at least {len(Split)} people, "
                        f"or add voices with kws synth --out {self.root}"
                    )
                else:
                    cure = (
                        f"add speakers, or assign speakers to sets in {LISTS['validation']} and "
                        f"{LISTS['test']}"
                    )
                raise DataError(
                    f"{self.root}: no speakers of {word!r} are left for the {split} set "
                    f"({len(clips)} clips, {speakers} speakers); {cure}"
                )

    def _hint(self, word: str) -> str:
        """A suggestion for a word without clips."""
        inside = next((c for c in self.clips if word_of(c.path.parent.name) == word), None)
        if inside:
            return f" (but in {inside.path.parent}: words must be the outer folders)"
        near = difflib.get_close_matches(word, self.words, n=1)
        return f" (did you mean {near[0]!r}?)" if near else ""


def open_dataset(root: Path) -> DataSet:
    """Open a folder of words as a data set. The hash rule splits a folder without lists.

    Raises:
        DataError: the folder is missing, unreadable, or has no folder of recordings.
    """
    try:
        lists = {Split(name): _read_list(root / file) for name, file in LISTS.items()}
        folders = read_folders(root)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "a list in it is not text"
        raise DataError(f"{root}: {reason.lower()}; pass a folder of recordings") from None
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
        by_speaker, moved = split_speakers(by_word)
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
        f"{root / name}: skipped, since its name begins with _; rename it if it is a word"
        for name in folders.skipped
    ]
    if folders.loose:
        notes.append(
            f"{root}: {len(folders.loose)} recordings outside the folders of words are skipped, "
            f"such as {folders.loose[0].name}"
        )
    if folders.undecodable:
        notes.append(f"{root}: {undecodable_text(folders.undecodable)}")
    unnamed = [file for file in folders.spoken if not file.is_named]
    if unnamed and not has_lists:
        notes.append(
            f"{root}: the names of {len(unnamed)} clips do not name a speaker, such as "
            f"{unnamed[0].path.name}; each counts as its own speaker"
        )
    if moved:
        sets = ", ".join(
            f"{' and '.join(sorted(s for s in moved if moved[s] == split))} to {split}"
            for split in sorted(set(moved.values()))
        )
        notes.append(
            f"{root}: speakers moved so that each word with at least {len(Split)} speakers is in "
            f"each set: {sets}"
        )
    return tuple(notes)


def split_speakers(
    by_word: Mapping[str, Iterable[str]],
) -> tuple[dict[str, Split], dict[str, Split]]:
    """Split speakers by the hash rule, then fill empty sets.

    If the rule leaves a set empty for a word with at least three speakers, one of them moves
    there, unless that would empty a set of another word.

    Args:
        by_word: the speakers of each word.

    Returns:
        The split of every speaker, and of those that were moved.
    """
    words: defaultdict[str, list[str]] = defaultdict(list)
    for word, speakers in by_word.items():
        for speaker in set(speakers):
            words[speaker].append(word)
    splits = {speaker: hash_split(speaker) for speaker in words}
    counts = {word: Counter(splits[s] for s in set(people)) for word, people in by_word.items()}
    moved: dict[str, Split] = {}

    def can_leave(speaker: str) -> bool:
        """Whether each of the speaker's words has another speaker in the same set."""
        rich = [counts[word] for word in words[speaker] if counts[word].total() >= len(Split)]
        return all(count[splits[speaker]] > 1 for count in rich)

    for word in sorted(counts, key=lambda word: (counts[word].total(), word)):
        for split in (Split.TEST, Split.VALIDATION, Split.TRAIN):
            if counts[word][split] or counts[word].total() < len(Split):
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


def hash_split(speaker: str) -> Split:
    """The split of a speaker by the Speech Commands rule, which depends only on the name."""
    percent = _steps(speaker) * (100.0 / (_HASH_STEPS - 1))
    if percent < _VALIDATION_PERCENT:
        return Split.VALIDATION
    if percent < _VALIDATION_PERCENT + _TEST_PERCENT:
        return Split.TEST
    return Split.TRAIN


def _steps(speaker: str) -> int:
    """A speaker's hash on Speech Commands' scale."""
    digest = hashlib.sha1(speaker.encode(), usedforsecurity=False).hexdigest()
    return int(digest, 16) % _HASH_STEPS


def load_pcm(
    clips: Sequence[Clip],
    samples: int = SAMPLE_RATE,
    progress: Callable[[int], object] | None = None,
    out: npt.NDArray[np.int16] | None = None,
) -> npt.NDArray[np.int16]:
    """Decode all clips on all cores: int16[len(clips), samples], 16 kHz.

    Longer clips are cropped around the voice; shorter ones are zero-padded.

    Args:
        clips: the clips to load.
        samples: length of a row.
        progress: called with the number of clips done since the last call.
        out: array for the result, such as a memory-mapped file; None for a new one.

    Raises:
        AudioError: a file is missing or damaged.
    """
    rows = np.empty((len(clips), samples), np.int16) if out is None else out

    def load(index: int) -> None:
        rows[index] = around_voice(load_clip(clips[index].path), samples)

    for done, _ in enumerate(on_all_cores(load, range(len(clips))), 1):
        if progress and (done % 100 == 0 or done == len(clips)):
            progress(done % 100 or 100)
    return rows


def load_backgrounds(dataset: DataSet) -> list[npt.NDArray[np.int16]]:
    """The background recordings, int16[n], 16 kHz; short ones are joined.

    Raises:
        AudioError: a file is missing or damaged.
    """
    sounds = [load_clip(path) for path in dataset.backgrounds]
    short = [sound for sound in sounds if len(sound) < _SHORT_BACKGROUND]
    long = [sound for sound in sounds if len(sound) >= _SHORT_BACKGROUND]
    return [*long, np.concatenate(short)] if short else long


def _read_list(path: Path) -> frozenset[str] | None:
    """The clips in a list as `word/stem`, also with the parent folders.

    Extensions are omitted, because they differ between copies of a data set.
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
