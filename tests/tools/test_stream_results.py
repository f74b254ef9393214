# SPDX-License-Identifier: Apache-2.0
"""The table of hours of sound says what was measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kws.bundle.reading import load_bundle
from kws.model.evaluate.streams import StreamPlan
from tests.model.conftest import Run, run, tones_folder  # noqa: F401 - fixtures
from tools.stream_results import measure, section


@pytest.mark.slow
def test_table_has_the_measured_figures(
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    bundle = Path(shutil.copytree(run.out / "bundle", tmp_path / "b"))
    measure(bundle, run.data, StreamPlan(0.05, 0.02), ("low",), tmp_path / "s.json")
    notes = json.loads((tmp_path / "s.json").read_text())
    assert load_bundle(bundle).recognizer.thresholds["high"] == 255
    assert list(notes["test"]["keywords"]) == ["low"]
    assert notes["test"]["split"] == "test"
    (row,) = [line for line in section({"tones": notes}) if line.startswith("| tones")]
    assert "0.5 per hour" in row
    assert f"{notes['test']['keywords_said']} keywords" in row
    assert f"{notes['test']['false_alarms_an_hour']:.2f} (" in row
    assert section({}) == []
    other = {**notes, "test": {**notes["test"], "miss_share": 0.1, "false_alarms_an_hour": 3.0}}
    same = {**other, "test": {**other["test"], "miss_share": 0.3, "false_alarms_an_hour": 1.0}}
    assert "Mean: 20.0 % misses at 2.00 false alarms per hour." in section({"a": other, "b": same})
