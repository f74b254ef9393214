# SPDX-License-Identifier: Apache-2.0
"""Streams: long recordings with words at known times, made from clips or recorded by a user.

A stream made from clips is at most ten minutes long; longer sound is split into several streams.
The background changes every few seconds between recordings of the data set and synthetic noises, or
between people who talk, each at a random level. Words are added at a random signal-to-noise ratio.
All clips, and the parts of the background recordings, come from one split.

Talk without keywords has its own streams, without words: see `talk.py`.
"""

from __future__ import annotations

import enum
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE
from kws.audio.background_noises import make_noises, room_after
from kws.audio.dataset import Clip, DataSet, Split, load_backgrounds, load_pcm
from kws.audio.label_track import Label, read_labels
from kws.audio.pcm import Pcm, samples_of, speech_span
from kws.audio.sound_files import hear
from kws.config import check_range
from kws.errors import DataError
from kws.labels import word_of
from kws.model.evaluate.score.words import REACTION_MS, Word
from kws.model.samples.backgrounds import background_parts

PART_MINUTES = 10.0
"""Longest stream in minutes; a device is reset before each."""

CLIP_MS = 1000
"""Length of a clip, unless a model's window is longer."""

_FADE = SAMPLE_RATE // 50
_BACKGROUND_SECONDS = (8.0, 20.0)
_NOISE_SECONDS = 30.0
_SEED = 20180409

Sound = npt.NDArray[np.float32]


class Kind(enum.StrEnum):
    """The contents of a stream."""

    QUIET = "quiet"
    """Words in a quiet room."""

    NOISE = "noise"
    """Words over noise."""

    OVER_TALK = "over talk"
    """Words over the talk of others."""

    TALK = "talk"
    """Talk without keywords, as recorded."""

    RECORDING = "recording"
    """A user's own recording."""

    OTHER_WORDS = "other words"
    """Words over noise, but no keywords."""


TITLES = {
    Kind.QUIET: "quiet room",
    Kind.NOISE: "noise",
    Kind.OVER_TALK: "over talk",
    Kind.TALK: "talk alone",
    Kind.OTHER_WORDS: "other words",
    Kind.RECORDING: "recording",
}
"""Names of the kinds in tables, in the order of the rows."""


QUIET_LEVEL_DB = (-75.0, -60.0)
QUIET_SNR_DB = (25.0, 45.0)


@dataclass(frozen=True)
class StreamSettings:
    """Settings of streams made from clips."""

    kind: Kind = Kind.NOISE
    """`QUIET`, `NOISE`, `OVER_TALK` or `OTHER_WORDS`."""

    minutes: float = 60.0
    """Length of all streams together; each is at most ten minutes long."""

    words_a_minute: float = 6.0
    """Words per minute, keywords and other words together."""

    keyword_share: float = 0.5
    """Share of the words that are keywords, 0 to 1; all keywords are equally frequent."""

    snr_db: tuple[float, float] = (5.0, 15.0)
    """Range of the signal-to-noise ratio: RMS of the voice over RMS of the background."""

    level_db: tuple[float, float] = (-50.0, -30.0)
    """Range of the background's RMS, in dBFS."""

    seed: int = 0

    clip_ms: int = CLIP_MS
    """Length of a word's clip: the model's window, but at least a second."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_range("minutes", self.minutes, 0.1, 1_000_000)
        # The times for reports of two words must not overlap.
        most = 60_000 / (self.clip_ms + REACTION_MS)
        check_range("words_a_minute", self.words_a_minute, 0, most)
        check_range("keyword_share", self.keyword_share, 0, 1)
        for name, pair in (("snr_db", self.snr_db), ("level_db", self.level_db)):
            check_range(name, pair[0], -100, pair[1])
            check_range(name, pair[1], pair[0], 100)

    @property
    def parts(self) -> int:
        """Number of streams."""
        return math.ceil(self.minutes / PART_MINUTES)

    @property
    def part_minutes(self) -> float:
        """Length of each stream."""
        return self.minutes / self.parts


@dataclass(frozen=True)
class StreamPlan:
    """Hours with keywords and other words, and hours with only other words."""

    hours: float = 1.0
    """Hours with keywords, for each of: quiet room, noise, and over talk if there is talk."""

    other_hours: float = 4.0
    """Hours in noise with only other words: many, because false alarms are rare."""

    snr_db: tuple[float, float] = (5.0, 15.0)
    """Range in dB, in noise and over talk."""

    words_a_minute: float = 6.0
    """Words per minute in hours with keywords; half of the words are keywords."""

    seed: int = 0

    clip_ms: int = CLIP_MS
    """Length of a word's clip."""

    def __post_init__(self) -> None:
        """Check the ranges."""
        check_range("hours", self.hours, 0.01, 10_000)
        check_range("other hours", self.other_hours, 0, 10_000)

    def settings(self, *, talk: bool) -> tuple[StreamSettings, ...]:
        """Settings of each kind; over talk only if there is `talk`."""
        kinds = [Kind.QUIET, Kind.NOISE, *([Kind.OVER_TALK] if talk else [])]
        busy = [
            StreamSettings(
                kind,
                60 * self.hours,
                self.words_a_minute,
                snr_db=QUIET_SNR_DB if kind == Kind.QUIET else self.snr_db,
                level_db=QUIET_LEVEL_DB if kind == Kind.QUIET else (-50.0, -30.0),
                seed=2 * self.seed,
                clip_ms=self.clip_ms,
            )
            for kind in kinds
        ]
        if self.other_hours < 0.01:
            return tuple(busy)
        others = StreamSettings(
            kind=Kind.OTHER_WORDS,
            minutes=60 * self.other_hours,
            words_a_minute=self.words_a_minute / 2,
            keyword_share=0.0,
            snr_db=self.snr_db,
            seed=2 * self.seed + 1,
            clip_ms=self.clip_ms,
        )
        return (*busy, others)

    def parts(self, *, talk: bool) -> int:
        """Number of streams."""
        return sum(settings.parts for settings in self.settings(talk=talk))

    def streams(
        self,
        dataset: DataSet,
        keywords: Sequence[str],
        split: Split,
        talk: Mapping[str, Pcm] | None = None,
        noise: Sequence[Pcm] = (),
    ) -> Iterator[Stream]:
        """The streams; see `make_streams`."""
        for settings in self.settings(talk=bool(talk)):
            yield from make_streams(dataset, keywords, split, settings, talk, noise=noise)

    def to_json(self) -> dict[str, Any]:
        """The settings, as values for JSON and TOML."""
        return {**vars(self), "snr_db": list(self.snr_db)}


