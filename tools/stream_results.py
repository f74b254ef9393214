"""Calibrates a model and plays hours of sound to it, for docs/results.md.

    python -m tools.stream_results BUNDLE --data DIR --out stream.json [--hours 1 --quiet-hours 10]

chooses the recognizer's settings on validation clips, judges them on hours made of test clips, and
notes both; `section` makes Markdown of the notes. The bundle is written anew with these settings.
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
from kws.model.evaluate.evaluation import Task, assess, calibrate_bundle
from kws.model.evaluate.streams import StreamPlan

RATE = 0.5
"""False alarms an hour that are asked for."""


def main() -> None:
    """Calibrate and judge one bundle."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--words", default="", help="such as yes,no; else all of its keywords")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--quiet-hours", type=float, default=10.0)
    given = parser.parse_args()
    plan = StreamPlan(given.hours, given.quiet_hours)
    words = tuple(filter(None, given.words.split(",")))
    measure(given.bundle, given.data, plan, words, given.out)


def measure(bundle: Path, data: Path, plan: StreamPlan, words: tuple[str, ...], out: Path) -> None:
    """Write what was found as JSON."""
    start = time.process_time()
    chosen = calibrate_bundle(bundle, open_dataset(data), plan, RATE, words=words)
    task = Task(data, "test", None, True, plan, None, None, words)
    found = assess(load_bundle(bundle), task).stream
    assert found is not None
    notes = {
        "calibration": chosen.to_json(),
        "test": found.to_json(),
        "cpu_minutes": (time.process_time() - start) / 60,
    }
    atomic_write(out, (json.dumps(notes, indent=1) + "\n").encode())


def section(notes: Mapping[str, dict[str, Any]]) -> list[str]:
    """Lines of Markdown: a row a model, from its title and what `measure` wrote."""
    if not notes:
        return []
    lines = [
        "## Hours of sound",
        "",
        "Words over background at 5 to 15 dB, as [evaluation.md](evaluation.md) describes;",
        "settings by `kws calibrate --false-alarms-per-hour` on the validation list, judged on the",
        "test list. The intervals are 95 %.",
        "",
        "| | asked for | misses | false alarms an hour | heard | latency, median | CPU minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, note in notes.items():
        test, chosen = note["test"], note["calibration"]
        low, high = (100 * share for share in test["miss_share_95"])
        least, most = test["false_alarms_an_hour_95"]
        lines.append(
            f"| {title} | {chosen['asked_false_alarms_an_hour']:g} an hour "
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
        lines += ["", f"Mean: {100 * misses:.1f} % misses at {alarms:.2f} false alarms an hour."]
    return [*lines, ""]


if __name__ == "__main__":
    main()
