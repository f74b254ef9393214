"""A model is untrusted input: a minute of mutated models ends in statuses, never in a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from .fuzz import fuzz, has_clang

SECONDS = 60


@pytest.mark.slow
def test_a_minute_of_mutated_models_finds_nothing(tmp_path: Path) -> None:
    if not has_clang():
        pytest.skip("NOT FUZZED: install clang and libclang-rt-dev")
    outcome = fuzz(SECONDS, tmp_path)
    assert not outcome.findings, f"{outcome.findings}\n{outcome.log[-8000:]}"
    assert outcome.inputs > 1000
