# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import json
import math
import shutil
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.cli.main import app
from kws.host.build.boards import find_board
from kws.host.measure import model_costs
from kws.host.measure.model_costs import Cost, Trained, find_trained, macs, measure, table
from kws.model.zoo import MODELS, find_model

EDGE = find_board("sparkfun_edge")
"""The slowest board."""


@pytest.mark.tensorflow
def test_macs_are_the_sum_of_the_layers() -> None:
    # tiny_conv: 25 x 20 x 8 values of a 10 x 8 filter, then 4,000 x 4 weights.
    bundle = load_bundle(default_bundle_path().with_name("tiny"))
    assert macs(bundle.model) == 25 * 20 * 8 * 80 + 4000 * len(bundle.labels)


@pytest.mark.slow
@pytest.mark.tensorflow
def test_cost_is_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    (first,) = measure(["single_fc"], 4, None, tmp_path, said.append)
    assert first.parameters == 1960 * 4 + 4
    assert first.macs == 1960 * 4
    assert first.instructions is first.cycles is None
    assert first.flash > first.size > first.macs
    assert said == ["measuring single_fc; this takes a while the first time"]
    assert measure(["single_fc"], 4, None, tmp_path, said.append) == [first]
    assert len(said) == 1
    monkeypatch.setattr(model_costs, "__version__", "9")
    measure(["single_fc"], 4, None, tmp_path, said.append)
    assert len(said) == 2, "another version measures again"


def test_table_fits_a_terminal() -> None:
    name = max(MODELS, key=len)
    cost = Cost(name, 999_999, 49, 199_999_999, 999_999, 999_999, 999_999, 99_999_999, 199_999_999)
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(table([cost], [Trained(name, ("yes", "no"), 0.975, Path("a"))]))
    text = console.export_text()
    assert f"{name} " in text
    for number in ("999,999", "199,999,999", "40 ms"):
        assert number in text
    assert f"{name}: 97.5% (yes, no)" in text


def test_trained_bundles_are_found_and_others_skipped(tmp_path: Path) -> None:
    shutil.copytree(default_bundle_path(), tmp_path / "runs" / "one" / "bundle")
    (tmp_path / "runs" / "two").mkdir()
    (tmp_path / "runs" / "two" / "bundle.toml").write_text("format = [")
    (trained,) = find_trained([tmp_path / "runs", tmp_path / "nowhere"])
    bundle = load_bundle(default_bundle_path())
    assert trained.arch == bundle.arch == "tcs_resnet_small"
    assert trained.words == bundle.keywords
    assert trained.accuracy == bundle.metrics["accuracy"]["core"]


@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
def test_a_slow_board_keeps_up_with_the_strides_of_the_zoo(tmp_path: Path) -> None:
    assert EDGE.clock == 48_000_000
    for cost in measure(list(MODELS), 4, "qemu", tmp_path, lambda _: None):
        assert cost.cycles
        # A hop of 20 ms, less the time of the frontend and the drivers.
        hops = math.ceil(cost.cycles / (0.02 * EDGE.clock - 31_000 - EDGE.driver_cycles))
        # More than 16 hops would yield too few scores per second.
        assert find_model(cost.name).stride >= min(hops, 16), cost.name


@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
def test_command_measures_on_the_emulated_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path))
    runner = CliRunner()
    arguments = ["models", "tiny_conv", "--runs", str(tmp_path)]
    result = runner.invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0
    (row,) = json.loads(result.stdout)
    assert 200_000 < row["instructions"] < row["cycles"] < 600_000
    assert row["arena"] == load_bundle(default_bundle_path().with_name("tiny")).arena_bytes
    assert row["trained"][0]["words"] == ["yes", "no"]
    text = runner.invoke(app, arguments).stdout
    assert "tiny_conv" in text
    assert "40 ms" in text
