"""Pictures of how a model does."""

from __future__ import annotations

import io
from pathlib import Path

from kws.files import atomic_write
from kws.model.evaluate import Evaluation

_DARK = 0.55
"""From this share on, a cell is so dark that its text is white."""


def save_confusion(path: Path, evaluation: Evaluation, title: str) -> None:
    """Draw the confusion matrix as PNG: a row a class, shares of the row as colour and text.

    Raises:
        KwsError: it could not be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow

    counts = evaluation.confusion
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    size = len(evaluation.labels)
    side = 2.2 + 0.85 * size
    figure = Figure(figsize=(side + 0.3, side), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for row in range(size):
        for column in range(size):
            if counts[row, column]:
                axes.text(
                    column,
                    row,
                    f"{shares[row, column]:.1%}\n{counts[row, column]}",
                    ha="center",
                    va="center",
                    fontsize=9,
                    color="white" if shares[row, column] > _DARK else "#1f2d3d",
                )
    axes.set_xticks(range(size), evaluation.labels, rotation=45 if size > 6 else 0)
    axes.set_yticks(range(size), evaluation.labels)
    axes.set_xlabel("the model said")
    axes.set_ylabel("the clip was")
    axes.set_title(f"{title}\naccuracy {evaluation.accuracy:.2%}, {evaluation.clips} clips")
    # White lines between the cells, no frame.
    axes.set_xticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.set_yticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    atomic_write(path, buffer.getvalue())
