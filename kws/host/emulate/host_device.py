# SPDX-License-Identifier: Apache-2.0
"""The host as a device: runs the core's pipeline, with the same output as firmware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kws import _core
from kws.audio.background_noises import room_after
from kws.audio.pcm import Pcm
from kws.bundle.device import Device
from kws.errors import ModelError
from kws.host.serial.lines import Heard, Listening, Serial, parse


@dataclass(frozen=True)
class Peak:
    """A keyword's highest score."""

    label: str
    score: int
    """Highest mean score, 0 to 255, as compared with the threshold."""
    time_ms: int
    """Its time from the first sample; 0 if the keyword never scored."""
    threshold: int
    """The keyword is reported above this score, 0 to 255; 255: never."""
    model: str
    """Name of the bundle."""


def with_room(device: Device, pcm: Pcm) -> Pcm:
    """A recording followed by quiet room noise; time 0 is its first sample."""
    return np.concatenate([pcm, room_after(device.clip_ms)])


def play(device: Device, pcm: Pcm) -> Serial:
    """Output of `device` for `pcm` (16 kHz), starting with cleared state.

    Raises:
        ModelError: the core rejects the model, or reported a fault.
    """
    return play_with_peaks(device, pcm)[0]


def play_with_peaks(device: Device, pcm: Pcm) -> tuple[Serial, tuple[Peak, ...]]:
    """Like `play`, but also returns a peak for each keyword of the device's bundles."""
    try:
        pipeline = device.pipeline()
        serial = parse(pipeline.boot + pipeline.feed(pcm))
    except _core.CoreError as error:
        raise ModelError(f"bundle {device.bundle.path or device.bundle.name}: {error}") from None
    return serial, tuple(_peaks(device, pipeline, serial))


def _peaks(device: Device, pipeline: _core.Pipeline, serial: Serial) -> Iterator[Peak]:
    # The score of a keyword that hands over to the other bundle is only in its line.
    reported: dict[tuple[int, str], Heard] = {}
    running = 0
    for event in serial.events:
        if isinstance(event, Heard):
            best = reported.get((running, event.label))
            if best is None or event.score > best.score:
                reported[running, event.label] = event
        else:
            running = int(isinstance(event, Listening))
    rows = iter(zip(pipeline.peaks, pipeline.thresholds, strict=True))
    for index, part in enumerate(device.parts):
        for label in part.labels:
            (score, time_ms), threshold = next(rows)
            line = reported.get((index, label))
            if line and line.score > score:
                score, time_ms = line.score, line.time_ms
            if label in part.keywords:
                yield Peak(label, score, time_ms, threshold, part.name)
