"""The memory plan that `kws convert --plan` shows."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kws import _core
from kws.cli import app
from kws.convert.bundle import default_bundle_path
from kws.convert.plan import Plan, plan_of, plan_text, save_plan, short_name
from kws.errors import ModelError, ToolError

from ..runtime.fuzz_seeds import seeds


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Of a model with an op of every kind that a DS-CNN has."""
    return plan_of(seeds()["small_model"])


def test_everything_lies_in_the_arena_and_nothing_collides(plan: Plan) -> None:
    items = [item for item in plan.items if item.kind != "alias"]
    assert all(item.offset + item.bytes <= plan.arena_bytes for item in items)
    for a, b in combinations(items, 2):
        # An op may write over an input that nobody reads after it.
        together = a.first < b.last and b.first < a.last
        apart = a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
        assert apart or not together, (a.name, b.name)


def test_plan_names_what_a_model_has(plan: Plan) -> None:
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
    assert len(lines) == len(plan.items) + 2
    assert lines[-1].startswith(f"arena: {plan.arena_bytes:,} bytes")


def test_names_are_short() -> None:
    assert short_name("model/conv2d/Relu;model/conv2d/BiasAdd") == "conv2d"
    assert short_name("serving_default_x:0") == "x"
    assert not short_name("")


def test_bytes_that_are_no_model_are_refused() -> None:
    with pytest.raises(ModelError):
        plan_of(b"nonsense")


def test_picture_is_drawn_for_every_seed(tmp_path: Path) -> None:
    for name in ("small_model", "variables_random"):
        picture = tmp_path / f"{name}.png"
        save_plan(picture, plan_of(seeds()[name]), name)
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_convert_shows_the_plan_without_a_compiler_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_compiler(board: str, bundle: object) -> None:
        raise ToolError("no compiler; install one")

    monkeypatch.setattr("kws.host.report.build", no_compiler)
    picture = tmp_path / "plan.png"
    out = tmp_path / "bundle"
    command = ["convert", str(default_bundle_path()), "--out", str(out), "--plan", str(picture)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert picture.is_file()
    arena = _core.Interpreter((out / "model.tflite").read_bytes()).arena_used_bytes
    assert f"arena: {arena:,} bytes" in result.output
    assert "flash of the ops is not known: no compiler; install one" in result.output
