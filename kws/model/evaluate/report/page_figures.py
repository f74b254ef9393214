# SPDX-License-Identifier: Apache-2.0
"""The figures and sounds that the report's script draws and plays."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.calibration import MARGIN
from kws.model.evaluate.judge.clip_metrics import ClipMetrics, WorstClip
from kws.model.evaluate.judge.excerpts import Excerpt
from kws.model.evaluate.judge.kind_metrics import KindMetrics, StreamResult
from kws.model.evaluate.judge.statistics import Roc, poisson
from kws.model.evaluate.judge.stream_metrics import FalseAlarm
from kws.model.evaluate.score.streams import TITLES, Kind

_MOST_SOUNDS = 16
"""Maximum number of false alarms in talk, of others, and of missed words."""

_LISTEN_PEAK = 12_000  # of 32768: quieter clips are amplified
_LATENCY_BINS = 24


def page_figures(evaluation: Evaluation) -> dict[str, Any]:
    """The figures as values for JSON; null for what was not measured."""
    clips, stream = evaluation.clips, evaluation.stream
    return {
        "curves": _curves(evaluation.bundle, stream) if stream else None,
        "latencies": _latencies(stream) if stream and stream.total.latencies_ms else None,
        "alarms": [_alarm(x) for x in _chosen_alarms(stream.excerpts)] if stream else [],
        "missed": [
            _missed(excerpt)
            for excerpt in (stream.excerpts if stream else ())
            if not isinstance(excerpt.event, FalseAlarm)
        ][:_MOST_SOUNDS],
        "clips": _clip_figures(clips) if clips else None,
    }


def script_json(values: dict[str, Any]) -> str:
    """JSON that cannot end the script element that holds it."""
    text = json.dumps(values, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def figures_in(page: bytes) -> dict[str, Any]:
    """The figures in a report's file; empty if it has none."""
    found = re.search(rb'<script type="application/json" id="figures">([^<]*)</script>', page)
    figures: dict[str, Any] = json.loads(found[1]) if found else {}
    return figures


# --- streams --------------------------------------------------------------------------------------


def counted_kinds(by_kind: Sequence[KindMetrics]) -> list[KindMetrics]:
    """The streams whose false alarms count: talk without keywords; if there is none, all."""
    return [row for row in by_kind if row.kind == Kind.TALK] or list(by_kind)


def _curves(bundle: Bundle, stream: StreamResult) -> dict[str, Any]:
    """Misses and false alarms with the bundle's settings, and with one threshold for all."""
    counted = counted_kinds(stream.by_kind)
    spoken = [row for row in stream.by_kind if row.metrics.total_said]
    hours = sum(row.metrics.hours for row in counted)
    asked = bundle.metrics.get("calibration", {}).get("asked_false_alarms_an_hour")
    return {
        "titles": [row.title for row in spoken],
        "said": [row.metrics.total_said for row in spoken],
        "where": "talk" if counted[0].kind == Kind.TALK else "all these streams",
        "hours": hours,
        "asked": asked,
        "target": asked / MARGIN if asked is not None else None,
        "set": {
            "thresholds": bundle.rules.thresholds,
            "alarms": _rate(sum(len(row.metrics.false_alarms) for row in counted), hours),
            "misses": [
                {
                    "count": row.metrics.total_said - row.metrics.total_hits,
                    "share": row.metrics.miss_share,
                    "range": row.metrics.miss_share_95,
                }
                for row in spoken
            ],
        },
        "points": [
            {
                "threshold": points[0].threshold,
                "alarms": _rate(sum(point.false_alarms for point in points), hours),
                "misses": [
                    {"count": point.missed, "share": point.miss_share, "range": point.miss_share_95}
                    for point in (row.curve[place] for row in spoken)
                ],
            }
            for place, points in enumerate(zip(*(row.curve for row in counted), strict=True))
        ],
    }


def _rate(count: int, hours: float) -> dict[str, Any]:
    low, high = poisson(count)
    return {"count": count, "rate": count / hours, "range": (low / hours, high / hours)}


def _latencies(stream: StreamResult) -> list[tuple[float, float, int]]:
    """Start and end of each bin in ms, and its number of reports."""
    counts, edges = np.histogram(stream.total.latencies_ms, _LATENCY_BINS)
    return _bins(counts, edges)


