# SPDX-License-Identifier: Apache-2.0
"""Applies all effects to clips, in the order in which they occur on the way into a device.

Pace, speed, time shift and room come first, then level, background, microphone and sometimes too
much gain. Everything works on batches and uses all cores. Random choices depend on the seed and the
clip's index in the batch, not on the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from kws.audio.augment.augmentation import NONE, Augmentation
from kws.audio.augment.clipping import clip_peaks
from kws.audio.augment.level import amplitudes, change_levels, speech_levels
from kws.audio.augment.microphone_response import narrow_bands, through_microphones
from kws.audio.augment.noise import cut_backgrounds, unit_noise
from kws.audio.augment.room import Rooms
from kws.audio.augment.shift import energies, shift
from kws.audio.augment.silence import silence, training_silence
from kws.audio.augment.speed import resample, stretch
from kws.audio.pcm import Pcm, Sounds, samples_of, to_pcm
from kws.parallel import on_all_cores

_CHUNK = 64
"""Clips per thread at a time; their data fits into the cache."""

_MOST_PACE = 0.2
"""Maximum change of pace at the same pitch."""

_PAUSE = 300.0
"""A window of leveled talk below this speech level (in steps of int16) is a pause."""

_SUDDEN = 0.25
"""Share of clips with a silent lead."""


class Augmenter:
    """Augments clips according to its settings."""

    def __init__(
        self,
        settings: Augmentation,
        backgrounds: Sequence[Pcm],
        samples: int,
        seed: int,
        *,
        talk: Sequence[Pcm] = (),
        rooms: Sequence[Pcm] = (),
    ) -> None:
        """Simulate the rooms.

        Args:
            settings: the effects.
            backgrounds: recordings, each longer than a clip; may be empty.
            samples: length of a clip.
            seed: seed of the rooms.
            talk: recordings of talk, each longer than a clip; may be empty.
            rooms: recorded impulse responses; may be empty.

        Raises:
            DataError: a background is not longer than a clip.
        """
        self._settings = settings
        self._backgrounds = backgrounds
        self._lead = samples_of(settings.lead_ms)
        if backgrounds:
            cut_backgrounds(backgrounds, 1, samples + self._lead, np.random.default_rng(0))
        self._talk = talk
        self._rooms = Rooms(seed, rooms) if settings.room else None

    def change(
        self,
        clips: Pcm,
        seed: Sequence[int],
        talkers: Pcm | None = None,
        remaining: npt.NDArray[np.float32] | None = None,
    ) -> Pcm:
        """An augmented copy of a batch of clips: int16[n, lead + samples].

        Args:
            clips: int16[n, samples].
            seed: seed of all random choices.
            talkers: voices for babble, int16[m, samples]; None for `clips`.
            remaining: float32[n], receives the share of each clip's energy that remains after the
                shift, 0 to 1.
        """
        if remaining is not None:
            remaining[:] = 1
        if self._settings == NONE:
            return clips.copy()
        voices = clips if talkers is None else talkers

        def change_chunk(rows: slice, rng: np.random.Generator) -> Pcm:
            sounds, shares = self._spoken(clips[rows].astype(np.float32), rng)
            if remaining is not None:
                remaining[rows] = shares
            return to_pcm(self._received(sounds, clips.shape[1], voices, rng))

        return in_chunks(change_chunk, len(clips), seed, self._lead + clips.shape[1])

    def change_talk(self, windows: Pcm, seed: Sequence[int]) -> Pcm:
        """Windows of talk, each with its own lead, as a device would receive them.

        Args:
            windows: int16[n, lead + samples] of leveled talk.
            seed: seed of all random choices.
        """
        samples = windows.shape[1] - self._lead

        def change_chunk(rows: slice, rng: np.random.Generator) -> Pcm:
            sounds = windows[rows].astype(np.float32)
            if self._settings.speed:
                factors = 1 + rng.uniform(-1, 1, len(sounds)) * self._settings.speed
                sounds = resample(sounds, factors)
            return to_pcm(self._received(sounds, samples, windows, rng, quiet=_PAUSE))

        return in_chunks(change_chunk, len(windows), seed, windows.shape[1])

    def silence(self, count: int, samples: int, seed: Sequence[int]) -> Pcm:
        """Clips of the silence class for training: int16[count, lead + samples]."""
        if self._settings == NONE:
            return silence(count, samples, self._backgrounds, np.random.default_rng(seed))
        samples += self._lead

        def make_chunk(rows: slice, rng: np.random.Generator) -> Pcm:
            sounds = training_silence(rows.stop - rows.start, samples, self._backgrounds, rng)
            self._empty_leads(sounds, rng)
            return to_pcm(self._through_microphones(sounds, rng))

        return in_chunks(make_chunk, count, seed, samples)

    def _spoken(
        self, clips: Sounds, rng: np.random.Generator
    ) -> tuple[Sounds, npt.NDArray[np.float32]]:
        """Change the pace, speed and position of clips, and put a lead before each.

        Returns:
            float32[n, lead + samples], and the share of each clip's energy that remains.
        """
        settings = self._settings
        count = len(clips)
        shares: npt.NDArray[np.float32] = np.ones(count, np.float32)
        paced = rng.random(count) < settings.pitch
        if paced.any():
            factors = 1 + rng.uniform(-_MOST_PACE, _MOST_PACE, int(paced.sum()))
            clips[paced] = stretch(clips[paced], factors)
        if settings.speed:
            clips = resample(clips, 1 + rng.uniform(-settings.speed, settings.speed, count))
        clips = np.pad(clips, ((0, 0), (self._lead, 0)))
        reach = samples_of(settings.shift_ms)
        if reach:
            before = energies(clips)
            clips = shift(clips, rng.integers(-reach, reach, count))
            shares = energies(clips[:, self._lead :])
            shares /= np.maximum(before, 1)
        return clips, shares

    def _received(
        self,
        clips: Sounds,
        samples: int,
        voices: Pcm,
        rng: np.random.Generator,
        *,
        quiet: float = 0.0,
    ) -> Sounds:
        """The clips as a device would receive them: room, level, noise, microphone and clipping.

        Args:
            clips: float32[n, lead + samples]; may be changed.
            samples: length of a clip without its lead.
            voices: voices for babble.
            rng: source of all random choices.
            quiet: a clip below this speech level is a pause and stays quieter than speech.
        """
        settings = self._settings
        roomy = rng.random(len(clips)) < settings.room
        if self._rooms and roomy.any():
            clips[roomy] = self._rooms.apply(clips[roomy], rng)
        levels = np.maximum(speech_levels(clips, samples), np.float32(quiet))
        if settings.gain_db:
            levels = change_levels(clips, levels, settings.gain_db, rng)
        noisy = rng.random(len(clips)) < settings.background
        if noisy.any():
            clips[noisy] += self._noise(levels[noisy], clips.shape[1], voices, rng)
        clips = self._through_microphones(clips, rng)
        narrow = rng.random(len(clips)) < settings.narrow
        if narrow.any():
            clips[narrow] = narrow_bands(clips[narrow], rng)
        loud = rng.random(len(clips)) < settings.clipping
        if loud.any():
            clips[loud] = clip_peaks(clips[loud], rng)
        return clips

    def _noise(
        self,
        levels: npt.NDArray[np.float32],
        samples: int,
        voices: Pcm,
        rng: np.random.Generator,
    ) -> Sounds:
        """Noise for clips with these speech levels: float32[n, samples]."""
        settings = self._settings
        noise = unit_noise(
            len(levels),
            samples,
            backgrounds=self._backgrounds,
            talkers=voices,
            babble=settings.babble,
            talk=self._talk,
            talk_share=settings.talk,
            rng=rng,
        )
        snr_db = rng.uniform(settings.snr_db, settings.snr_db + settings.snr_range_db, len(levels))
        noise *= levels[:, None] * amplitudes(-snr_db)
        self._empty_leads(noise, rng)
        return noise

    def _empty_leads(self, noise: Sounds, rng: np.random.Generator) -> None:
        """Silence some leads in place, so that the noise begins with the clip."""
        if self._lead:
            noise[rng.random(len(noise)) < _SUDDEN, : self._lead] = 0

    def _through_microphones(self, clips: Sounds, rng: np.random.Generator) -> Sounds:
        """Pass some of the clips through poor microphones, in place."""
        poor = rng.random(len(clips)) < self._settings.microphone
        if poor.any():
            clips[poor] = through_microphones(clips[poor], rng)
        return clips


def in_chunks(
    work: Callable[[slice, np.random.Generator], Pcm],
    count: int,
    seed: Sequence[int],
    samples: int,
) -> Pcm:
    """Run `work` on each chunk of `count` rows, on all cores: int16[count, samples].

    Each chunk has its own random generator, so the order of the threads does not matter.
    """
    out = np.empty((count, samples), np.int16)

    def work_from(start: int) -> None:
        rows = slice(start, min(start + _CHUNK, count))
        out[rows] = work(rows, np.random.default_rng([*seed, start]))

    list(on_all_cores(work_from, range(0, count, _CHUNK)))
    return out
