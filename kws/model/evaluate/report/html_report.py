# SPDX-License-Identifier: Apache-2.0
"""Writes the report of an evaluation: one HTML file with charts, tables and sound; and JSON.

The file needs only a browser: no network and no other files. Its script draws the charts from
figures in the file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kws import __version__
from kws.bundle.bundle import Bundle
from kws.extras import require
from kws.files import atomic_write, make_directory
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.kind_metrics import miss_range, rate_range, rate_text
from kws.model.evaluate.judge.statistics import Interval
from kws.model.evaluate.judge.verdict import Verdict
from kws.model.evaluate.report.headline import headline, sentence
from kws.model.evaluate.report.page_figures import page_figures, script_json
from kws.model.evaluate.report.page_files import content_policy, script_element, styles

REPORT = "report.html"
FIGURES = "report.json"
"""All figures of the report."""

TEMPLATE = "report.html.j2"


def save_report(
    folder: Path,
    evaluation: Evaluation,
    notes: Sequence[str] = (),
    verdict: Verdict | None = None,
) -> Path:
    """Write the report and its figures into a folder.

    Args:
        folder: made if missing.
        evaluation: the metrics.
        notes: remarks before the figures, one line each.
        verdict: how well the model hears; it comes first.

    Returns:
        The HTML file.

    Raises:
        ToolError: Jinja is not installed.
        KwsError: a file cannot be written.
    """
    make_directory(folder)
    atomic_write(folder / FIGURES, json.dumps(evaluation.to_json(), indent=2).encode())
    file = folder / REPORT
    atomic_write(file, render(evaluation, notes, verdict).encode())
    return file


def render(
    evaluation: Evaluation, notes: Sequence[str] = (), verdict: Verdict | None = None
) -> str:
    """The report as HTML.

    Args:
        evaluation: the metrics.
        notes: remarks before the figures, one line each.
        verdict: how well the model hears; it comes first.

    Raises:
        ToolError: Jinja is not installed.
    """
    jinja = require("jinja2", "evaluate", "the report")
    environment = jinja.Environment(
        loader=jinja.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": _percent,
        "range": _range,
        "rate": rate_text,
        "sentence": sentence,
    }
    script = script_element()
    figures = page_figures(evaluation)
    context: dict[str, Any] = {
        "version": __version__,
        "policy": content_policy(script.encode()),
        "script": script,
        "styles": styles(),
        "json": script_json(figures),
        "figures": figures,
        "bundle": evaluation.bundle,
        "recognizer": _recognizer(evaluation.bundle),
        "headline": headline(evaluation, verdict),
        "notes": notes,
        "clips": evaluation.clips,
        "stream": evaluation.stream,
        "miss_range": miss_range,
        "rate_range": rate_range,
    }
    html: str = environment.get_template(TEMPLATE).render(context)
    return html


def _recognizer(bundle: Bundle) -> str:
    """The recognizer's settings in words."""
    settings = bundle.rules.recognizer
    thresholds = ", ".join(f"{label} {value}" for label, value in settings.thresholds.items())
    window = f"window {settings.average_window_ms} ms, " if not bundle.second_look else ""
    return (
        f"{window}threshold {thresholds or settings.detection_threshold}, "
        f"suppression {settings.suppression_ms} ms"
    )


def _range(interval: Interval | None) -> str:
    """An interval of shares in percent."""
    low, high = interval or (0.0, 0.0)
    return f"{100 * low:.1f} to {100 * high:.1f} %" if interval else "1 speaker"


def _percent(share: float | None, digits: int = 1) -> str:
    """A share of 0 to 1 in percent; empty for None."""
    return "" if share is None else f"{100 * share:.{digits}f} %"
