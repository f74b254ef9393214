# SPDX-License-Identifier: Apache-2.0
"""Calibrates a model and plays hours of sound to it, for docs/results.md.

    python -m tools.stream_results BUNDLE --data DIR --out stream.json [--hours 1 --other-hours 10]

chooses the recognizer's settings on validation clips, measures them on hours made of test clips,
and writes both as JSON. `section` turns such files into Markdown. The settings go into the bundle.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kws.audio.dataset import open_dataset
from kws.bundle.reading import load_bundle
from kws.files import atomic_write
from kws.model.evaluate.evaluation import EvaluationSettings, calibrate_bundle, evaluate
from kws.model.evaluate.streams import StreamPlan

RATE = 0.5
"""False alarms per hour that are asked for."""


def main() -> None:
    """Calibrate and evaluate one bundle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", default="", help="keywords: yes,no; all by default")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--other-hours", type=float, default=10.0)
    options = parser.parse_args()
    plan = StreamPlan(options.hours, options.other_hours)
    keywords = tuple(filter(None, options.words.split(",")))
    measure(options.bundle, options.data, plan, keywords, options.out)


def measure(
    bundle: Path, data: Path, plan: StreamPlan, keywords: tuple[str, ...], out: Path
) -> None:
    """Calibrate and evaluate a bundle, and write the metrics of both as JSON."""
    start = time.process_time()
    calibration = calibrate_bundle(bundle, open_dataset(data), plan, RATE, keywords=keywords)
    settings = EvaluationSettings(data, "test", None, True, plan, None, None, keywords)
    result = evaluate(load_bundle(bundle), settings).stream
    assert result is not None
    notes = {
        "calibration": calibration.to_json(),
        "test": result.to_json(),
        "cpu_minutes": (time.process_time() - start) / 60,
    }
    atomic_write(out, (json.dumps(notes, indent=1) + "\n").encode())


def section(notes: Mapping[str, dict[str, Any]]) -> list[str]:
    """Lines of Markdown: a row for each model, from its title and the JSON of `measure`."""
    if not notes:
        return []
    lines = [
        "## Hours of sound",
        "",
        "Words over background at 5 to 15 dB, as [evaluation.md](evaluation.md) describes;",
        "settings by `kws calibrate --false-alarms-per-hour` on the validation list, measured on",
        "the test list. Intervals are 95 %, latency is the median. Which choices were not blind:",
        "[what was measured](evaluation.md#what-was-measured).",
        "",
        "| | asked for | misses | false alarms per hour | measured on | latency | CPU minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, note in notes.items():
        test, calibration = note["test"], note["calibration"]
        low, high = (100 * share for share in test["miss_share_95"])
        least, most = test["false_alarms_an_hour_95"]
        lines.append(
            f"| {title} | {calibration['asked_false_alarms_an_hour']:g} per hour "
            f"| {100 * test['miss_share']:.1f} % ({low:.1f} to {high:.1f}) "
            f"| {test['false_alarms_an_hour']:.2f} ({least:.2f} to {most:.2f}) "
            f"| {test['hours']:.1f} h, {test['keywords_said']} keywords, "
            f"{test['other_words_said']} other words "
            f"| {test['latency_ms'].get('median', 0):.0f} ms | {note['cpu_minutes']:.0f} |"
        )
    if len(notes) > 1:
        tests = [note["test"] for note in notes.values()]
        misses, alarms = (
            sum(test[key] for test in tests) / len(tests)
            for key in ("miss_share", "false_alarms_an_hour")
        )
        lines += ["", f"Mean: {100 * misses:.1f} % misses at {alarms:.2f} false alarms per hour."]
    return [*lines, ""]


if __name__ == "__main__":
    main()
