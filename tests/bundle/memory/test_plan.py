# SPDX-License-Identifier: Apache-2.0
"""The memory plan that `kws convert` and `kws set` show."""

from __future__ import annotations

import re
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from typer.testing import CliRunner

from kws import _core
from kws.bundle.built_in import default_bundle_path
from kws.bundle.memory.plan import Plan, plan_of, plan_text, short_name
from kws.bundle.memory.plan_picture import save_plan
from kws.cli.main import app
from kws.errors import ModelError, ToolError
from tests.runtime.fuzz.fuzz_seeds import seeds


@pytest.fixture(scope="module")
def plan() -> Plan:
    """The plan of a model with each op of a DS-CNN."""
    return plan_of(seeds()["small_model"])


def test_everything_lies_in_the_arena_and_nothing_collides(plan: Plan) -> None:
    items = [item for item in plan.items if item.kind != "alias"]
    assert all(item.offset + item.bytes <= plan.arena_bytes for item in items)
    for a, b in combinations(items, 2):
        # An op may overwrite an input that is not read later.
        together = a.first < b.last and b.first < a.last
        apart = a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
        assert apart or not together, (a.name, b.name)


def test_plan_names_the_parts_of_a_model(plan: Plan) -> None:
    assert plan.ops[0] == "RESHAPE"
    kinds = [item.kind for item in plan.items]
    assert kinds.count("input") == kinds.count("output") == kinds.count("records") == 1
    assert "alias" in kinds, "the reshaped input"
    assert "scratch" in kinds
    output = next(item for item in plan.items if item.kind == "output")
    assert output.last == len(plan.ops) - 1
    assert output.bytes == 4


def test_ops_that_run_once_come_before_the_others() -> None:
    plan = plan_of(seeds()["variables_random"])
    assert plan.ops.count("once") == 4
    assert plan.ops[4] == "CALL_ONCE"
    kept = [item for item in plan.items if item.kind == "variable"]
    assert [item.bytes for item in kept] == [6, 8]
    assert all((item.first, item.last) == (0, len(plan.ops) - 1) for item in kept)


def test_text_has_a_line_for_each_item(plan: Plan) -> None:
    lines = plan_text(plan).splitlines()
    assert len(lines) == len([item for item in plan.items if item.kind != "alias"]) + 2
    assert lines[-1].startswith(f"arena: {plan.arena_bytes:,} bytes")
    output = next(item for item in plan.items if item.kind == "output")
    (line,) = [line for line in lines if " output " in line]
    life = "." * output.first + "#" * (len(plan.ops) - output.first)
    assert line.split()[:4] == [f"{output.offset:,}", f"{output.offset + 4:,}", "4", life]


def test_text_of_a_large_model_is_short() -> None:
    items = tuple(
        SimpleNamespace(name=f"t{i}", kind="tensor", first=i, last=i + 1, offset=8 * i, bytes=i)
        for i in range(99)
    )
    plan = Plan(("ADD",) * 100, cast("tuple[_core.PlanItem, ...]", items), 1000)
    lines = plan_text(plan, most=10).splitlines()
    assert len(lines) == 13
    assert lines[-2] == "and 89 more of 88 bytes at most"
    lives = [line.split()[3] for line in lines[1:11]]
    assert all(len(life) == 40 for life in lives)
    assert lives[-1].endswith("#")
    assert "#" not in lives[0][:35]


def test_names_are_short() -> None:
    assert short_name("model/conv2d/Relu;model/conv2d/BiasAdd") == "conv2d"
    assert short_name("serving_default_x:0") == "x"
    assert not short_name("")


def test_bytes_that_are_not_a_model_are_refused() -> None:
    with pytest.raises(ModelError):
        plan_of(b"nonsense")


def test_picture_is_drawn_for_every_seed(tmp_path: Path) -> None:
    for name in ("small_model", "variables_random"):
        picture = tmp_path / f"{name}.png"
        save_plan(picture, plan_of(seeds()[name]), name)
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_set_shows_plan_and_flash_without_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    out = tmp_path / "bundle"
    command = ["set", str(default_bundle_path()), "--out", str(out)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    arena = _core.Interpreter((out / "model.tflite").read_bytes()).arena_used_bytes
    assert f"arena: {arena:,} bytes" in result.output
    assert "while the ops run" in result.output
    assert "flash of the ops: " in result.output
    assert re.search(r"^  DEPTHWISE_CONV_2D 3x3 or rows +\d", result.output, re.MULTILINE)


def test_set_draws_the_plan(tmp_path: Path) -> None:
    picture = tmp_path / "plan.png"
    command = ["set", str(default_bundle_path()), "--out", str(tmp_path / "bundle")]
    result = CliRunner().invoke(app, [*command, "--plan", str(picture)])
    assert result.exit_code == 0, result.output
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_picture_without_matplotlib_names_the_extra(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ToolError, match=r"needs matplotlib.*pip install 'kws\[plots\]'"):
        save_plan(tmp_path / "plan.png", plan, "a model")
    assert not (tmp_path / "plan.png").exists()
