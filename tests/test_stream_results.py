"""The table of hours of sound says what was measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kws.convert.bundle import Bundle
from kws.model.stream import StreamPlan
from tests.model.conftest import Run, run, tones_folder  # noqa: F401 - fixtures
from tests.stream_results import measure, section


@pytest.mark.slow
def test_what_is_measured_stands_in_the_table(
    run: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    bundle = Path(shutil.copytree(run.out / "bundle", tmp_path / "b"))
    measure(bundle, run.data, StreamPlan(0.05, 0.02), 60, tmp_path / "s.json")
    notes = json.loads((tmp_path / "s.json").read_text())
    assert set(Bundle.load(bundle).recognizer.thresholds) == {"low", "high"}
    assert notes["test"]["split"] == "test"
    (row,) = [line for line in section({"tones": notes}) if line.startswith("| tones")]
    assert "60 an hour" in row
    assert f"{notes['test']['keywords_said']} keywords" in row
    assert f"{notes['test']['false_alarms_an_hour']:.2f} (" in row
    assert section({}) == []
