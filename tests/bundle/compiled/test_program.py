"""Models compiled to kernel calls: their arguments, and compiled bundles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws import _core
from kws.bundle import codegen
from kws.bundle.bundle import Bundle
from kws.bundle.compiled.program import Program, compile_model
from kws.bundle.device import Device, with_commands
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import BundleError, ModelError
from tests.oracle_data import model_file
from tests.runtime.model_builder import ModelBuilder
from tests.small_models import LABELS, dense_model, unsupported_model

IN_CONSTANTS = 1 << 31


@pytest.fixture(params=["tiny_conv", "low_latency_svdf", "lstm", "mixed_net", "bc_resnet"])
def program(request: pytest.FixtureRequest) -> Program:
    return compile_model(model_file(request.param).read_bytes())


def test_ops_that_only_rename_are_not_called(tiny: Bundle) -> None:
    assert "RESHAPE" in tiny.ops
    assert [call.kernel for call in tiny.program.calls] == [
        "DepthwiseConv2DEightTaps",
        "FullyConnected",
        "Softmax",
    ]


def test_all_references_lie_in_arena_or_constants(program: Program) -> None:
    words = 4 * sum(len(call.words) for call in program.calls)
    references = [reference for call in program.calls for reference in call.references]
    assert all(r < program.arena_bytes for r in references if r < IN_CONSTANTS)
    inside = [r - IN_CONSTANTS for r in references if r > IN_CONSTANTS]
    assert inside
    assert all(words <= place < program.constant_bytes + 3 for place in inside)
    for place in (*program.inputs, *program.outputs):
        assert place.offset + place.bytes <= program.arena_bytes


def test_the_arena_holds_only_tensors(program: Program) -> None:
    """The interpreter's arena also holds its own records."""
    for name in ("tiny_conv", "mixed_net"):
        model = model_file(name).read_bytes()
        assert compile_model(model).arena_bytes < _core.Interpreter(model).arena_used_bytes
    assert program.arena_bytes % 4 == 0


def test_state_gets_an_initial_value() -> None:
    kept = compile_model(model_file("mixed_net").read_bytes())
    assert any(call.once or call.resets for call in kept.calls)
    assert compile_model(model_file("lstm").read_bytes()).variables_bytes > 0
    none = compile_model(model_file("tiny_conv").read_bytes())
    assert none.variables_bytes == 0
    assert not any(call.once or call.resets for call in none.calls)


def test_equal_constants_are_stored_once() -> None:
    builder = ModelBuilder()
    x = builder.tensor([1, 8], "int8", 1.0, 0)
    for _ in range(2):
        weights = builder.tensor([8, 8], "int8", 0.1, 0, np.eye(8))
        y = builder.tensor([1, 8], "int8", 1.0, 0)
        builder.op("FULLY_CONNECTED", [x, weights, -1], [y], "FullyConnectedOptions")
        x = y
    program = compile_model(builder.build([0], [x]))
    assert len(program.calls) == 2
    assert program.constants == (np.eye(8, dtype=np.int8).tobytes(),)


def test_a_model_that_cannot_run_gives_a_one_line_error() -> None:
    with pytest.raises(ModelError, match=r"^[^\n]+$"):
        compile_model(unsupported_model())
    with pytest.raises(ModelError, match=r"not a \.tflite file"):
        compile_model(b"no model at all")


def test_a_compiled_bundle_has_the_model_as_cpp(tmp_path: Path) -> None:
    made = replace(make_bundle(dense_model(), LABELS, name="dense"), compiled=True)
    bundle = write_bundle(made, tmp_path / "b")
    assert bundle.compiled
    names = sorted(path.name for path in bundle.firmware.iterdir())
    assert names == sorted(codegen.firmware_files(bundle))
    assert names == ["compiled_model.cc", "compiled_model.h", "model_settings.h"]
    settings = (bundle.firmware / "model_settings.h").read_text()
    assert f"kArenaBytes = {bundle.program.arena_bytes};" in settings
    assert bundle.program.arena_bytes < bundle.arena_bytes
    again = write_bundle(replace(bundle, compiled=False), tmp_path / "b")
    assert not again.compiled
    assert (again.firmware / "model_data.cc").is_file()
    assert not (again.firmware / "compiled_model.cc").exists()


def test_a_compiled_bundle_has_the_same_scores_on_the_host(tiny: Bundle) -> None:
    silence = np.zeros(32000, np.int16)
    one, other = Device(tiny).pipeline(), Device(tiny).as_compiled().pipeline()
    assert one.boot == other.boot
    assert one.feed(silence) == other.feed(silence)


def test_a_wrong_setting_gives_a_one_line_error(tmp_path: Path) -> None:
    bundle = write_bundle(make_bundle(dense_model(), LABELS, name="dense"), tmp_path / "b")
    file = tmp_path / "b" / "bundle.toml"
    file.write_text(f"compiled = 3\n{file.read_text()}")
    with pytest.raises(BundleError, match="compiled is not a bool"):
        load_bundle(tmp_path / "b")
    assert not bundle.compiled


def test_both_bundles_of_a_device_are_compiled_or_none(tiny: Bundle) -> None:
    tiny = tiny.without_second_look()
    pair = with_commands(tiny, replace(tiny, compiled=True))
    assert [part.compiled for part in pair.parts] == [True, True]
    assert pair.arena_bytes == tiny.program.arena_bytes
    alone = pair.as_interpreted()
    assert [part.compiled for part in alone.parts] == [False, False]
    assert alone.arena_bytes == tiny.arena_bytes
