# SPDX-License-Identifier: Apache-2.0
"""The results page agrees with the results of the runs."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kws.errors import DataError
from kws.model.evaluate.score.streams import StreamPlan
from tests.model.conftest import Run, run, tones_folder  # noqa: F401 - fixtures
from tools import results
from tools.recipes import ROWS, Row
from tools.results import startable
from tools.results_page import Figures, clips, measure, recalls, section, training_settings


def test_page_has_mean_spread_and_loss_due_to_int8() -> None:
    runs = [
        Figures(core, core + 0.002, {"silence": 1.0, "yes": core}, 0.9, 19_600, 5_840, 592, 2.0)
        for core in (0.94, 0.95, 0.96)
    ]
    text = "\n".join(clips([(ROWS[0], runs), (ROWS[1], [])]))
    seeds = "94.00, 95.00, 96.00 | 90.00, 90.00, 90.00"
    figures = f"95.00 % ± 1.00 | {seeds} | 95.20 % | +0.20 points | 19,600 | 5,840 | 2.0"
    assert f"| 1 | {ROWS[0].title} | `{ROWS[0].arch}` | 3 | {figures} |" in text
    assert f"| 2 | {ROWS[1].title} | `{ROWS[1].arch}` | 0 | not trained yet |" in text


def test_recalls_are_means_of_the_seeds() -> None:
    runs = [
        Figures(0.9, 0.9, {"silence": 1.0, "yes": yes}, 0.9, 19_600, 5_840, 592, 2.0)
        for yes in (0.94, 0.95, 0.96)
    ]
    head, *lines = recalls([(ROWS[0], runs), (ROWS[1], [])]).splitlines()
    assert head == "model,clips,label,recall_percent"
    assert lines == [f'"{ROWS[0].title}",592,silence,100.0', f'"{ROWS[0].title}",592,yes,95.0']


def test_common_settings_are_not_in_the_table() -> None:
    values = (("x", 0.5), ("y", True), ("z", None))
    rows = [replace(ROWS[0], folder=name, options={"a": 1, "b": b}) for name, b in values]
    text = "\n".join(training_settings(rows))
    assert "All models: `a` 1." in text
    assert "| `a` |" not in text
    assert "| setting | 1 | 2 | 3 |" in text
    assert "| `b` | 0.5 | true |  |" in text


def test_page_names_the_rows_that_a_row_needs() -> None:
    numbers = {row.folder: str(number) for number, row in enumerate(ROWS, 1)}
    lines = {line.split(" | ")[0].strip("| "): line for line in training_settings(ROWS)}
    for name, row, other in (
        ("base model", "look", "teacher_third"),
        ("second look", "tiny", "look"),
    ):
        assert lines[name].rstrip(" |").split(" | ")[int(numbers[row])] == numbers[other]


def test_rows_come_after_the_rows_that_they_need() -> None:
    seen: set[str] = set()
    for row in ROWS:
        assert {row.teacher, row.start, row.verify} - {""} <= seen
        assert not row.mined or ROWS[0].folder in seen
        seen.add(row.folder)


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_runs_start_after_their_base_models(jobs: int) -> None:
    waiting = [(row, seed) for row in ROWS for seed in range(min(2, row.most_seeds))]
    everything = list(waiting)
    running: list[tuple[Row, int]] = []
    finished: set[tuple[str, int]] = set()
    while waiting or running:
        for row, seed in startable(waiting, running, jobs):
            assert not row.start or (row.start, seed) in finished
            assert not row.teacher or (row.teacher, 0) in finished
            assert not row.verify or (row.verify, 0) in finished
            assert not row.mined or (ROWS[0].folder, 0) in finished
            waiting.remove((row, seed))
            running.append((row, seed))
        assert 0 < len(running) <= jobs
        row, seed = running.pop(0)
        finished.add((row.folder, seed))
    assert finished == {(row.folder, seed) for row, seed in everything}


def test_training_has_no_sources_that_may_not_be_sold(tmp_path: Path) -> None:
    rows = [("coffee/a.wav", "train"), ("queen/b.wav", "train"), ("queen/c.wav", "validation")]
    real = tmp_path / "real"
    for name, _ in rows:
        (real / name).parent.mkdir(parents=True, exist_ok=True)
        (real / name).write_bytes(name.encode())
    lines = [f"{name},speech,{split}" for name, split in rows]
    (real / "manifest.csv").write_text("\n".join(["file,kind,split", *lines]))
    out = results.learnable(real, tmp_path / "copy")
    assert results.learnable(real, out) == out, "again"
    files = {path.relative_to(out).as_posix() for path in out.rglob("*.wav")}
    assert files == {"coffee/a.wav", "queen/c.wav"}
    assert (out / "manifest.csv").read_text().split() == ["file,kind,split", lines[0], lines[2]]


def test_missing_talk_is_reported_before_training(
    tones_folder: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run_all(*_: object) -> None:
        pytest.fail("something ran")

    monkeypatch.setattr(results, "run_all", run_all)
    arguments = ["results", "--data", str(tones_folder), "--real", str(tones_folder / "up")]
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setattr(sys, "argv", [*arguments, "--talk", str(empty)])
    with pytest.raises(DataError, match="empty: no recordings of speech"):
        results.main()


@pytest.mark.slow
def test_table_has_the_measured_figures(
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    talk = tmp_path / "talk"
    talk.mkdir()
    for word in ("up", "down"):
        for clip in sorted((run.data / word).iterdir())[:9]:
            (talk / f"{word}_{clip.name}").write_bytes(clip.read_bytes())
    plan = StreamPlan(0.05, 0.02)
    measure(run.out / "bundle", run.data, talk, tmp_path / "s.json", plan)
    notes = json.loads((tmp_path / "s.json").read_text())
    quiet = notes["stream"]["by_kind"]["quiet"]
    again = json.loads(json.dumps(notes))
    again["stream"]["by_kind"]["quiet"]["miss_share"] = quiet["miss_share"] + 0.2
    misses, alarms = [line for line in section({"tones": [notes, again]}) if "| tones |" in line]
    share = 100 * quiet["miss_share"]
    cells = misses.split(" | ")
    assert cells[1] == "2"
    assert cells[2].split(", ")[0] == str(quiet["keywords_said"])
    assert cells[3].startswith(f"{share + 10:.1f} % (")
    assert cells[3].endswith(f"; {share:.1f} to {share + 20:.1f}")
    assert f"in {quiet['hours']:.2f} h" in alarms.split(" | ")[2]
