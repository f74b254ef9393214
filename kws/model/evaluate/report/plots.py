"""Pictures of how a model does, as PNG, for light and for dark pages."""

from __future__ import annotations

import io
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kws.files import atomic_write
from kws.model.evaluate.accuracy import Evaluation
from kws.model.evaluate.calibration import MARGIN
from kws.model.evaluate.clip_metrics import Judgement
from kws.model.evaluate.stream_metrics import CurvePoint, Hearing

_DARK_CELL = 0.55
"""From this share on, a cell is so dark that its text is white."""

_DET_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 40)  # percent
_MANY = 6
"""From so many labels on, those below a picture stand at an angle."""


@dataclass(frozen=True)
class Theme:
    """The colours of a picture."""

    paper: str
    ink: str
    faint: str
    cells: str
    """matplotlib's name of the map for shares."""


LIGHT = Theme("#ffffff", "#1f2d3d", "#c9d1d9", "Blues")
DARK = Theme("#161b22", "#e6edf3", "#3d444d", "Blues_r")


def save_confusion(path: Path, evaluation: Evaluation, title: str) -> None:
    """Draw the confusion matrix as PNG: a row a class, shares of the row as colour and text.

    Raises:
        KwsError: it could not be written.
    """
    atomic_write(path, confusion(evaluation, title))


def confusion(evaluation: Evaluation, title: str, theme: Theme = LIGHT) -> bytes:
    """The confusion matrix: a row a class, shares of the row as colour and text."""
    counts = evaluation.confusion
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    size = len(evaluation.labels)
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
    axes.set_xticks(range(size), evaluation.labels, rotation=45 if size > _MANY else 0)
    axes.set_yticks(range(size), evaluation.labels)
    axes.set_xlabel("the model said")
    axes.set_ylabel("the clip was")
    axes.set_title(f"{title}\naccuracy {evaluation.accuracy:.2%}, {evaluation.clips} clips")
    # Lines of the paper's colour between the cells, no frame.
    axes.set_xticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.set_yticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.grid(which="minor", color=theme.paper, linewidth=2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return _png(figure)


def roc(found: Judgement, theme: Theme = LIGHT) -> bytes:
    """Clips of a keyword that are found against other clips taken for it, as its score falls."""
    figure, axes = _figure((5.2, 4.4), theme)
    for label, curve in found.curves.items():
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
    _name(axes, "other clips taken for it, %", "clips of the keyword found, %", "ROC", theme)
    return _png(figure)


def det(found: Judgement, theme: Theme = LIGHT) -> bytes:
    """Misses against false positives on normal deviates, where good detectors are straight."""
    figure, axes = _figure((5.2, 4.4), theme)
    deviate = np.vectorize(statistics.NormalDist().inv_cdf)
    for label, curve in found.curves.items():
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
    _name(axes, "other clips taken for it, %", "clips of the keyword missed, %", "DET", theme)
    return _png(figure)


def reliability(found: Judgement, theme: Theme = LIGHT) -> bytes:
    """How often the model is right against how sure it is."""
    figure, axes = _figure((5.2, 4.4), theme)
    bins = found.reliability
    filled = bins.counts > 0
    axes.plot([0, 1], [0, 1], color=theme.faint, linewidth=1, linestyle="--")
    sizes = 20 + 400 * bins.counts[filled] / max(int(bins.counts.sum()), 1)
    axes.plot(bins.confidence[filled], bins.accuracy[filled], color="tab:blue", linewidth=1)
    axes.scatter(bins.confidence[filled], bins.accuracy[filled], s=sizes, color="tab:blue")
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.05)
    title = f"calibration, error {bins.error:.3f}"
    _name(axes, "score of what it said", "share that was right", title, theme)
    return _png(figure)


def conditions(found: Judgement, theme: Theme = LIGHT) -> bytes:
    """Share of the words that is right, by noise and by level."""
    figure, axes = _figure((5.2, 5.6), theme, rows=2)
    for place, counts, what in (
        (axes[0], found.by_snr, "speech over noise, dB"),
        (axes[1], found.by_level, "voice, dB of full scale"),
    ):
        shares = [100 * right / total for right, total in counts.values()]
        place.plot(list(counts), shares, marker="o", color="tab:blue")
        place.axhline(_clean(found), color=theme.faint, linestyle="--", linewidth=1)
        place.set_ylim(0, 103)
        _name(place, what, "words right, %", "", theme)
    return _png(figure)


def speakers(found: Judgement, theme: Theme = LIGHT) -> bytes:
    """How many speakers are understood how well."""
    figure, axes = _figure((5.2, 3.6), theme)
    shares = [100 * speaker.right / speaker.clips for speaker in found.by_speaker]
    axes.hist(shares, bins=np.linspace(0, 100, 11).tolist(), color="tab:blue")
    _name(axes, "clips right, %", "speakers", f"{len(shares)} speakers", theme)
    return _png(figure)


def stream_curve(
    points: tuple[CurvePoint, ...], hearing: Hearing, asked: float | None, theme: Theme = LIGHT
) -> bytes:
    """Misses against false alarms an hour, and where the bundle's settings are."""
    figure, axes = _figure((6.4, 4.4), theme)
    ordered = sorted(points, key=lambda point: point.threshold)
    alarms = [point.alarms_an_hour for point in ordered]
    name = "one threshold for all keywords"
    axes.plot(alarms, [100 * p.miss_share for p in ordered], marker=".", label=name)
    axes.plot(
        [hearing.alarms_an_hour],
        [100 * hearing.miss_share],
        marker="*",
        markersize=14,
        color="tab:red",
        linestyle="",
        label="the bundle's settings",
    )
    if asked is not None:
        name = f"asked for: {asked:g} an hour (aimed at {asked / MARGIN:g})"
        axes.axvline(asked, color=theme.faint, linestyle="--", label=name)
    least = 1 / max(hearing.hours, 1e-9)
    axes.set_xscale("symlog", linthresh=least, linscale=0.4)
    axes.set_xlim(0, max(*alarms, hearing.alarms_an_hour, 2 * least) * 1.1)
    axes.set_ylim(0, 100)
    _name(axes, "false alarms an hour", "keywords missed, %", f"{hearing.hours:.1f} h", theme)
    return _png(figure)


def latency(hearing: Hearing, theme: Theme = LIGHT) -> bytes:
    """When words are reported, from the end of the voice on."""
    figure, axes = _figure((5.2, 3.6), theme)
    axes.hist(list(hearing.latencies_ms), bins=30, color="tab:blue")
    _name(axes, "ms after the voice's end", "reports", f"{hearing.total_hits} hits", theme)
    return _png(figure)


def _clean(found: Judgement) -> float:
    words = found.truth > 0
    return float(100 * found.right[words].mean()) if words.any() else 0.0


def _figure(size: tuple[float, float], theme: Theme, rows: int = 1) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow

    figure = Figure(figsize=size, dpi=150, layout="constrained", facecolor=theme.paper)
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, 1)
    for one in np.atleast_1d(np.array(axes)):
        one.set_facecolor(theme.paper)
        one.tick_params(colors=theme.ink, which="both")
        one.spines[:].set_color(theme.faint)
        for text in (one.title, one.xaxis.label, one.yaxis.label):
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
