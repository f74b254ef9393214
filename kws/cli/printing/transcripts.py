# SPDX-License-Identifier: Apache-2.0
"""Output of `kws run`: lines, tables, tracks and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from kws.audio.sound_files import Recording
from kws.bundle.device import Device
from kws.bundle.recognizer_settings import NEVER
from kws.cli.printing.plain_tables import plain_table
from kws.host.emulate.host_device import Peak
from kws.host.emulate.transcript import Transcript

_QUIETEST_DB = -96.0
_FAINT_DB = -40.0
"""A recording with a lower peak, in dB of full scale, is called very quiet."""


def serial_text(transcript: Transcript, *, named: bool) -> str:
    """The device's output, byte for byte; with `named`, after a line with the recording's name."""
    title = f"# {transcript.path}\n" if named else ""
    return title + transcript.serial.text


def explanation(transcript: Transcript) -> str:
    """Level, clipping and channels of the recording, and each keyword's best score."""
    recording = transcript.recording
    rows = [("keyword", "score", "at", "threshold", "")]
    several = len({peak.model for peak in transcript.peaks}) > 1
    for peak in transcript.peaks:
        name = f"{peak.label} ({peak.model})" if several else peak.label
        at = _seconds(peak.time_ms) if peak.score else "-"
        threshold = "never" if peak.threshold == NEVER else str(_needed(peak, transcript))
        rows.append((name, str(peak.score), at, threshold, _verdict(peak, transcript)))
    about = (
        f"{transcript.path}: {recording.seconds:.2f} s, {recording.rate} Hz, {recording.mix.text}\n"
        f"{_level(recording)}"
    )
    return f"{about}\n{plain_table(rows, right=True, last_left=True)}\n"


def nothing_heard(transcript: Transcript) -> str:
    """The line for a recording without a detected keyword."""
    peaks = [peak for peak in transcript.peaks if peak.threshold != NEVER]
    nearest = max(peaks, key=lambda peak: peak.score - _needed(peak, transcript), default=None)
    if nearest is None:
        best = "the model reports no keyword (all thresholds are 255)"
    elif nearest.score:
        best = (
            f"nearest is {nearest.label} with score {nearest.score} at "
            f"{_seconds(nearest.time_ms)}, its threshold is {_needed(nearest, transcript)}"
        )
    else:
        best = "no keyword has a score above 0"
    recording = transcript.recording
    return (
        f"{transcript.path}: nothing detected; {best}; {_level(recording)}; {recording.mix.text} "
        "(--explain shows every keyword)"
    )


def transcripts_json(device: Device, files: Sequence[dict[str, Any]]) -> str:
    """JSON of all `file_facts`."""
    models = [{"name": part.name, "sha256": part.sha256} for part in device.parts]
    return json.dumps({"models": models, "files": list(files)}, indent=2)


def label_track(transcript: Transcript) -> str:
    """A label track for Audacity: start and end in seconds, and the word."""
    return "".join(
        f"{span.start_ms / 1000:.3f}\t{span.end_ms / 1000:.3f}\t{span.heard.label}\n"
        for span in transcript.spans()
    )


def subtitles(transcript: Transcript) -> str:
    """The words and their scores as SubRip text (.srt)."""
    return "\n".join(
        f"{number}\n{_clock(span.start_ms)} --> {_clock(span.end_ms)}\n"
        f"{span.heard.label} ({span.heard.score})\n"
        for number, span in enumerate(transcript.spans(), 1)
    )


def file_facts(transcript: Transcript) -> dict[str, Any]:
    """Facts for JSON: times in seconds from the first sample, scores 0 to 255."""
    recording = transcript.recording
    return {
        "file": str(transcript.path),
        "duration": round(recording.seconds, 3),
        "rate": recording.rate,
        "channels": recording.channels,
        "mix": recording.mix.text,
        "peak_db": _decibels(recording.peak),
        "rms_db": _decibels(recording.rms),
        "clipped_samples": recording.clipped,
        "notes": list(recording.notes),
        "heard": [
            {"label": heard.label, "score": heard.score, "time": heard.time_ms / 1000}
            for heard in transcript.serial.heard
        ],
        "keywords": [
            {
                "label": peak.label,
                "model": peak.model,
                "best_score": peak.score,
                "time": peak.time_ms / 1000 if peak.score else None,
                "threshold": peak.threshold,
            }
            for peak in transcript.peaks
        ],
    }


def _was_heard(peak: Peak, transcript: Transcript) -> bool:
    return any(heard.label == peak.label for heard in transcript.serial.heard)


def _needed(peak: Peak, transcript: Transcript) -> int:
    """The threshold for a keyword's score: without a report, that of a second look's proposals."""
    if peak.proposal is None or _was_heard(peak, transcript):
        return peak.threshold
    return peak.proposal


def _verdict(peak: Peak, transcript: Transcript) -> str:
    if _was_heard(peak, transcript) and peak.score > peak.threshold:
        return "heard"
    if peak.threshold == NEVER:
        return "switched off in the bundle"
    needed = _needed(peak, transcript)
    if peak.score > needed and peak.proposal is not None:
        return "not reported: refused by the second look, or suppressed"
    if peak.score > needed:
        return "not reported: suppressed, or another keyword scored higher"
    return f"{needed + 1 - peak.score} too low"


def _level(recording: Recording) -> str:
    peak = _decibels(recording.peak)
    if peak is None:
        return "digital silence"
    clipped = f"{recording.clipped} samples clipped" if recording.clipped else "not clipped"
    hint = " (very quiet)" if peak < _FAINT_DB else ""
    rms = _decibels(recording.rms)
    return f"peak {peak:.1f} dB, RMS {rms:.1f} dB of full scale{hint}, {clipped}"


def _decibels(share: float) -> float | None:
    """Decibels of full scale, to a tenth; None for digital silence."""
    return round(max(20 * math.log10(share), _QUIETEST_DB), 1) if share else None


def _seconds(time_ms: int) -> str:
    return f"{time_ms / 1000:.2f} s"


def _clock(time_ms: int) -> str:
    minutes, rest = divmod(time_ms, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02},{rest % 1000:03}"
