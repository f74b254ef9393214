# SPDX-License-Identifier: Apache-2.0
"""Pictures of metrics as PNG, for light and for dark pages."""

from __future__ import annotations

import io
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kws.extras import require
from kws.files import atomic_write
from kws.model.evaluate.judge.calibration import MARGIN
from kws.model.evaluate.judge.clip_metrics import ClipMetrics
from kws.model.evaluate.judge.confusion import ConfusionMatrix
from kws.model.evaluate.judge.kind_metrics import KindMetrics
from kws.model.evaluate.judge.stream_metrics import StreamMetrics
from kws.model.evaluate.score.streams import Kind

_DARK_CELL = 0.55
"""Cells with at least this share are dark, so their text is white."""

_DET_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40)  # percent
_MANY = 6
"""With more labels than this, the labels of the x axis are slanted."""


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    paper: str
    ink: str
    faint: str
    cells: str
    """Matplotlib's name of the colour map for shares."""


LIGHT = Theme("#ffffff", "#1f2d3d", "#c9d1d9", "Blues")
DARK = Theme("#161b22", "#e6edf3", "#3d444d", "Blues_r")


def save_confusion(path: Path, matrix: ConfusionMatrix, title: str) -> None:
    """Draw a confusion matrix into a PNG file.

    Raises:
        ToolError: Matplotlib is not installed.
        KwsError: the file cannot be written.
    """
    atomic_write(path, confusion(matrix, title))


def confusion(matrix: ConfusionMatrix, title: str, theme: Theme = LIGHT) -> bytes:
    """A confusion matrix: a row for each class, shares of the row as colour and text."""
    counts = matrix.counts
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    size = len(matrix.labels)
    side = 2.2 + 0.85 * size
    figure, axes = _figure((side + 0.3, side), theme)
    axes.imshow(shares, cmap=theme.cells, vmin=0, vmax=1)
    for row in range(size):
        for column in range(size):
            if counts[row, column]:
                dark_cell = (shares[row, column] > _DARK_CELL) == (theme is LIGHT)
                axes.text(
                    column,
                    row,
                    f"{shares[row, column]:.1%}\n{counts[row, column]}",
                    ha="center",
                    va="center",
                    fontsize=9,
                    color="white" if dark_cell else "#1f2d3d",
                )
    axes.set_xticks(range(size), matrix.labels, rotation=45 if size > _MANY else 0)
    axes.set_yticks(range(size), matrix.labels)
    axes.set_xlabel("answer of the model")
    axes.set_ylabel("label of the clip")
    axes.set_title(f"{title}\naccuracy {matrix.accuracy:.2%}, {matrix.clips} clips")
    # Lines in the background colour between the cells, no frame.
    axes.set_xticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.set_yticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.grid(which="minor", color=theme.paper, linewidth=2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return _png(figure)


def roc(clips: ClipMetrics, theme: Theme = LIGHT) -> bytes:
    """The ROC curves: clips of a keyword accepted against other clips accepted."""
    figure, axes = _figure((5.2, 4.4), theme)
    for label, curve in clips.curves.items():
        axes.step(
            100 * curve.false_positive,
            100 * curve.true_positive,
            where="post",
            label=f"{label} (area {curve.area:.4f})",
        )
    axes.set_xscale("symlog", linthresh=1, linscale=0.6)
    axes.set_xlim(0, 100)
    axes.set_ylim(50, 100.5)
    axes.set_xticks([0, 1, 10, 100], ["0", "1", "10", "100"])
    _name(axes, "other clips accepted, %", "clips of the keyword accepted, %", "ROC", theme)
    return _png(figure)


def det(clips: ClipMetrics, theme: Theme = LIGHT) -> bytes:
    """The DET curves: misses against false positives, with normal deviates as axes."""
    figure, axes = _figure((5.2, 4.4), theme)
    deviate = np.vectorize(statistics.NormalDist().inv_cdf)
    for label, curve in clips.curves.items():
        false = curve.false_positive.clip(1e-4, 1 - 1e-4)
        miss = (1 - curve.true_positive).clip(1e-4, 1 - 1e-4)
        name = f"{label} (equal error {curve.equal_error:.1%})"
        axes.plot(deviate(false), deviate(miss), drawstyle="steps-post", label=name)
    places = deviate(np.array(_DET_TICKS) / 100)
    names = [f"{tick:g}" for tick in _DET_TICKS]
    axes.set_xticks(places, names)
    axes.set_yticks(places, names)
    axes.set_xlim(places[0], places[-1])
    axes.set_ylim(places[0], places[-1])
    axes.plot(places[[0, -1]], places[[0, -1]], color=theme.faint, linewidth=1, linestyle="--")
    _name(axes, "other clips accepted, %", "clips of the keyword missed, %", "DET", theme)
    return _png(figure)


def reliability(clips: ClipMetrics, theme: Theme = LIGHT) -> bytes:
    """Share of correct answers by confidence."""
    figure, axes = _figure((5.2, 4.4), theme)
    bins = clips.reliability
    filled = bins.counts > 0
    axes.plot([0, 1], [0, 1], color=theme.faint, linewidth=1, linestyle="--")
    sizes = 20 + 400 * bins.counts[filled] / max(int(bins.counts.sum()), 1)
    axes.plot(bins.confidence[filled], bins.accuracy[filled], color="tab:blue", linewidth=1)
    axes.scatter(bins.confidence[filled], bins.accuracy[filled], s=sizes, color="tab:blue")
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.05)
    title = f"calibration, error {bins.error:.3f}"
    _name(axes, "score of the answer", "share of right answers", title, theme)
    return _png(figure)