@dataclass(frozen=True)
class Played:
    """A recording, or a part of it, in a stream of talk."""

    path: Path
    start_ms: int
    """When it starts in the stream; negative if before the stream's start."""

    from_seconds: float = 0.0
    """Start of the part in the recording."""

    pace: float = 1.0
    """Factor of the recording's speed."""

    def seconds_at(self, time_ms: float) -> float:
        """The place in the recording that is played at a time of the stream."""
        return self.from_seconds + (time_ms - self.start_ms) * self.pace / 1000


@dataclass(frozen=True)
class Stream:
    """A recording and the words spoken in it."""

    pcm: Pcm
    words: tuple[Word, ...]
    """By time."""

    kind: Kind = Kind.RECORDING
    source: str = ""
    """Source of talk; else empty."""

    played: tuple[Played, ...] = ()
    """Recordings of talk by time."""

    @property
    def hours(self) -> float:
        """Length in hours."""
        return len(self.pcm) / SAMPLE_RATE / 3600

    def sound(self, window_ms: int) -> Pcm:
        """The sound to play; a user's recording is followed by room noise, for a late report."""
        room = room_after(window_ms)
        return np.concatenate([self.pcm, room]) if self.kind == Kind.RECORDING else self.pcm


def played_at(played: Sequence[Played], time_ms: int) -> Played | None:
    """The recording of a stream that is played at a time; None if unknown."""
    return next((it for it in reversed(played) if it.start_ms <= time_ms), None)


def make_streams(
    dataset: DataSet,
    keywords: Sequence[str],
    split: Split,
    settings: StreamSettings,
    talk: Mapping[str, Pcm] | None = None,
    *,
    noise: Sequence[Pcm] = (),
) -> Iterator[Stream]:
    """Make streams from clips. The same arguments produce the same sound.

    Every clip of the split is used once before one is repeated. Streams over talk need `talk`: by
    source, all talk as one recording. `noise`: recordings in addition to the data set's
    backgrounds, each played as often as one of these.

    Raises:
        DataError: the split lacks clips of a keyword, or of other words, and `settings` need them.
        AudioError: a file is missing or damaged.
    """
    kind = settings.kind
    seed = [_SEED, list(Split).index(split), settings.seed]
    noisy = kind in (Kind.NOISE, Kind.OTHER_WORDS)
    rng = np.random.default_rng(seed + ([] if noisy else [list(Kind).index(kind)]))
    share = settings.keyword_share if settings.words_a_minute else 0.0
    groups = {word: dataset.of(split, [word]) for word in keywords} if share > 0 else {}
    for word, clips in groups.items():
        if not clips:
            raise DataError(f"{dataset.root}: no {split} clips of {word!r} to make a stream from")
    others = dataset.of(split, [word for word in dataset.words if word not in keywords])
    if share < 1 and settings.words_a_minute and not others:
        raise DataError(
            f"{dataset.root}: no {split} clips of words other than {', '.join(keywords)}; "
            "false alarms are counted on such words, so add some folders of them"
        )
    decks = [_Deck(clips, rng, settings.clip_ms) for clips in groups.values()]
    other_deck = _Deck(others, rng, settings.clip_ms)
    recorded = [*background_parts(load_backgrounds(dataset), split), *noise]
    talking = [_unit(pcm) for pcm in (talk or {}).values()]
    turns = itertools.cycle(range(len(decks)))
    for _ in range(settings.parts):
        sounds = talking if kind == Kind.OVER_TALK else noises(recorded, rng)
        sound, level = _background(sounds, settings, rng)
        words: list[Word] = []
        for start in _starts(settings, rng):
            deck = decks[next(turns)] if rng.random() < share else other_deck
            clip, pcm = deck.draw()
            gain = float(level[start]) * 10 ** (rng.uniform(*settings.snr_db) / 20)
            words.append(_lay(sound, start, clip, pcm, gain))
        np.clip(sound, -32768, 32767, out=sound)
        yield Stream(np.rint(sound).astype(np.int16), tuple(words), kind)


