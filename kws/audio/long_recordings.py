# SPDX-License-Identifier: Apache-2.0
"""Folders of long recordings: talk, noises, room impulse responses.

Any folder of recordings works, including subfolders. A `manifest.csv` in it or in its parent
describes them; all columns but `file` are optional:

- `file`: path of the recording, relative to the manifest
- `kind`: speech, noise or room; other kinds are skipped
- `split`: train, validation or test
- `speaker_or_group`: the speaker; no speaker is in two splits
- `transcript`: the spoken text
- `contains_<word>`: whether the word is spoken: yes, no or unsure

Without a manifest, each split gets its own part of each recording, and a text file next to a
recording (`kitchen.txt` for `kitchen.wav`) is its transcript. With or without one, the text file
may be a label track: see `label_track.py`.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.dataset import Split
from kws.audio.decoding.file_kinds import readable_endings
from kws.audio.decoding.left_out import damaged_text, undecodable, undecodable_text, unopened
from kws.audio.label_track import Label, labels_beside, track_of
from kws.audio.pcm import Pcm
from kws.audio.resampling import duration_of
from kws.audio.sound_files import hear
from kws.errors import DataError
from kws.parallel import on_all_cores
from kws.progress import notice

MANIFEST = "manifest.csv"

HOMOPHONES = {
    "no": ("know",),
    "right": ("write", "wright", "rite"),
    "eight": ("ate",),
    "four": ("for", "fore"),
    "one": ("won",),
    "two": ("to", "too"),
}
"""Words that a listener cannot tell from a keyword."""

SPLIT_PARTS = {Split.TRAIN: (0.0, 0.8), Split.VALIDATION: (0.8, 0.9), Split.TEST: (0.9, 1.0)}
"""Start and end of each split's part of a recording without an assigned split."""

PAUSE = np.zeros(SAMPLE_RATE // 5, np.int16)
"""Digital silence between two joined recordings of a source."""

_LABEL_MARGIN = 0.5
"""Seconds before and after a label that are left out with it."""

_SHORTEST_PART = 1.0
"""Seconds; shorter parts between labels are left out, too."""


@dataclass(frozen=True)
class LongRecording:
    """A recording, or a part of it."""

    path: Path
    source: str
    """Folder of the recording: recordings of one source sound alike."""

    speaker: str
    part: tuple[float, float] = (0.0, 1.0)
    """Start and end, as fractions of the file."""

    transcript: str | None = None
    """The spoken text; None if there is no transcript."""

    contains: dict[str, str] = field(default_factory=dict)
    """The manifest's entry per word: yes, no or unsure."""

    labels: tuple[Label, ...] = ()
    """What is said when, from a label track; it may name only a few passages."""

    def may_contain(self, words: Iterable[str]) -> bool:
        """Whether one of these words, or a homophone, may be spoken in it.

        A word with an s (`computers`, `computer's`) counts as the word: it is heard before the s.
        Without a transcript or a manifest entry, the recording is assumed to contain none.
        """
        words = tuple(words)
        said = any(self.contains.get(word, "no") != "no" for word in words)
        return said or _names_one(self.transcript or "", words)

    def without(self, words: Iterable[str]) -> list[LongRecording]:
        """Its parts between the labels that name one of these words, or a homophone.

        Raises:
            AudioError: the file is missing or damaged.
        """
        words = tuple(words)
        named = [label for label in self.labels if _names_one(label.text, words)]
        if not named:
            return [self]
        seconds = duration_of(self.path)
        first, last = (share * seconds for share in self.part)
        parts = []
        for label in sorted(named, key=lambda it: it.start):
            parts.append((first, min(label.start - _LABEL_MARGIN, last)))
            first = max(first, label.end + _LABEL_MARGIN)
        parts.append((first, last))
        return [
            replace(self, part=(start / seconds, end / seconds))
            for start, end in parts
            if end - start >= _SHORTEST_PART
        ]


def open_recordings(folders: Sequence[Path], split: Split | None, kind: str) -> list[LongRecording]:
    """The recordings in folders, or their parts, that a split may use.

    Args:
        folders: folders of recordings; at least one must have recordings of the split.
        split: the split; None for all.
        kind: `speech`, `noise` or `room`; a manifest's rows of other kinds are skipped.

    Raises:
        DataError: a folder is missing or contains no such recording, its manifest is wrong, or no
            folder has recordings of the split.
    """
    recordings = [recording for folder in folders for recording in _open(folder, split, kind)]
    if folders and not recordings:
        raise DataError(f"{folders[0]}: no {split} recordings of {kind}; pass a folder with some")
    return recordings


def has_recordings(folder: Path, split: Split, kind: str) -> bool:
    """Whether a folder has recordings that a split may use; see `open_recordings`."""
    return bool(_open(folder, split, kind))


def _open(folder: Path, split: Split | None, kind: str) -> list[LongRecording]:
    """The recordings in a folder, or a single one; none if its manifest has no such split."""
    if not folder.is_dir() and not folder.is_file():
        raise DataError(f"{folder}: no such folder; pass a folder of recordings")
    manifest = next((p for p in (folder / MANIFEST, folder.parent / MANIFEST) if p.is_file()), None)
    endings = readable_endings()
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in endings and path.is_file() and not path.name.startswith(".")
    )
    if folder.is_file():
        paths, folder = [folder], folder.parent
    if manifest:
        every = _listed(manifest, None, kind)
        of_split = _listed(manifest, split, kind)
        paths = _opened(folder, [path for path in paths if path in every])
        recordings = [of_split[path] for path in paths if path in of_split]
    else:
        paths = _opened(folder, paths)
        recordings = [_plain(path, folder, None if kind == "room" else split) for path in paths]
    if not paths:
        raise DataError(f"{folder}: no recordings of {kind}; pass a folder that contains some")
    return recordings


