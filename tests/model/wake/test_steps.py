# SPDX-License-Identifier: Apache-2.0
"""The running step, and the remaining time."""

from __future__ import annotations

import pytest

from kws.model.wake.steps import Steps

pytestmark = pytest.mark.unit


def test_remaining_time_adapts_to_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr("kws.model.wake.steps.time.monotonic", lambda: now)
    lines: list[str] = []
    steps = Steps([60, 120, 300, 120], lines.append)
    steps.begin("speaking")
    assert steps.remaining(0.0) == ""
    now += 120  # twice the usual time
    steps.begin("training")
    now += 120
    assert steps.remaining(0.5) == "about 16 min left"
    now += 120
    steps.skip("the second round is there already")
    steps.begin("measuring")
    assert lines == [
        "step 1 of 4: speaking; about 10 min left in all",
        "step 2 of 4: training; about 18 min left in all",
        "step 3 of 4: the second round is there already",
        "step 4 of 4: measuring; about 4 min left in all",
    ]


def test_steps_of_an_earlier_run_do_not_count_as_speed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("kws.model.wake.steps.time.monotonic", lambda: now)
    lines: list[str] = []
    steps = Steps([60, 60, 60], lines.append)
    steps.skip("there already", 2)
    steps.begin("measuring")
    assert lines[-1] == "step 3 of 3: measuring; about 1 min left in all"
