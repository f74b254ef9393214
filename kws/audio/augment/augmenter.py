"""What is done to a clip before a model learns from it.

A clip is spoken faster, slower, higher or lower, moved in time, put into a room, given a background
or a babble of other speakers, a level, a microphone and sometimes too much gain. Each of these is
switched off by its setting. Everything works on batches and runs on all cores; random choices
depend on the seed and the clip's place in the batch, never on the number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kws.audio.augment.noise import coloured
from kws.audio.augment.room import Responses
from kws.audio.augment.stretch import resample, stretch
from kws.config import check_range
from kws.errors import DataError

Pcm = npt.NDArray[np.int16]
"""16 kHz mono samples."""

Sounds = npt.NDArray[np.float32]
"""The same as floats, +-32768."""

_CHUNK = 64  # clips that one thread works on at a time: what they need fits into the cache
_TALKERS = (3, 7)  # of a babble
_SPEECH_SHARE = 0.3  # the loudest so many of a clip's 10 ms blocks are its speech
_LEVELS_DB = (-66.0, -9.0)  # of full scale: speech is not made quieter or louder than this
_SUDDEN = 0.25  # share of the clips with no sound before them, where others have some
_FAINT = 8.0  # int16 steps: loudest noise of a quiet room's microphone


@dataclass(frozen=True)
class Augmentation:
    """What may happen to a training clip. A share of 0 switches a thing off."""

    shift_ms: int = 400
    """Clips are moved in time by up to so much, either way. TensorFlow's example has 100; on a
    device a word passes through the whole second, and has to be recognized on most of its way."""

    lead_ms: int = 0
    """Sound before each clip, which the frontend hears and the model does not: the noise of the
    clip, if it has one. On a device the noise estimate has long settled when a word comes; a clip
    alone begins with none. A quarter of the clips hear nothing before, as those do that a model is
    judged by."""

    speed: float = 0.1
    """Clips are played up to this share faster or slower, which moves their pitch too."""

    pitch: float = 0.1
    """Share of the clips whose pace is changed further by up to 20 % while the pitch stays."""

    room: float = 0.2
    """Share of the clips that are heard in a simulated room."""

    background: float = 0.7
    """Share of the clips that get noise: background recordings, coloured noise or babble."""

    babble: float = 0.15
    """Share of the noise that is a babble of other training clips."""

    snr_db: float = 5.0
    """Lowest ratio of speech to noise."""

    snr_range_db: float = 30.0
    """How much more the highest is."""

    gain_db: float = 30.0
    """Width of the range of levels: from 20 parts quieter to 10 parts louder."""

    microphone: float = 0.2
    """Share of the clips that lose bass and treble to a microphone."""

    clipping: float = 0.03
    """Share of the clips whose peaks are cut off."""

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        check_range("shift_ms", self.shift_ms, 0, 900)
        check_range("lead_ms", self.lead_ms, 0, 10_000)
        check_range("speed", self.speed, 0, 0.5)
        for share in ("pitch", "room", "background", "babble", "microphone", "clipping"):
            check_range(share, getattr(self, share), 0, 1)
        check_range("snr_db", self.snr_db, -20, 60)
        check_range("snr_range_db", self.snr_range_db, 0, 60)
        check_range("gain_db", self.gain_db, 0, 60)


NONE = Augmentation(0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0)
"""Clips stay as they are."""


class Augmenter:
    """Changes clips as its settings say."""

    def __init__(
        self, settings: Augmentation, backgrounds: Sequence[Pcm], samples: int, seed: int
    ) -> None:
        """Make the rooms.

        Args:
            settings: what may happen.
            backgrounds: recordings, each longer than a clip; may be none.
            samples: length of a clip.
            seed: decides the rooms.

        Raises:
            DataError: a background is not longer than a clip.
        """
        self._settings = settings
        self._backgrounds = backgrounds
        self._lead = settings.lead_ms * 16
        if backgrounds:
            cut_backgrounds(backgrounds, 1, samples + self._lead, np.random.default_rng(0))
        rooms = settings.room > 0 or settings.microphone > 0
        self._responses = Responses(samples + self._lead, seed) if rooms else None

    def change(
        self,
        clips: Pcm,
        seed: Sequence[int],
        talkers: Pcm | None = None,
        left: npt.NDArray[np.float32] | None = None,
    ) -> Pcm:
        """A changed copy of a batch of clips: int16[n, lead + samples].

        Args:
            clips: int16[n, samples].
            seed: where every random choice comes from.
            talkers: whose voices make a babble, int16[m, samples]; None takes `clips`.
            left: float32[n], gets the share of each clip's energy that is still there after it was
                moved, 0 to 1.
        """
        if left is not None:
            left[:] = 1
        if self._settings == NONE:
            return clips.copy()
        voices = clips if talkers is None else talkers

        def one(rows: slice, rng: np.random.Generator) -> Pcm:
            still = None if left is None else left[rows]
            return self._chunk(clips[rows].astype(np.float32), voices, rng, still)

        return in_chunks(one, len(clips), seed, self._lead + clips.shape[1])

    def silence(self, count: int, samples: int, seed: Sequence[int]) -> Pcm:
        """Clips of the silence class: backgrounds at every level, noise, and nothing at all.

        A twentieth is digital silence, as much is the noise of a microphone in a quiet room.
        """
        if self._settings == NONE:
            return silence(count, samples, self._backgrounds, np.random.default_rng(seed))
        samples += self._lead

        def one(rows: slice, rng: np.random.Generator) -> Pcm:
            return self._quiet(rows.stop - rows.start, samples, rng)

        return in_chunks(one, count, seed, samples)

    def _quiet(self, count: int, samples: int, rng: np.random.Generator) -> Pcm:
        if not self._backgrounds:
            noise = np.zeros((count, samples), np.float32)
        else:
            noise = cut_backgrounds(self._backgrounds, count, samples, rng).astype(np.float32)
        noise *= rng.random((count, 1), np.float32)
        kind = rng.random(count)
        made = kind < 0.2
        if made.any():
            noise[made] = coloured(int(made.sum()), samples, rng)
            noise[made] *= _decibels(rng.uniform(-80, -15, int(made.sum()))) * 32768
        faint = kind > 0.95
        noise[faint] = rng.standard_normal((int(faint.sum()), samples), np.float32)
        noise[faint] *= rng.uniform(0, _FAINT, (int(faint.sum()), 1)).astype(np.float32)
        noise[kind < 0.05] = 0
        self._begin(noise, rng)
        roomy = rng.random(count) < self._settings.microphone
        self._colour(noise, np.zeros(count, np.bool_), roomy, rng)
        return _to_pcm(noise)

    def _chunk(
        self,
        clips: Sounds,
        pool: Pcm,
        rng: np.random.Generator,
        left: npt.NDArray[np.float32] | None,
    ) -> Pcm:
        ours = self._settings
        count, samples = clips.shape

        def some(share: float) -> npt.NDArray[np.bool_]:
            return rng.random((count,)) < share

        paced = some(ours.pitch)
        if paced.any():
            clips[paced] = stretch(clips[paced], 1 + rng.uniform(-0.2, 0.2, int(paced.sum())))
        if ours.speed:
            clips = resample(clips, 1 + rng.uniform(-ours.speed, ours.speed, (count,)))
        clips = np.pad(clips, ((0, 0), (self._lead, 0)))
        reach = ours.shift_ms * 16
        if reach:
            before = np.einsum("cs,cs->c", clips, clips)
            clips = shift(clips, rng.integers(-reach, reach, (count,)))
            if left is not None:
                heard = clips[:, self._lead :]
                left[:] = np.einsum("cs,cs->c", heard, heard) / np.maximum(before, 1)
        self._colour(clips, some(ours.room), np.zeros(count, np.bool_), rng)
        levels = speech_levels(clips, samples)
        if ours.gain_db:
            low, high = -ours.gain_db * 2 / 3, ours.gain_db / 3
            lowest, highest = (32768 * 10 ** (end / 20) for end in _LEVELS_DB)
            gains = _decibels(rng.uniform(low, high, (count,)))[:, 0]
            gains = np.where(levels > 0, np.clip(levels * gains, lowest, highest), 0)
            gains /= np.maximum(levels, 1e-3)
            clips *= gains[:, None].astype(np.float32)
            levels = levels * gains.astype(np.float32)
        noisy = some(ours.background)
        if noisy.any():
            noise = self._noise(int(noisy.sum()), clips.shape[1], pool, rng)
            snr = rng.uniform(ours.snr_db, ours.snr_db + ours.snr_range_db, len(noise))
            noise *= levels[noisy, None] * _decibels(-snr)
            self._begin(noise, rng)
            clips[noisy] += noise
        self._colour(clips, np.zeros(count, np.bool_), some(ours.microphone), rng)
        cut = some(ours.clipping)
        if cut.any():
            peaks = np.abs(clips[cut]).max(axis=1, keepdims=True)
            peaks *= _decibels(-rng.uniform(3, 15, len(peaks)))
            clips[cut] = np.clip(clips[cut], -peaks, peaks)
        return _to_pcm(clips)

    def _begin(self, noise: Sounds, rng: np.random.Generator) -> None:
        """Let some noises begin with the clip, in place."""
        if self._lead:
            noise[rng.random(len(noise)) < _SUDDEN, : self._lead] = 0

    def _noise(self, count: int, samples: int, pool: Pcm, rng: np.random.Generator) -> Sounds:
        """Noise with a root mean square of 1."""
        kind = rng.random(count)
        babble = kind < self._settings.babble
        made = kind > (0.8 if self._backgrounds else 0.0)
        made &= ~babble
        out = np.empty((count, samples), np.float32)
        if made.any():
            out[made] = coloured(int(made.sum()), samples, rng)
        recorded = ~(made | babble)
        if recorded.any():
            out[recorded] = cut_backgrounds(self._backgrounds, int(recorded.sum()), samples, rng)
        for index in np.flatnonzero(babble).tolist():
            talkers = pool[rng.integers(0, len(pool), rng.integers(*_TALKERS))]
            starts = rng.integers(0, samples, len(talkers)).tolist()
            out[index] = sum(
                np.resize(
                    np.roll(talker.astype(np.float32) / max(float(talker.std()), 1.0), start),
                    samples,
                )
                for talker, start in zip(talkers, starts, strict=True)
            )
        out /= np.maximum(np.sqrt(np.mean(out**2, axis=1, keepdims=True)), 1e-3)
        return out

    def _colour(
        self,
        clips: Sounds,
        roomy: npt.NDArray[np.bool_],
        through: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> None:
        """Filter some clips by a room, some by a microphone, in place."""
        if self._responses and (roomy.any() or through.any()):
            either = roomy | through
            clips[either] = self._responses.apply(
                clips[either], roomy[either], through[either], rng
            )


def silence(count: int, samples: int, backgrounds: Sequence[Pcm], rng: np.random.Generator) -> Pcm:
    """Pieces of background at volumes drawn from [0, 1), as a model is judged by.

    Returns:
        int16[count, samples]; zeros where there are no backgrounds.

    Raises:
        DataError: a background is not longer than a clip.
    """
    if not backgrounds:
        return np.zeros((count, samples), np.int16)
    noise = cut_backgrounds(backgrounds, count, samples, rng)
    return (noise * rng.random(count).astype(np.float32)[:, None]).astype(np.int16)


def in_chunks(
    work: Callable[[slice, np.random.Generator], Pcm],
    count: int,
    seed: Sequence[int],
    samples: int,
) -> Pcm:
    """What `work` gives for each piece of `count` rows, on all cores: int16[count, samples].

    Each piece has a random generator of its own, so that nothing depends on who is first.
    """
    out = np.empty((count, samples), np.int16)

    def one(start: int) -> None:
        rows = slice(start, min(start + _CHUNK, count))
        out[rows] = work(rows, np.random.default_rng([*seed, start]))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, range(0, count, _CHUNK)))
    return out


def join(first: Pcm, second: Pcm) -> Pcm:
    """The beginnings of some clips with the ends of others: words that nobody says.

    Each is cut in the middle of its energy; the cuts meet where the first word is cut.
    """
    out = np.zeros_like(first)
    samples = first.shape[1]
    fade = 160
    ramp = np.linspace(0, 1, fade, dtype=np.float32)
    for row, head, tail in zip(out, first, second, strict=True):
        cut, resume = (min(max(_middle(clip), fade), samples - fade) for clip in (head, tail))
        row[:cut] = head[:cut]
        rest = min(samples - cut, samples - resume)
        row[cut : cut + rest] = tail[resume : resume + rest]
        row[cut - fade : cut] = head[cut - fade : cut] * ramp[::-1] + (
            tail[resume - fade : resume] * ramp
        )
    return out


def _middle(clip: Pcm) -> int:
    energy = np.cumsum(np.square(clip.astype(np.float32)))
    return int(np.searchsorted(energy, energy[-1] / 2))


def shift(batch: Sounds, shifts: npt.NDArray[np.int64]) -> Sounds:
    """Each clip moved later (positive) or earlier (negative) by its number of samples."""
    samples = batch.shape[1]
    out = np.zeros_like(batch)
    for clip, moved, by in zip(batch, out, shifts.tolist(), strict=True):
        if by >= 0:
            moved[by:] = clip[: samples - by]
        else:
            moved[:by] = clip[-by:]
    return out


def speech_levels(clips: Sounds, samples: int | None = None) -> npt.NDArray[np.float32]:
    """Root mean square of each clip where it is loud: of the loudest 10 ms blocks.

    Args:
        clips: float32[n, samples or more].
        samples: how long a clip is without what was put before it; None for all of it.
    """
    blocks = clips[:, : clips.shape[1] // 160 * 160].reshape(len(clips), -1, 160)
    power = np.einsum("cbs,cbs->cb", blocks, blocks) / 160
    loud = max(int((samples or clips.shape[1]) // 160 * _SPEECH_SHARE), 1)
    loudest = np.partition(power, power.shape[1] - loud, axis=1)[:, -loud:]
    levels: npt.NDArray[np.float32] = np.sqrt(loudest.mean(axis=1))
    return levels


def cut_backgrounds(
    backgrounds: Sequence[Pcm], count: int, samples: int, rng: np.random.Generator
) -> Pcm:
    """Random pieces of random backgrounds: int16[count, samples].

    Raises:
        DataError: a background is not longer than a piece.
    """
    shortest = min(len(background) for background in backgrounds)
    if shortest <= samples:
        raise DataError(
            f"a background recording lasts {shortest / 16000:.2f} s; each has to be longer than a "
            f"clip ({samples / 16000:.2f} s), so lengthen or remove it"
        )
    out = np.empty((count, samples), np.int16)
    chosen = rng.integers(0, len(backgrounds), count)
    places = rng.random(count)
    for piece, index, place in zip(out, chosen.tolist(), places.tolist(), strict=True):
        background = backgrounds[index]
        start = int(place * (len(background) - samples))
        piece[:] = background[start : start + samples]
    return out


def _decibels(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Factors on the amplitude, a column."""
    return (10 ** (values / 20)).astype(np.float32).reshape(-1, 1)


def _to_pcm(sounds: Sounds) -> Pcm:
    return np.clip(sounds, -32768, 32767).astype(np.int16)