def _opened(folder: Path, paths: list[Path]) -> list[Path]:
    """The files that can be opened; a notice names the others.

    Raises:
        AudioError: none can be opened.
    """
    faults = unopened(paths)
    if foreign := undecodable(folder):
        notice(f"{folder}: {undecodable_text(foreign)}")
    if not faults:
        return paths
    if len(faults) == len(paths):
        raise next(iter(faults.values()))
    notice(f"{folder}: {damaged_text(folder, faults)}")
    return [path for path in paths if path not in faults]


def count_files(recordings: Iterable[LongRecording]) -> int:
    """The number of files that they are in."""
    return len({recording.path for recording in recordings})


def seconds_left_out(recordings: Sequence[LongRecording], parts: Sequence[LongRecording]) -> float:
    """How much shorter the parts of recordings are than these, because of label tracks.

    Raises:
        AudioError: a file is missing or damaged.
    """
    seconds = 0.0
    for recording in recordings:
        own = [part.part for part in parts if part.path == recording.path]
        shares = sum(end - start for start, end in own)
        start, end = recording.part
        if own and shares < end - start:
            seconds += (end - start - shares) * duration_of(recording.path)
    return seconds


def load_recordings(
    recordings: Sequence[LongRecording], progress: Callable[[int], object] = lambda _: None
) -> list[Pcm]:
    """Decode each recording on all cores: int16[n], 16 kHz.

    A truncated recording is read as far as possible, with a notice.

    Raises:
        AudioError: a file is missing or contains no sound.
    """

    def load(recording: LongRecording) -> Pcm:
        pcm = hear(recording.path).pcm
        start, end = (round(share * len(pcm)) for share in recording.part)
        # A view would keep the whole recording in memory.
        return pcm if end - start == len(pcm) else pcm[start:end].copy()

    sounds = []
    for pcm in on_all_cores(load, recordings):
        sounds.append(pcm)
        progress(1)
    return sounds


def join_by_source(recordings: Sequence[LongRecording], sounds: Sequence[Pcm]) -> dict[str, Pcm]:
    """Join the recordings of each source into one long recording: int16[n]."""
    joined: dict[str, list[Pcm]] = {}
    for recording, pcm in zip(recordings, sounds, strict=True):
        joined.setdefault(recording.source, []).extend((pcm, PAUSE))
    return {source: np.concatenate(parts) for source, parts in joined.items()}


_LETTERS = r"(?:[^\W_]|[\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u200c\u200d])"
"""A letter or combining mark: `\\w` in a regular expression excludes most marks."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u2e80-\ua4cf\uf900-\ufaff]")
"""Letters of Thai, Lao, Chinese and Japanese, which have no spaces between words."""


def _names_one(text: str, words: Iterable[str]) -> bool:
    spoken = f" {_plain_text(text)} "
    return any(form in spoken for word in words for form in _forms(word))


def _forms(word: str) -> list[str]:
    """The strings that match a word in plain text, with a space before and after."""
    plain = _plain_text(word)
    if _UNSPACED.search(plain):
        return [plain]
    same = [_plain_text(other) for other in HOMOPHONES.get(word, ())]
    return [f" {form} " for form in (plain, f"{plain}s", f"{plain}'s", f"{plain}\u2019s", *same)]


def _plain_text(text: str) -> str:
    """The words of a text in lower case, separated by single spaces, without punctuation."""
    composed = unicodedata.normalize("NFC", text.lower())
    return " ".join(re.findall(rf"{_LETTERS}+(?:['\u2019]{_LETTERS}+)*", composed))


def read_manifest(manifest: Path) -> list[dict[str, str]]:
    """The rows of a manifest, by column name.

    Raises:
        DataError: it cannot be read, or is not a text table.
    """
    try:
        with manifest.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is not a text table"
        raise DataError(f"{manifest}: {reason.lower()}; correct or remove it") from None


def _listed(manifest: Path, split: Split | None, kind: str) -> dict[Path, LongRecording]:
    listed = {}
    for row in read_manifest(manifest):
        name = row.get("file")
        if not name:
            raise DataError(f"{manifest}: a line has no file; the first line must name the columns")
        if row.get("kind", kind) != kind or (split and row.get("split", split) != split):
            continue
        path = manifest.parent / name
        contains = {
            key.removeprefix("contains_"): value
            for key, value in row.items()
            if key and key.startswith("contains_") and value
        }
        listed[path] = LongRecording(
            path,
            path.parent.name,
            row.get("speaker_or_group") or path.stem,
            transcript=row.get("transcript"),
            contains=contains,
            labels=labels_beside(path),
        )
    return listed


def _plain(path: Path, folder: Path, split: Split | None) -> LongRecording:
    text, labels = track_of(path), labels_beside(path)
    transcript = None
    if text.is_file() and not labels:
        try:
            transcript = text.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError):
            raise DataError(f"{text}: is not text; correct or remove it") from None
    source = path.parent.name if path.parent != folder else folder.resolve().name
    part = SPLIT_PARTS[split] if split else (0.0, 1.0)
    return LongRecording(path, source, path.stem, part, transcript, labels=labels)
