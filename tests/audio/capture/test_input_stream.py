# SPDX-License-Identifier: Apache-2.0
"""Transfer of sound from PortAudio's thread to the reader."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from kws.audio.capture.blocks import Block, Notice
from kws.audio.capture.input_stream import InputStream

TIMES = SimpleNamespace(currentTime=1.0, inputBufferAdcTime=0.98)
FINE = SimpleNamespace(input_overflow=False)
HOP = 320


def feed(stream: InputStream, count: int) -> None:
    for number in range(count):
        samples = np.full((HOP, 1), (number + 1) / 32768, np.float32)
        stream.take(samples, HOP, TIMES, FINE)


def sound(stream: InputStream) -> np.ndarray:
    return np.concatenate([b.pcm for b in stream.blocks() if isinstance(b, Block)])


def test_sound_comes_in_order_until_the_input_is_unplugged() -> None:
    stream = InputStream(16000)
    feed(stream, 3)
    stream.finish()
    np.testing.assert_array_equal(sound(stream), np.repeat([1, 2, 3], HOP))


def test_channels_are_averaged() -> None:
    stream = InputStream(16000)
    stream.take(np.array([[2.0, 4.0], [0.0, 0.0]], np.float32) / 32768, 2, TIMES, FINE)
    stream.finish()
    assert sound(stream).tolist() == [3, 0]


def test_another_rate_is_resampled() -> None:
    stream = InputStream(48000)
    stream.take(np.zeros((48000, 1), np.float32), 48000, TIMES, FINE)
    stream.finish()
    assert 15_000 < len(sound(stream)) <= 16_000


def test_at_most_five_seconds_are_queued() -> None:
    stream = InputStream(16000)
    feed(stream, 600)  # 12 s without a reader
    stream.finish()
    assert 5 * 16000 <= len(sound(stream)) <= 5 * 16000 + 2 * HOP


def test_samples_are_copied_from_portaudios_buffer() -> None:
    stream = InputStream(16000)
    samples = np.full((HOP, 1), 1 / 32768, np.float32)
    stream.take(samples, HOP, TIMES, FINE)
    samples[:] = 0
    stream.finish()
    assert sound(stream).all()


def test_a_stream_that_keeps_up_has_no_notices() -> None:
    stream = InputStream(16000)
    feed(stream, 5)
    stream.finish()
    assert not [item for item in stream.blocks() if isinstance(item, Notice)]
