# SPDX-License-Identifier: Apache-2.0
"""The host as a device: runs the core's pipeline, with the same output as firmware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kws import __version__, _core
from kws.audio.background_noises import room_after
from kws.audio.pcm import Pcm
from kws.bundle.device import Device
from kws.host.serial.lines import Boot, Event, Heard, Listening, Serial, Then, Waiting


@dataclass(frozen=True)
class Peak:
    """A keyword's highest score."""

    label: str
    score: int
    """Highest mean score, 0 to 255. With a second look: its score in a report, or the first model's
    without one."""
    time_ms: int
    """Its time from the first sample; 0 if the keyword never scored."""
    threshold: int
    """The keyword is reported above this score, 0 to 255; 255: never."""
    model: str
    """Name of the bundle."""
    proposal: int | None = None
    """The second look checks the keyword if the first model's score exceeds this; None without one.
    """


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
    pipeline = device.pipeline()
    with device.bundle.core_faults():
        heard = pipeline.hear(pcm)
    boot = first_lines(device, pipeline)[0]
    text = pipeline.boot.decode() + "".join(f"{event.text}\n" for event in heard)
    serial = Serial(text, boot, tuple(event_of(device, event) for event in heard), ())
    return serial, tuple(_peaks(device, pipeline))


def first_lines(device: Device, pipeline: _core.Pipeline) -> tuple[Boot, *tuple[Then, ...]]:
    """The device's boot lines, one per bundle."""
    used = pipeline.arena_used
    size = device.host_arena_bytes
    first = device.bundle
    boot = Boot(__version__, "host", first.name, first.sha8, used[0], size)
    if device.commands is None:
        return (boot,)
    second = device.commands
    return boot, Then(second.name, second.sha8, device.listen_ms, used[1], size)


def event_of(device: Device, event: _core.Event) -> Event:
    """An event of the pipeline with its label."""
    if event.label is not None:
        return Heard(device.labels[event.label], event.score, event.time_ms)
    return Listening(event.time_ms) if event.bundle else Waiting(event.time_ms)


def _peaks(device: Device, pipeline: _core.Pipeline) -> Iterator[Peak]:
    rows = iter(zip(pipeline.peaks, pipeline.thresholds, strict=True))
    for part in device.parts:
        proposal = part.second_look.settings.proposal if part.second_look else None
        for label in part.labels:
            (score, time_ms), threshold = next(rows)
            if label in part.keywords:
                yield Peak(label, score, time_ms, threshold, part.name, proposal)
