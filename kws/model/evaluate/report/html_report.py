# SPDX-License-Identifier: Apache-2.0
"""Writes the report of an evaluation: one HTML file with pictures, tables and sound; PNGs; JSON.

The file needs only a browser: no network, no scripts, no other files. It has each picture twice,
for light and for dark pages.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from kws import __version__
from kws.audio.pcm import Pcm
from kws.audio.sound_files import wav_bytes
from kws.bundle.bundle import Bundle
from kws.extras import require
from kws.files import atomic_write, make_directory
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.kind_metrics import miss_range, rate_range, rate_text
from kws.model.evaluate.judge.statistics import interval_text
from kws.model.evaluate.judge.stream_metrics import FalseAlarm
from kws.model.evaluate.report import plots
from kws.model.evaluate.report.plots import DARK, LIGHT, Theme
from kws.model.evaluate.score.streams import TITLES, Kind

REPORT = "report.html"
FIGURES = "report.json"
"""All figures of the report."""

TEMPLATE = "report.html.j2"

_MOST_SOUNDS = 16
_LISTEN_PEAK = 12_000  # of 32768: quieter clips are amplified


@dataclass(frozen=True)
class Picture:
    """A picture as PNG, for a light and for a dark page."""

    light: bytes
    dark: bytes


def save_report(folder: Path, evaluation: Evaluation, notes: Sequence[str] = ()) -> Path:
    """Write the report, its pictures and its figures into a folder.

    Args:
        folder: made if missing.
        evaluation: the metrics.
        notes: remarks before the figures, one line each.

    Returns:
        The HTML file.

    Raises:
        ToolError: Jinja or Matplotlib is not installed.
        KwsError: a file cannot be written.
    """
    make_directory(folder)
    pictures = {name: Picture(draw(LIGHT), draw(DARK)) for name, draw in _plots(evaluation).items()}
    for name, picture in pictures.items():
        atomic_write(folder / f"{name}.png", picture.light)
    atomic_write(folder / FIGURES, json.dumps(evaluation.to_json(), indent=2).encode())
    file = folder / REPORT
    atomic_write(file, render(evaluation, pictures, notes).encode())
    return file


def render(evaluation: Evaluation, pictures: dict[str, Picture], notes: Sequence[str] = ()) -> str:
    """The report as HTML.

    Args:
        evaluation: the metrics.
        pictures: pictures of the metrics, by name.
        notes: remarks before the figures, one line each.

    Raises:
        ToolError: Jinja is not installed.
    """
    jinja = require("jinja2", "evaluate", "the report")
    environment = jinja.Environment(
        loader=jinja.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja.StrictUndefined,
    )
    environment.filters |= {
        "percent": _percent,
        "range": interval_text,
        "rate": rate_text,
        "png_source": partial(_source, "image/png"),
        "wav_source": lambda pcm: _source("audio/wav", _wav(pcm)),
    }
    stream = evaluation.stream
    sounds = stream.excerpts if stream else ()
    alarms = [x for x in sounds if isinstance(x.event, FalseAlarm)]
    context: dict[str, Any] = {
        "version": __version__,
        "bundle": evaluation.bundle,
        "recognizer": _recognizer(evaluation.bundle),
        "notes": notes,
        "clips": evaluation.clips,
        "stream": stream,
        "talk_alarms": [x for x in alarms if x.kind == Kind.TALK][:_MOST_SOUNDS],
        "other_alarms": [x for x in alarms if x.kind != Kind.TALK][:_MOST_SOUNDS],
        "missed": [x for x in sounds if not isinstance(x.event, FalseAlarm)][:_MOST_SOUNDS],
        "titles": TITLES,
        "miss_range": miss_range,
        "rate_range": rate_range,
        "pictures": pictures,
    }
    html: str = environment.get_template(TEMPLATE).render(context)
    return html


def _plots(evaluation: Evaluation) -> dict[str, Callable[[Theme], bytes]]:
    """The function that draws each picture, by name."""
    clips, stream = evaluation.clips, evaluation.stream
    draw: dict[str, Callable[[Theme], bytes]] = {}
    if clips:
        draw["confusion"] = partial(plots.confusion, clips.matrix, clips.name)
        if clips.curves:
            draw["roc"] = partial(plots.roc, clips)
            draw["det"] = partial(plots.det, clips)
        draw["reliability"] = partial(plots.reliability, clips)
        draw["conditions"] = partial(plots.conditions, clips)
        if clips.by_speaker:
            draw["speakers"] = partial(plots.speakers, clips)
    if stream:
        asked = evaluation.bundle.metrics.get("calibration", {}).get("asked_false_alarms_an_hour")
        if any(row.metrics.total_said for row in stream.by_kind):
            draw["stream"] = partial(plots.kind_curves, stream.by_kind, asked)
        else:
            draw["alarms"] = partial(plots.alarm_curve, stream.by_kind[0])
        if stream.total.latencies_ms:
            draw["latency"] = partial(plots.latency, stream.total)
    return draw


def _recognizer(bundle: Bundle) -> str:
    """The recognizer's settings in words."""
    settings = bundle.rules.recognizer
    thresholds = ", ".join(f"{label} {value}" for label, value in settings.thresholds.items())
    window = f"window {settings.average_window_ms} ms, " if not bundle.second_look else ""
    return (
        f"{window}threshold {thresholds or settings.detection_threshold}, "
        f"suppression {settings.suppression_ms} ms"
    )


def _percent(share: float | None, digits: int = 1) -> str:
    """A share of 0 to 1 in percent; empty for None."""
    return "" if share is None else f"{share:.{digits}%}"


def _wav(pcm: Pcm) -> bytes:
    """A WAV file; quiet sound is amplified."""
    peak = max(int(np.abs(pcm.astype(np.int32)).max()), 1)
    louder = pcm * max(1.0, _LISTEN_PEAK / peak)
    return wav_bytes(np.rint(louder).astype(np.int16))


def _source(kind: str, content: bytes) -> str:
    """A file as a data URL for an element of the page."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
