"""Rooms and microphones: what lies between a word and its recording."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kws._core import SAMPLE_RATE

Sound = npt.NDArray[np.float32]
"""Samples of +-1 at 16 kHz."""

_BLOCK = SAMPLE_RATE // 100
_QUIET = 10 ** (-40 / 20)  # below the loudest 10 ms by 40 dB, a word has not begun or has ended
_PEAK_DB = (-18.0, -2.0)  # of full scale
_FLOOR_DB = (-80.0, -60.0)


def trim(sound: Sound) -> Sound:
    """The part of a recording in which something is said, with a little around it."""
    blocks = sound[: len(sound) // _BLOCK * _BLOCK].reshape(-1, _BLOCK)
    if not len(blocks):
        return sound[:0]
    levels = np.sqrt(np.mean(blocks**2, axis=1))
    loud = np.flatnonzero(levels > max(float(levels.max()) * _QUIET, 1e-4))
    if not len(loud):
        return sound[:0]
    return sound[max(loud[0] - 2, 0) * _BLOCK : (loud[-1] + 3) * _BLOCK]


def place(word: Sound, rng: np.random.Generator) -> npt.NDArray[np.int16]:
    """One second that holds the whole word somewhere, as if recorded: int16[16000].

    A microphone's colour, sometimes a room, a level and a noise floor are drawn at random.
    """
    coloured = word.copy()
    coloured[1:] += np.float32(rng.uniform(-0.4, 0.6)) * word[:-1]
    ramp = np.minimum(1, np.arange(len(word), dtype=np.float32) / 80)  # 5 ms, against clicks
    clip = np.zeros(SAMPLE_RATE, np.float32)
    start = int(rng.uniform(0, SAMPLE_RATE - len(word)))
    clip[start : start + len(word)] = coloured * ramp * ramp[::-1]
    if rng.random() < 0.25:
        clip = _in_room(clip, rng)
    peak, floor = (10 ** (rng.uniform(*decibels) / 20) for decibels in (_PEAK_DB, _FLOOR_DB))
    clip *= np.float32(peak) / np.abs(clip).max()
    clip += np.float32(floor) * rng.standard_normal(SAMPLE_RATE, np.float32)
    scaled: Sound = np.rint(clip.clip(-1, 1) * 32767)
    return scaled.astype(np.int16)


def _in_room(clip: Sound, rng: np.random.Generator) -> Sound:
    """The clip with a decaying echo of a small room (60 dB in 0.1 to 0.4 s)."""
    seconds = rng.uniform(0.1, 0.4)
    time = np.arange(int(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    echo = rng.standard_normal(len(time)) * 10 ** (-3 * time / seconds)
    echo *= rng.uniform(0.1, 0.5) / np.sqrt(np.sum(echo**2))
    echo[0] = 1.0
    size = 1 << (len(clip) + len(echo)).bit_length()
    wet = np.fft.irfft(np.fft.rfft(clip, size) * np.fft.rfft(echo, size), size)
    out: Sound = wet[: len(clip)].astype(np.float32)
    return out


class Responses:
    """Impulse responses of simulated rooms and frequency responses of microphones, for batches.

    The rooms are boxes of 2 to 8 m with the speaker 0.3 to 4 m away; their echoes die away by 60 dB
    in 0.1 to 0.6 s. Early echoes are those of mirrored sources (the image method, JASA 65,
    943), late ones are noise that decays.
    """

    _ROOMS = 64
    _SECONDS = 0.5

    def __init__(self, samples: int, seed: int) -> None:
        """Make the rooms for clips of so many samples."""
        rng = np.random.default_rng([seed, *b"rooms"])
        length = int(self._SECONDS * SAMPLE_RATE)
        self._samples = samples
        self._size = -(-(samples + length) // 4096) * 4096  # a length that transforms quickly
        responses = np.stack([make_response(length, rng) for _ in range(self._ROOMS)])
        self._rooms = np.fft.rfft(responses, self._size)
        self._hertz = np.fft.rfftfreq(self._size, 1 / SAMPLE_RATE).astype(np.float32)

    def apply(
        self,
        clips: Sound,
        roomy: npt.NDArray[np.bool_],
        through: npt.NDArray[np.bool_],
        rng: np.random.Generator,
    ) -> Sound:
        """The clips, some heard in a room, some through a microphone, some through both.

        Args:
            clips: float32[n, samples].
            roomy: bool[n], which are heard in a room.
            through: bool[n], which lose bass and treble.
            rng: chooses rooms and microphones.
        """
        spectra = np.fft.rfft(clips, self._size)
        chosen = rng.integers(0, self._ROOMS, len(clips))
        bass = np.exp(rng.uniform(np.log(50), np.log(400), len(clips)))
        treble = rng.uniform(2500, 8000, len(clips))
        spectra[roomy] *= self._rooms[chosen[roomy]]
        if through.any():  # second-order slopes without phase
            low = bass[through, None].astype(np.float32)
            high = treble[through, None].astype(np.float32)
            spectra[through] /= 1 + (low / (self._hertz + 1)) ** 2
            spectra[through] /= 1 + (self._hertz / high) ** 4
        out: Sound = np.fft.irfft(spectra, self._size).astype(np.float32, copy=False)
        return out[:, : self._samples]


def make_response(length: int, rng: np.random.Generator) -> Sound:
    """The impulse response of a random room from its direct sound on, of energy 1."""
    size = rng.uniform((2.5, 2.0, 2.2), (8.0, 6.0, 3.5))
    decay_s = rng.uniform(0.1, 0.6)
    ear = rng.uniform(0.3, size - 0.3)
    direction = rng.standard_normal(3)
    mouth = ear + direction / np.linalg.norm(direction) * rng.uniform(0.3, 4.0)
    mouth = np.clip(mouth, 0.2, size - 0.2)
    # Sabine's formula: how much a wall reflects, from how long echoes last.
    surface = 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0])
    absorbed = min(0.161 * float(np.prod(size)) / (decay_s * surface), 0.95)
    reflected = np.sqrt(1 - absorbed)

    order = np.arange(-4, 5)
    axes = [
        (
            np.concatenate([2 * order * side + at, 2 * order * side - at]) - by,
            np.concatenate([np.abs(2 * order), np.abs(2 * order - 1)]),
        )
        for side, at, by in zip(size, mouth, ear, strict=True)
    ]
    apart = [axis[0] for axis in axes]
    bounces = [axis[1] for axis in axes]
    far = np.sqrt(apart[0][:, None, None] ** 2 + apart[1][:, None] ** 2 + apart[2] ** 2).ravel()
    walls = (bounces[0][:, None, None] + bounces[1][:, None] + bounces[2]).ravel()
    direct = float(np.linalg.norm(mouth - ear))
    delay = np.round((far - direct) / 343 * SAMPLE_RATE).astype(np.int64)
    heard = (delay >= 0) & (delay < length)
    response = np.zeros(length)
    strength = reflected**walls * direct / np.maximum(far, 0.1)
    np.add.at(response, delay[heard], strength[heard])

    # After the mirrored sources of the shortest side have run out, echoes are dense.
    late = min(int(8 * size.min() / 343 * SAMPLE_RATE), length // 2)
    time = np.arange(length) / SAMPLE_RATE
    tail = rng.standard_normal(length) * 10 ** (-3 * time / decay_s)
    window = slice(late // 2, late)
    tail *= np.sqrt(np.sum(response[window] ** 2) / max(np.sum(tail[window] ** 2), 1e-20))
    response[late:] = tail[late:]
    out: Sound = (response / np.sqrt(np.sum(response**2))).astype(np.float32)
    return out
