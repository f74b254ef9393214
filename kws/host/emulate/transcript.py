# SPDX-License-Identifier: Apache-2.0
"""What a device hears in a recording: its lines, and for each keyword how near it came."""

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
    """A word that was heard, and the sound that it was heard in."""

    heard: Heard
    start_ms: int
    end_ms: int


@dataclass(frozen=True)
class Transcript:
    """What a device wrote while it heard a recording from its first sample on."""

    path: Path
    recording: Recording
    serial: Serial
    peaks: tuple[Peak, ...]
    """One for each keyword, in the order of the bundle."""

    window_ms: int
    """Sound that the model sees."""

    def spans(self) -> Iterator[Span]:
        """Where the words are, by time; no two overlap.

        The device says when it is sure of a word, which is after it. The word itself is in what the
        model saw: the window before that time, and not before the report of the word before.
        """
        last_ms = round(1000 * self.recording.seconds)
        before_ms = 0
        for heard in self.serial.heard:
            end_ms = min(heard.time_ms, last_ms)
            start_ms = max(heard.time_ms - self.window_ms, before_ms)
            yield Span(heard, min(start_ms, end_ms), end_ms)
            before_ms = end_ms


def recordings_in(paths: Sequence[Path]) -> list[Path]:
    """These files; a folder stands for all recordings in it. A line on stderr names other files.

    Raises:
        UsageError: a folder holds none.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir() and (foreign := undecodable(path)):
            notice(f"{path}: {undecodable_text(foreign)}")
        inside = recordings(path) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: no recordings in this folder; name files or another folder")
        files += inside
    return files


def transcribe(device: Device, path: Path, channel: int | None = None) -> Transcript:
    """What a device hears in a recording, and in the quiet room after it.

    Args:
        device: what it runs.
        path: the recording.
        channel: the channel to hear, from 1; None to choose.

    Raises:
        AudioError: the recording cannot be read.
        UsageError: it has no such channel.
        ModelError: the core refuses the model, or met a fault.
    """
    recording = hear(path, channel)
    sound = host_device.with_room(device, recording.pcm)
    serial, peaks = host_device.play_with_peaks(device, sound)
    return Transcript(path, recording, serial, peaks, device.clip_ms)
