# SPDX-License-Identifier: Apache-2.0
"""Measures a calibrated bundle on the test split, for docs/results.md.

    python -m tools.stream_results BUNDLE --data DIR --real DIR --out test.json

plays words of test speakers in a quiet room, in noise and over talk, hours of other words, and all
test talk, and writes the metrics as JSON. `section` turns such files into Markdown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kws.audio.surroundings import Surroundings
from kws.bundle.reading import load_bundle
from kws.files import atomic_write
from kws.model.evaluate.evaluation import EvaluationSettings, evaluate
from kws.model.evaluate.kind_metrics import TITLES
from kws.model.evaluate.statistics import poisson, wilson
from kws.model.evaluate.streams import Kind, StreamPlan

PLAN = StreamPlan(hours=1.0, other_hours=1.0)


def main() -> None:
    """Measure one bundle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--real", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    measure(options.bundle, options.data, options.real, options.out)


def measure(bundle: Path, data: Path, real: Path, out: Path, plan: StreamPlan = PLAN) -> None:
    """Evaluate a bundle, and write the metrics as JSON."""
    settings = EvaluationSettings(
        *(data, "test", None, True, plan, None, None), surroundings=Surroundings((real,))
    )
    result = evaluate(load_bundle(bundle), settings)
    atomic_write(out, (json.dumps(result.to_json(), indent=1) + "\n").encode())


def section(notes: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Lines of Markdown: a row for each model and kind of stream.

    Args:
        notes: the JSON of `measure` of each seed, by the title of its row.
    """
    lines = [
        "## In a room",
        "",
        f"Words of test speakers, {PLAN.words_a_minute:g} a minute, half of them keywords; in",
        "noise and over talk they are 5 to 15 dB above it. Misses are means over the seeds, with",
        "the range of the seeds and the 95 % interval of all their words together. All seeds hear",
        "the same hours, so the interval of the false alarms is that of one seed's hours.",
        "",
        "| | | seeds | hours | keywords | misses | 95 % | false alarms per hour | 95 % |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for title, runs in notes.items():
        for kind in Kind if runs else ():
            facts = [run["stream"]["by_kind"].get(str(kind)) for run in runs]
            if None not in facts:
                lines.append(f"| {title} | {TITLES[kind]} | {_cells([f for f in facts if f])} |")
    return [*lines, ""]


def _cells(facts: Sequence[Mapping[str, Any]]) -> str:
    """Hours, keywords, misses and false alarms of all seeds."""
    hours = sum(one["hours"] for one in facts) / len(facts)
    said = sum(one["keywords_said"] for one in facts)
    alarms = sum(one["false_alarms"] for one in facts) / len(facts)
    least, most = (bound / hours for bound in poisson(round(alarms)))
    misses = interval = ""
    if said:
        shares = [100 * one["miss_share"] for one in facts]
        spread = f" ({min(shares):.1f} to {max(shares):.1f})" if len(shares) > 1 else ""
        misses = f"{sum(shares) / len(shares):.1f} %{spread}"
        missed = sum(round(one["miss_share"] * one["keywords_said"]) for one in facts)
        low, high = (100 * share for share in wilson(missed, said))
        interval = f"{low:.1f} to {high:.1f} %"
    return (
        f"{len(facts)} | {hours:.2f} | {said // len(facts) or ''} | {misses} | {interval} "
        f"| {alarms / hours:.2f} | {least:.2f} to {most:.2f}"
    )


if __name__ == "__main__":
    main()