def conditions(clips: ClipMetrics, theme: Theme = LIGHT) -> bytes:
    """Share of the words recognized, by noise and by level."""
    figure, axes = _figure((5.2, 5.6), theme, rows=2)
    for plot, counts, name in (
        (axes[0], clips.by_snr, "signal-to-noise ratio, dB"),
        (axes[1], clips.by_level, "level of the voice, dBFS"),
    ):
        shares = [100 * right / total for right, total in counts.values()]
        plot.plot(list(counts), shares, marker="o", color="tab:blue")
        plot.axhline(_clean(clips), color=theme.faint, linestyle="--", linewidth=1)
        plot.set_ylim(0, 103)
        _name(plot, name, "words recognized, %", "", theme)
    return _png(figure)


def speakers(clips: ClipMetrics, theme: Theme = LIGHT) -> bytes:
    """A histogram of the speakers' shares of words recognized."""
    figure, axes = _figure((5.2, 3.6), theme)
    shares = [100 * speaker.right / speaker.clips for speaker in clips.by_speaker]
    axes.hist(shares, bins=np.linspace(0, 100, 11).tolist(), color="tab:blue")
    _name(axes, "words recognized, %", "speakers", f"{len(shares)} speakers", theme)
    return _png(figure)


def kind_curves(by_kind: Sequence[KindMetrics], asked: float | None, theme: Theme = LIGHT) -> bytes:
    """Misses of each kind of stream against false alarms per hour, by threshold.

    False alarms are counted in talk without keywords; if there is none, in all streams.

    Args:
        by_kind: the metrics; at least one kind has keywords.
        asked: requested false alarms per hour of calibration; None if unknown.
        theme: the colours.
    """
    figure, axes = _figure((6.4, 4.4), theme)
    talk = [row for row in by_kind if row.kind == Kind.TALK]
    counted = talk or by_kind
    hours = sum(row.metrics.hours for row in counted)
    alarms = [
        sum(point.false_alarms_per_hour * row.metrics.hours for row, point in pairs) / hours
        for pairs in (
            list(zip(counted, points, strict=True))
            for points in zip(*(row.curve for row in counted), strict=True)
        )
    ]
    now = sum(len(row.metrics.false_alarms) for row in counted) / hours
    for row in by_kind:
        if row.metrics.total_said:
            misses = [100 * point.miss_share for point in row.curve]
            (line,) = axes.plot(alarms, misses, marker=".", label=row.title)
            star = {"marker": "*", "markersize": 14, "color": line.get_color(), "clip_on": False}
            axes.plot([now], [100 * row.metrics.miss_share], linestyle="", zorder=3, **star)
    axes.plot([], [], marker="*", linestyle="", color=theme.ink, label="the bundle's settings")
    if asked is not None:
        name = f"requested: {asked:g} per hour (target {asked / MARGIN:g})"
        axes.axvline(asked, color=theme.faint, linestyle="--", label=name)
    least = 1 / hours
    axes.set_xscale("symlog", linthresh=least, linscale=0.4)
    axes.set_xlim(0, max(*alarms, now, 2 * least) * 1.1)
    axes.set_ylim(0, 100)
    where = "of talk" if talk else "of all these streams"
    x = f"false alarms per hour {where}, {hours:.1f} h"
    _name(axes, x, "keywords missed, %", "one threshold for all keywords", theme)
    return _png(figure)


def alarm_curve(talk: KindMetrics, theme: Theme = LIGHT) -> bytes:
    """False alarms per hour of talk by threshold, the same for all keywords."""
    figure, axes = _figure((6.4, 4.4), theme)
    alarms = [point.false_alarms_per_hour for point in talk.curve]
    axes.plot([point.threshold for point in talk.curve], alarms, marker=".", color="tab:blue")
    now = talk.metrics.false_alarms_per_hour
    axes.axhline(now, color=theme.faint, linestyle="--", label="the bundle's settings")
    axes.set_yscale("symlog", linthresh=1 / talk.metrics.hours, linscale=0.4)
    axes.set_ylim(0, max(*alarms, now, 2 / talk.metrics.hours) * 1.1)
    y = f"false alarms per hour of talk, {talk.metrics.hours:.1f} h"
    _name(axes, "threshold of all keywords", y, "", theme)
    return _png(figure)


def latency(metrics: StreamMetrics, theme: Theme = LIGHT) -> bytes:
    """A histogram of the time from the end of the voice to the report."""
    figure, axes = _figure((5.2, 3.6), theme)
    axes.hist(list(metrics.latencies_ms), bins=30, color="tab:blue")
    _name(axes, "ms after the end of the voice", "reports", f"{metrics.total_hits} hits", theme)
    return _png(figure)


def _clean(clips: ClipMetrics) -> float:
    """Share of the words recognized in the clips as recorded, in percent."""
    words = clips.truth > 0
    return float(100 * clips.right[words].mean()) if words.any() else 0.0


def _figure(size: tuple[float, float], theme: Theme, rows: int = 1) -> tuple[Any, Any]:
    figure = require("matplotlib.figure", "plots", "a picture").Figure(
        figsize=size, dpi=150, layout="constrained", facecolor=theme.paper
    )
    axes = figure.subplots(rows, 1)
    for plot in np.atleast_1d(np.array(axes)):
        plot.set_facecolor(theme.paper)
        plot.tick_params(colors=theme.ink, which="both")
        plot.spines[:].set_color(theme.faint)
        for text in (plot.title, plot.xaxis.label, plot.yaxis.label):
            text.set_color(theme.ink)
    return figure, axes


def _name(axes: Any, x: str, y: str, title: str, theme: Theme) -> None:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title, fontsize=11)
    axes.grid(color=theme.faint, linewidth=0.5)
    axes.set_axisbelow(True)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(fontsize=8, facecolor=theme.paper, labelcolor=theme.ink, edgecolor=theme.faint)


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
