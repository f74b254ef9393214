# SPDX-License-Identifier: Apache-2.0
"""Audio queue from PortAudio's thread to the listening thread."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from typing import Any

from kws.audio.capture.blocks import Block, Notice, empty_block
from kws.audio.resampling import Resampler

TICK_SECONDS = 0.1
"""Longest time between two blocks; the block may be empty."""

_QUEUE_SECONDS = 5.0  # maximum audio queued while this machine is busy; the rest is lost
_SILENT_SECONDS = 3.0  # after this time without sound, an input counts as unplugged
_NOTICE_SECONDS = 1.0  # minimum time between two notices of lost sound


class InputStream:
    """Audio from one open input."""

    def __init__(self, rate: int) -> None:
        """`rate`: the input's samples per second."""
        self._rate = rate
        self._resampler = Resampler(rate)
        self._queue: queue.SimpleQueue[tuple[Any, float] | None] = queue.SimpleQueue()
        # Each is written by only one thread. The difference is the length of the queue.
        self._put_samples = self._got_samples = 0
        self._lost = 0

    def take(self, samples: Any, frames: int, times: Any, status: Any) -> None:
        """PortAudio's callback for sound; it must not block."""
        age = max(times.currentTime - times.inputBufferAdcTime - frames / self._rate, 0.0)
        if status.input_overflow:
            self._lost += 1
        if self._put_samples - self._got_samples > _QUEUE_SECONDS * self._rate:
            self._lost += 1
            return
        self._put_samples += frames
        self._queue.put((samples.copy(), time.monotonic() - age))

    def finish(self) -> None:
        """PortAudio's callback for the stream's end, such as when the input is unplugged."""
        self._queue.put(None)

    def blocks(self) -> Iterator[Block | Notice]:
        """Yield audio until the input is unplugged."""
        last_sound = last_notice = time.monotonic()
        reported = 0
        while True:
            try:
                item = self._queue.get(timeout=TICK_SECONDS)
            except queue.Empty:
                if time.monotonic() - last_sound > _SILENT_SECONDS:
                    return
                yield empty_block()
                continue
            if item is None:
                return
            samples, captured = item
            self._got_samples += len(samples)
            last_sound = time.monotonic()
            yield Block(self._resampler.feed(samples), captured)
            if self._lost != reported and last_sound - last_notice > _NOTICE_SECONDS:
                reported, last_notice = self._lost, last_sound
                yield Notice("sound was lost: this machine is too slow", connected=True)
