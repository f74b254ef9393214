# SPDX-License-Identifier: Apache-2.0
"""Simulated and recorded rooms: echoes between a mouth and a microphone."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm, Sounds
from kws.extras import require

ROOMS = 64
"""Number of rooms; each clip is put into one of them."""

_SECONDS = 0.5  # length of an impulse response
_DIRECT = SAMPLE_RATE // 400  # samples of direct sound in a recorded response


class Rooms:
    """Impulse responses of rooms.

    Simulated rooms are boxes of 2 to 8 m with the speaker 0.3 to 4 m away. Their echoes decay by
    60 dB in 0.1 to 0.6 s.
    """

    def __init__(self, seed: int, recorded: Sequence[Pcm] = ()) -> None:
        """Simulate the rooms from `seed`; recorded responses replace half of them."""
        rng = np.random.default_rng([seed, *b"rooms"])
        length = int(_SECONDS * SAMPLE_RATE)
        self._responses = np.stack([make_response(length, rng) for _ in range(ROOMS)])
        for place, response in zip(range(0, ROOMS, 2), itertools.cycle(recorded), strict=False):
            self._responses[place] = recorded_response(response, length, rng)

    def apply(self, clips: Sounds, rng: np.random.Generator) -> Sounds:
        """Put each clip in a room: float32[n, samples]; echoes after the clip's end are cut off."""
        chosen = rng.integers(0, ROOMS, len(clips))
        rng.random(2 * len(clips))  # unused; keeps the clips of each seed unchanged
        signal = require("scipy.signal", "train", "augmentation with rooms")
        wet: Sounds = signal.oaconvolve(clips, self._responses[chosen], axes=1)
        return wet[:, : clips.shape[1]]


def recorded_response(response: Pcm, length: int, rng: np.random.Generator) -> Sounds:
    """A recorded impulse response, starting at its direct sound: float32[length], energy 1.

    The echoes are attenuated by 0 to 12 dB, as if the speaker were nearer in the same room.
    """
    first = int(np.argmax(np.abs(response.astype(np.float32))))
    out: Sounds = np.zeros(length, np.float32)
    part = response[first : first + length].astype(np.float32)
    out[: len(part)] = part
    out[_DIRECT:] *= np.float32(10 ** (-rng.uniform(0, 12) / 20))
    out *= np.minimum(1, np.linspace(4, 0, length, dtype=np.float32))  # fade out
    return out / np.float32(max(float(np.sqrt(np.sum(out**2))), 1e-6))


def make_response(length: int, rng: np.random.Generator) -> Sounds:
    """The impulse response of a random room, from its direct sound: float32[length], energy 1.

    Early echoes come from mirrored sources (image method, Allen and Berkley, JASA 65, 943), late
    ones are decaying noise.
    """
    size = rng.uniform((2.5, 2.0, 2.2), (8.0, 6.0, 3.5))
    decay_s = rng.uniform(0.1, 0.6)
    ear = rng.uniform(0.3, size - 0.3)
    direction = rng.standard_normal(3)
    mouth = ear + direction / np.linalg.norm(direction) * rng.uniform(0.3, 4.0)
    mouth = np.clip(mouth, 0.2, size - 0.2)
    # Sabine's formula: wall reflectivity from the decay time.
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
    in_time = (delay >= 0) & (delay < length)
    response = np.zeros(length)
    strength = reflected**walls * direct / np.maximum(far, 0.1)
    np.add.at(response, delay[in_time], strength[in_time])

    # Echoes are dense after the last mirrored source of the shortest side.
    late = min(int(8 * size.min() / 343 * SAMPLE_RATE), length // 2)
    time = np.arange(length) / SAMPLE_RATE
    tail = rng.standard_normal(length) * 10 ** (-3 * time / decay_s)
    window = slice(late // 2, late)
    tail *= np.sqrt(np.sum(response[window] ** 2) / max(np.sum(tail[window] ** 2), 1e-20))
    response[late:] = tail[late:]
    out: Sounds = (response / np.sqrt(np.sum(response**2))).astype(np.float32)
    return out
