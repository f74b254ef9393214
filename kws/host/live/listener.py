# SPDX-License-Identifier: Apache-2.0
"""Runs the device pipeline on live audio.

`Listener` is the engine: PCM in, events out. The terminal and the web page only show its events.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.background_noises import room_after
from kws.audio.capture.blocks import Block, Notice
from kws.audio.mined_recordings import AFTER_MS, before_ms
from kws.audio.pcm import Pcm, samples_of
from kws.audio.resampling import read_blocks
from kws.bundle.device import Device
from kws.features.frontend_settings import HOP, HOP_MS
from kws.host.emulate.host_device import event_of, first_lines
from kws.host.serial.lines import Line

_FULL_SCALE = 32767
_FAST_SECONDS = 0.5  # length of a block if a recording is processed at full speed


@dataclass(frozen=True)
class NearMiss:
    """A word that was nearly heard; see `_core.NearMiss`."""

    label: str
    score: int
    """0 to 255."""
    threshold: int
    """0 to 255."""
    time_ms: int
    """Time of the score, in milliseconds of sound since the start."""


@dataclass(frozen=True)
class Hop:
    """20 ms of sound were processed."""

    time_ms: int
    """Its end, in milliseconds of sound since the start."""
    frame: npt.NDArray[np.int8]
    """The spectrogram's newest column: int8[40], lowest frequency first; empty before the first."""
    means: tuple[int, ...]
    """The first model's mean score of each of the device's labels, 0 to 255; 0 for labels of an
    inactive bundle. Without a second model it is compared with the threshold."""
    looked: tuple[int, ...]
    """The second model's score of each label, 0 to 255, if it looked now; else empty. For keywords
    it is compared with the threshold."""
    peak: float
    """Loudest sample, 0 to 1."""
    clipped: bool
    """Whether samples are at full scale."""
    near_misses: tuple[NearMiss, ...] = ()
    """Those that became certain now."""


@dataclass(frozen=True)
class Said:
    """A line that the device would write on its serial port."""

    text: str
    line: Line | None
    """None for an unknown kind of line."""
    latency: float
    """Seconds since its newest sample was captured; 0 if unknown."""


class Listener:
    """The device pipeline on this machine."""

    def __init__(self, device: Device) -> None:
        """Raises ModelError if the core rejects the model."""
        self.device = device
        self._pipeline = device.pipeline()
        self._pending: Pcm = np.zeros(0, np.int16)
        self._hops = 0
        # Recent sound for saved misses, detections and near misses; whole hops.
        self._kept = samples_of(before_ms(device.clip_ms) + AFTER_MS)
        self._recent: Pcm = np.zeros(self._kept + samples_of(_core.NEAR_MISS_MS), np.int16)

    @property
    def boot(self) -> tuple[Said, ...]:
        """The boot lines, one per bundle."""
        texts = self._pipeline.boot.decode().splitlines()
        lines: tuple[Line, ...] = first_lines(self.device, self._pipeline)
        return tuple(Said(text, line, 0.0) for text, line in zip(texts, lines, strict=True))

    def hear(self, block: Block) -> Iterator[Hop | Said]:
        """Process sound of any length and yield its events.

        Raises:
            ModelError: the core reported a fault.
        """
        pcm = np.concatenate([self._pending, block.pcm]) if len(self._pending) else block.pcm
        used = len(pcm) // HOP * HOP
        for start in range(0, used, HOP):
            piece = pcm[start : start + HOP]
            with self.device.bundle.core_faults():
                events = self._pipeline.hear(piece)
            self._remember(piece)
            self._hops += 1
            yield self._hop(piece)
            for event in events:
                late = time.monotonic() - block.captured if block.captured else 0.0
                late += (len(pcm) - start - HOP) / _core.SAMPLE_RATE if block.captured else 0.0
                yield Said(event.text, event_of(self.device, event), late)
        self._pending = pcm[used:]

    def end(self) -> tuple[NearMiss, ...]:
        """At the end of the sound: the near misses that are certain because of it."""
        return self._named(self._pipeline.last_near_misses())

    def recent(self, ago_ms: int = 0) -> Pcm:
        """The last 3 s of sound (more if the window exceeds 1 s), zeros before the start.

        `ago_ms`: ends this long ago, up to `NEAR_MISS_MS`.
        """
        at = self._hops * HOP % len(self._recent)
        end = len(self._recent) - samples_of(ago_ms)
        return np.concatenate([self._recent[at:], self._recent[:at]])[end - self._kept : end]

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The score that decides must exceed this, 0 to 255, for each label; 255: never."""
        return tuple(self._pipeline.thresholds)

    def set_threshold(self, label: int, threshold: int) -> None:
        """Change the threshold of a label (its index), 0 to 255."""
        self._pipeline.set_threshold(label, threshold)

    def _remember(self, piece: Pcm) -> None:
        at = self._hops * HOP % len(self._recent)
        self._recent[at : at + HOP] = piece

    def _hop(self, piece: Pcm) -> Hop:
        peak = max(int(piece.max()), -int(piece.min()))
        return Hop(
            self._hops * HOP_MS,
            self._pipeline.frame,
            tuple(self._pipeline.means),
            tuple(self._pipeline.looked),
            min(peak / _FULL_SCALE, 1.0),
            peak >= _FULL_SCALE,
            self._named(self._pipeline.near_misses),
        )

    def _named(self, misses: list[_core.NearMiss]) -> tuple[NearMiss, ...]:
        labels = self.device.labels
        return tuple(
            NearMiss(labels[miss.label], miss.score, miss.threshold, miss.time_ms)
            for miss in misses
        )


def file_blocks(
    path: Path, window_ms: int, *, fast: bool, channel: int | None = None
) -> Iterator[Block | Notice]:
    """A recording followed by quiet room noise, as in `kws run`.

    Args:
        path: any recording; it is read in blocks.
        window_ms: the model's window; see `room_after`.
        fast: at full speed instead of in real time.
        channel: the channel to use, from 1; None selects one.

    Raises:
        AudioError: see `read_blocks`.
        UsageError: the recording has no such channel.
    """
    size = round(_FAST_SECONDS * _core.SAMPLE_RATE) if fast else HOP
    start, samples = time.monotonic(), 0
    recording = read_blocks(path, size / _core.SAMPLE_RATE, channel=channel)
    for piece in itertools.chain(recording, [room_after(window_ms)]):
        for at in range(0, len(piece), size):
            pcm = piece[at : at + size]
            samples += len(pcm)
            captured = 0.0
            if not fast:
                captured = start + samples / _core.SAMPLE_RATE
                time.sleep(max(0.0, captured - time.monotonic()))
            yield Block(pcm, captured)
