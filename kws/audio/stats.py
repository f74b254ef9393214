# SPDX-License-Identifier: Apache-2.0
"""Statistics of a data set, and its problems."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from kws._core import SAMPLE_RATE
from kws.audio.dataset import Clip, DataSet, Split
from kws.audio.sound_files import read_recording
from kws.errors import AudioError
from kws.parallel import on_all_cores
from kws.tables import make_table

SHORT_S = 0.3
"""A shorter clip is unlikely to contain a word."""

CLIPPED_SAMPLES = 5
"""A recording with this many samples at full scale was too loud."""

QUIET_PEAK = 0.005
"""A clip that never exceeds this share of full scale contains no audible speech."""

SCARCE_CLIPS = 50
"""A word with fewer training clips is hard to learn."""

_SHOWN = 4  # names per line of the description; JSON has all of them


@dataclass(frozen=True)
class Sound:
    """One readable file."""

    seconds: float
    rate: int
    peak: float
    """Largest magnitude, 1 is full scale."""

    full_scale: int
    """Number of samples at full scale."""

    digest: bytes
    """Equal for equal samples, regardless of the file format."""

    one_channel: bool
    """Whether only one channel was read, because the average would hide the voice."""

    far: bool
    """Whether samples far above full scale were scaled down."""


@dataclass(frozen=True)
class WordStats:
    """One row of the table."""

    word: str
    clips: int
    speakers: int
    train: int
    validation: int
    test: int
    shortest_s: float
    mean_s: float


@dataclass(frozen=True)
class Problem:
    """A problem, and the files or words that have it."""

    kind: str
    """A key of `_KINDS`, such as `clipped`."""

    what: str
    """Description of the problem."""

    where: tuple[str, ...]
    """Files relative to the data set, words, or speakers."""


@dataclass(frozen=True)
class Stats:
    """The result of `kws stats`."""

    root: Path
    words: tuple[WordStats, ...]
    clips: int
    speakers: int
    backgrounds: tuple[tuple[str, float], ...]
    """Name and seconds of each readable background recording."""

    splits_from: str
    """`lists` or `hash rule`."""

    notes: tuple[str, ...] = ()
    """Lines about speakers, splits and skipped files."""

    problems: tuple[Problem, ...] = field(default=())

    def to_json(self) -> dict[str, Any]:
        """All fields as JSON values."""
        return asdict(self) | {"root": str(self.root)}


def collect(dataset: DataSet, progress: Callable[[int], object] | None = None) -> Stats:
    """Read every file of a data set; unreadable files are reported as problems, not errors.

    Args:
        dataset: the data set.
        progress: called with the number of files done since the last call.
    """
    paths = [clip.path for clip in dataset.clips] + list(dataset.backgrounds)
    sounds = {}
    for path, sound in zip(paths, on_all_cores(_look, paths), strict=True):
        sounds[path] = sound
        if progress:
            progress(1)
    by_word: defaultdict[str, list[Clip]] = defaultdict(list)
    for clip in dataset.clips:
        by_word[clip.word].append(clip)
    return Stats(
        root=dataset.root,
        words=tuple(_word_stats(word, clips, sounds) for word, clips in by_word.items()),
        clips=len(dataset.clips),
        speakers=len({clip.speaker for clip in dataset.clips}),
        backgrounds=tuple(
            (path.name, sound.seconds)
            for path in dataset.backgrounds
            if isinstance(sound := sounds[path], Sound)
        ),
        splits_from="lists" if dataset.has_lists else "hash rule",
        notes=dataset.notes,
        problems=tuple(_problems(dataset, by_word, sounds)),
    )


def describe(stats: Stats) -> Group:
    """The table of words, the backgrounds and the problems, for a terminal."""
    noise = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in stats.backgrounds)
    lines = ["", f"splits: from the {stats.splits_from}", f"backgrounds: {noise or 'none'}"]
    for problem in stats.problems:
        names = ", ".join(problem.where[:_SHOWN])
        more = f" and {len(problem.where) - _SHOWN} more" if len(problem.where) > _SHOWN else ""
        lines.append(f"{problem.kind}: {len(problem.where)} {problem.what}: {names}{more}")
    lines += stats.notes
    if not stats.problems:
        lines.append("no problems found")
    return Group(_table(stats), *(Text(line) for line in lines))


def _table(stats: Stats) -> Table:
    headings = ("clips", "speakers", "train", "validation", "test", "shortest", "mean")
    out = make_table("word", *headings, frame=False)
    for w in stats.words:
        counts = (w.clips, w.speakers, w.train, w.validation, w.test)
        seconds = (f"{w.shortest_s:.2f} s", f"{w.mean_s:.2f} s")
        out.add_row(w.word, *map(str, counts), *seconds)
    sums = [sum(getattr(w, name) for w in stats.words) for name in ("train", "validation", "test")]
    out.add_row("all", *map(str, (stats.clips, stats.speakers, *sums)), style="bold")
    return out


def _look(path: Path) -> Sound | AudioError:
    try:
        recording = read_recording(path)
    except AudioError as error:
        return error
    if recording.damage:
        return AudioError(f"{path}: {recording.damage}")
    digest = hashlib.blake2b(recording.pcm.tobytes(), digest_size=16).digest()
    return Sound(
        recording.seconds,
        recording.rate,
        recording.peak,
        recording.clipped,
        digest,
        recording.mix.reason != "",
        recording.mix.divisor != 1.0,
    )


def _word_stats(word: str, clips: list[Clip], sounds: dict[Path, Sound | AudioError]) -> WordStats:
    splits = Counter(clip.split for clip in clips)
    lengths = [s.seconds for clip in clips if isinstance(s := sounds[clip.path], Sound)]
    return WordStats(
        word,
        len(clips),
        len({clip.speaker for clip in clips}),
        splits[Split.TRAIN],
        splits[Split.VALIDATION],
        splits[Split.TEST],
        round(min(lengths, default=0.0), 3),
        round(sum(lengths) / len(lengths), 3) if lengths else 0.0,
    )


def _problems(
    dataset: DataSet, by_word: dict[str, list[Clip]], sounds: dict[Path, Sound | AudioError]
) -> list[Problem]:
    bad: defaultdict[str, list[str]] = defaultdict(list)
    same: defaultdict[bytes, list[str]] = defaultdict(list)
    clips = {clip.path for clip in dataset.clips}
    for path, sound in sounds.items():
        name = path.relative_to(dataset.root).as_posix()
        if isinstance(sound, AudioError):
            bad["unreadable"].append(name)
            continue
        same[sound.digest].append(name)
        for kind, is_so in (
            ("rate", sound.rate != SAMPLE_RATE),
            ("channels", sound.one_channel),
            ("level", sound.far),
        ):
            if is_so:
                bad[kind].append(name)
        if path in clips:
            for kind, is_so in (
                ("short", sound.seconds < SHORT_S),
                ("clipped", sound.full_scale >= CLIPPED_SAMPLES),
                ("quiet", sound.peak < QUIET_PEAK),
            ):
                if is_so:
                    bad[kind].append(name)
    for names in same.values():
        bad["duplicate"] += names[1:]
    bad["shared"] = list(dataset.shared_speakers())
    for word, members in by_word.items():
        train = sum(clip.split == Split.TRAIN for clip in members)
        if train < SCARCE_CLIPS:
            bad["scarce"].append(word)
        if {clip.split for clip in members} != set(Split):
            bad["split"].append(word)
    if not dataset.backgrounds:
        bad["background"].append("_background_noise_")
    return [Problem(kind, what, tuple(bad[kind])) for kind, what in _KINDS.items() if bad[kind]]


_KINDS = {
    "unreadable": "files are empty, cut off, damaged or not recordings (they are skipped)",
    "short": f"clips are shorter than {SHORT_S} s",
    "quiet": f"clips are silent, never louder than {QUIET_PEAK:.1%} of full scale",
    "clipped": f"clips are too loud, {CLIPPED_SAMPLES} or more samples at full scale",
    "rate": f"files are not at {SAMPLE_RATE} Hz (they are resampled)",
    "channels": "files have channels that cancel or contain noise (the best one is read)",
    "level": "files have samples far above full scale (they are scaled down)",
    "duplicate": "files have the same samples as another file",
    "shared": "speakers are in more than one set, which inflates test scores",
    "scarce": f"words have fewer than {SCARCE_CLIPS} training clips",
    "split": "words lack clips for training, validation or test",
    "background": "folder is missing or empty, so training cannot mix in noise",
}
