"""A model is untrusted input: mutated models cause an error status, never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws import _core
from tests.paths import ROOT
from tests.runtime.fuzz.fuzz import fuzz, has_clang
from tests.runtime.fuzz.fuzz_seeds import seeds

SECONDS = 60


def test_all_seeds_run_and_cover_every_op() -> None:
    ops: set[str] = set()
    for name, model in seeds().items():
        interpreter = _core.Interpreter(model)
        assert interpreter.arena_used_bytes <= 32 << 10, name
        ops |= set(interpreter.ops)
    lines = (ROOT / "kws/firmware/src/kws/runtime/kernels/op_list.inc").read_text().splitlines()
    assert len(ops) == sum(line.startswith("KWS_OP(") for line in lines)


@pytest.mark.slow
def test_a_minute_of_fuzzing_finds_nothing(tmp_path: Path) -> None:
    if not has_clang():
        pytest.skip("NOT FUZZED: install clang and libclang-rt-dev")
    outcome = fuzz(SECONDS, tmp_path)
    assert not outcome.findings, f"{outcome.findings}\n{outcome.output[-8000:]}"
    assert outcome.inputs > 1000
