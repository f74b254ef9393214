# SPDX-License-Identifier: Apache-2.0
"""The picture of a confusion matrix as PNG."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from kws.extras import require
from kws.files import atomic_write
from kws.model.evaluate.judge.confusion import ConfusionMatrix

_PAPER, _INK = "#ffffff", "#1f2d3d"

_DARK_CELL = 0.55
"""Cells with at least this share are dark, so their text is white."""

_MANY = 6
"""With more labels than this, the labels of the x axis are slanted."""


def save_confusion(path: Path, matrix: ConfusionMatrix, title: str) -> None:
    """Draw a confusion matrix into a PNG file: shares of each row as colour and text.

    Raises:
        ToolError: Matplotlib is not installed.
        KwsError: the file cannot be written.
    """
    counts = matrix.counts
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    size = len(matrix.labels)
    side = 2.2 + 0.85 * size
    figure: Any = require("matplotlib.figure", "plots", "a picture").Figure(
        figsize=(side + 0.3, side), dpi=150, layout="constrained", facecolor=_PAPER
    )
    axes = figure.subplots()
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
                    color="white" if shares[row, column] > _DARK_CELL else _INK,
                )
    axes.set_xticks(range(size), matrix.labels, rotation=45 if size > _MANY else 0)
    axes.set_yticks(range(size), matrix.labels)
    axes.set_xlabel("answer of the model", color=_INK)
    axes.set_ylabel("label of the clip", color=_INK)
    axes.set_title(f"{title}\naccuracy {matrix.accuracy:.2%}, {matrix.clips} clips", color=_INK)
    # Lines in the background colour between the cells, no frame.
    axes.set_xticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.set_yticks([i - 0.5 for i in range(1, size)], minor=True)
    axes.grid(which="minor", color=_PAPER, linewidth=2)
    axes.tick_params(which="both", length=0, colors=_INK)
    axes.spines[:].set_visible(False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    atomic_write(path, buffer.getvalue())
