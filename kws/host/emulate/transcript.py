# SPDX-License-Identifier: Apache-2.0
"""Transcribes a recording: the device's lines, and each keyword's highest score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kws.audio.decoding.left_out import undecodable, undecodable_text
from kws.audio.layout.word_folders import recordings
from kws.audio.sound_files import Recording, hear
from kws.bundle.device import Device
from kws.errors import UsageError
from kws.host.emulate import host_device
from kws.host.emulate.host_device import Peak
from kws.host.serial.lines import Heard, Serial
from kws.progress import notice


@dataclass(frozen=True)
class Span:
    """A detection and its part of the recording."""

    heard: Heard
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Transcript:
    """A device's output for a recording."""

    path: Path
    recording: Recording
    serial: Serial
    peaks: tuple[Peak, ...]
    """One per keyword, in the order of the bundle."""
    window_ms: int
    """The model's window."""

    def spans(self) -> Iterator[Span]:
        """The detections' spans in time order, without overlap.

        A detection is reported after its word. The word lies in the model's window before the
        report, and after the previous report.
        """
        last_ms = round(1000 * self.recording.seconds)
        before_ms = 0
        for heard in self.serial.heard:
            end_ms = min(heard.time_ms, last_ms)
            start_ms = max(heard.time_ms - self.window_ms, before_ms)
            yield Span(heard, min(start_ms, end_ms), end_ms)
            before_ms = end_ms


def recordings_in(paths: Sequence[Path]) -> list[Path]:
    """These files, and all recordings in these folders. Prints a notice about other files.

    Raises:
        UsageError: a folder has no recordings.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir() and (foreign := undecodable(path)):
            notice(f"{path}: {undecodable_text(foreign)}")
        inside = recordings(path) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: no recordings in this folder; pass files or another folder")
        files += inside
    return files


def transcribe(device: Device, path: Path, channel: int | None = None) -> Transcript:
    """Run a device on a recording followed by quiet room noise.

    Args:
        device: the device's bundles.
        path: the recording.
        channel: the channel to use, from 1; None selects one.

    Raises:
        AudioError: the recording cannot be read.
        UsageError: it has no such channel.
        ModelError: the core rejects the model, or reported a fault.
    """
    recording = hear(path, channel)
    sound = host_device.with_room(device, recording.pcm)
    serial, peaks = host_device.play_with_peaks(device, sound)
    return Transcript(path, recording, serial, peaks, device.clip_ms)