def _bins(
    counts: npt.NDArray[np.int64], edges: npt.NDArray[np.float64]
) -> list[tuple[float, float, int]]:
    return [
        (float(low), float(high), int(count))
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]


def _chosen_alarms(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    alarms = [x for x in excerpts if isinstance(x.event, FalseAlarm)]
    in_talk = [x for x in alarms if x.kind == Kind.TALK][:_MOST_SOUNDS]
    return in_talk + [x for x in alarms if x.kind != Kind.TALK][:_MOST_SOUNDS]


def _alarm(excerpt: Excerpt) -> dict[str, Any]:
    assert isinstance(excerpt.event, FalseAlarm)  # noqa: S101 - for the type checker
    near = excerpt.event.near
    return {
        "label": excerpt.event.report.label,
        "peak": excerpt.peak,
        "said": near.label if near else None,
        "where": TITLES[excerpt.kind],
        "source": excerpt.source,
        "file": excerpt.file.name if excerpt.file else "",
        "path": excerpt.file.as_posix() if excerpt.file else "",
        "seconds": excerpt.seconds,
        "sound": _sound(excerpt.pcm),
    }


def _missed(excerpt: Excerpt) -> dict[str, Any]:
    assert not isinstance(excerpt.event, FalseAlarm)  # noqa: S101 - for the type checker
    return {
        "label": excerpt.event.label,
        "where": TITLES[excerpt.kind],
        "file": _two_names(excerpt.file),
        "sound": _sound(excerpt.pcm),
    }


# --- clips ----------------------------------------------------------------------------------------


def _clip_figures(clips: ClipMetrics) -> dict[str, Any]:
    words = clips.truth > 0
    bins = clips.reliability
    shares = [speaker.right / speaker.clips for speaker in clips.by_speaker]
    counts, edges = np.histogram(shares, np.linspace(0, 1, 11))
    return {
        "labels": clips.labels,
        "roc": [
            {
                "label": label,
                "area": curve.area,
                "equal_error": curve.equal_error,
                "points": _corners(curve),
            }
            for label, curve in clips.curves.items()
        ],
        "calibration_error": bins.error,
        "calibration": [
            (float(confidence), float(accuracy), int(count))
            for confidence, accuracy, count in zip(
                bins.confidence, bins.accuracy, bins.counts, strict=True
            )
            if count
        ],
        "recorded": float(clips.right[words].mean()) if words.any() else 0.0,
        "by_snr": [(db, *counted) for db, counted in clips.by_snr.items()],
        "by_level": [(db, *counted) for db, counted in clips.by_level.items()],
        "speakers": _bins(counts, edges) if shares else None,
        "examples": [_example(clip, clips.labels) for clip in clips.examples],
    }


def _corners(curve: Roc) -> list[tuple[float, float]]:
    """Shares of other clips and of the keyword's clips that are accepted, where they change."""
    pairs = list(zip(curve.false_positive.tolist(), curve.true_positive.tolist(), strict=True))
    kept = [
        pair
        for before, pair, after in zip([None, *pairs], pairs, [*pairs[1:], None], strict=False)
        if before is None or after is None or pair[1] != before[1] or pair[1] != after[1]
    ]
    return [(round(false, 5), round(true, 5)) for false, true in kept]


def _example(clip: WorstClip, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "cell": (labels.index(clip.truth), labels.index(clip.said)),
        "score": clip.score,
        "truth_score": clip.truth_score,
        "file": _two_names(clip.file) or "background",
        "sound": _sound(clip.pcm),
    }


# --- sound ----------------------------------------------------------------------------------------


def _two_names(file: Path | None) -> str:
    """A clip's file with its folder; empty if there is none."""
    return f"{file.parent.name}/{file.name}" if file else ""


def _sound(pcm: Pcm) -> str:
    """A FLAC file as a data URL: half of WAV. Quiet sound is amplified."""
    peak = max(int(np.abs(pcm.astype(np.int32)).max()), 1)
    louder = np.rint(pcm * max(1.0, _LISTEN_PEAK / peak)).astype(np.int16)
    buffer = io.BytesIO()
    soundfile.write(buffer, louder, SAMPLE_RATE, format="FLAC", subtype="PCM_16")
    return f"data:audio/flac;base64,{base64.b64encode(buffer.getvalue()).decode()}"