def read_stream(recording: Path, labels: Path) -> Stream:
    """A user's recording with its label track.

    Raises:
        AudioError: the recording cannot be read.
        DataError: the label file cannot be read, or a line is wrong.
    """
    pcm = hear(recording).pcm
    seconds = len(pcm) / SAMPLE_RATE
    words = [_word(labels, label, seconds) for label in read_labels(labels)]
    return Stream(pcm, tuple(sorted(words, key=lambda word: word.start_ms)))


def _word(labels: Path, label: Label, seconds: float) -> Word:
    """The word of a label."""
    word = word_of(label.text)
    if not 0 <= label.start <= label.end <= seconds + 1 or not word:
        raise DataError(
            f"{labels}: line {label.line}: {label.start:g} to {label.end:g} s is not within the "
            f"{seconds:.1f} s, or there is no word"
        )
    return Word(word, round(1000 * label.start), round(1000 * label.end))


class _Deck:
    """Clips in random order, endlessly; a clip is loaded when it is first drawn."""

    def __init__(self, clips: Sequence[Clip], rng: np.random.Generator, clip_ms: int) -> None:
        self._clips, self._rng, self._samples = clips, rng, samples_of(clip_ms)
        self._order: list[int] = []
        self._pcm: dict[int, Pcm] = {}

    def draw(self) -> tuple[Clip, Pcm]:
        if not self._order:
            self._order = self._rng.permutation(len(self._clips)).tolist()
        index = self._order.pop()
        if index not in self._pcm:
            self._pcm[index] = load_pcm([self._clips[index]], self._samples)[0]
        return self._clips[index], self._pcm[index]


def noises(recorded: Sequence[Pcm], rng: np.random.Generator) -> list[Sound]:
    """Recorded backgrounds and six synthetic noises, all with an RMS of 1."""
    synthetic = make_noises(_NOISE_SECONDS, int(rng.integers(2**31)))
    return [*map(_unit, recorded), *map(_unit, synthetic.values())]


def _unit(pcm: Pcm) -> Sound:
    """Sound with an RMS of 1."""
    sound = pcm.astype(np.float32)
    return sound / np.float32(max(float(np.sqrt(np.mean(sound**2))), 1e-3))


def _starts(settings: StreamSettings, rng: np.random.Generator) -> list[int]:
    """First samples of a stream's words: evenly spaced, then each shifted at random."""
    count = round(settings.words_a_minute * settings.part_minutes)
    if not count:
        return []
    spacing = settings.part_minutes * 60 * SAMPLE_RATE / count
    free = spacing - (settings.clip_ms + REACTION_MS) * SAMPLE_RATE // 1000
    return [int(spacing * i + rng.random() * max(free, 0)) for i in range(count)]


def _background(
    sounds: Sequence[Sound], settings: StreamSettings, rng: np.random.Generator
) -> tuple[Sound, Sound]:
    """A stream's background and its RMS at each sample, both float32 at the scale of int16."""
    samples = int(settings.part_minutes * 60 * SAMPLE_RATE)
    sound, level = np.zeros((2, samples), np.float32)
    place = 0
    while place < samples:
        length = min(int(rng.uniform(*_BACKGROUND_SECONDS) * SAMPLE_RATE), samples - place)
        noise = sounds[int(rng.integers(len(sounds)))]
        first = int(rng.integers(len(noise)))
        part = np.take(noise, np.arange(first, first + length), mode="wrap")
        gain = np.float32(32768 * 10 ** (rng.uniform(*settings.level_db) / 20))
        level[place : place + length] = gain
        sound[place : place + length] = part * gain
        place += length
    return sound, level


def _lay(sound: Sound, start: int, clip: Clip, pcm: Pcm, level: float) -> Word:
    """Add a clip to a stream's sound, with its voice at an RMS of `level`."""
    first, end = speech_span(pcm)
    voice = pcm.astype(np.float32)
    rms = float(np.sqrt(np.mean(voice[first:end] ** 2)))
    # Fade the clip in and out, so that its own noise does not start and end with a click.
    ramp = np.minimum(1, np.arange(1, len(voice) + 1, dtype=np.float32) / _FADE)
    gain = np.float32(level / max(rms, 1.0))
    sound[start : start + len(voice)] += voice * ramp * ramp[::-1] * gain
    to_ms = 1000 / SAMPLE_RATE
    return Word(clip.word, round((start + first) * to_ms), round((start + end) * to_ms), clip.path)
