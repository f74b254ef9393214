"""Compares an emulated board with this machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kws.host.emulate.inference import Job, Outcome, on_board, on_host


def assert_same_bits(jobs: Sequence[Job], *, tool: str = "infer") -> list[Outcome]:
    """Run the jobs on both; arena sizes and output bits must be equal. Return the outcomes."""
    outcomes = on_board("qemu", jobs, tool=tool)
    for outcome, host in zip(outcomes, map(on_host, jobs), strict=True):
        assert outcome.arena_used_bytes == host.arena_used_bytes
        for board, expected in zip(outcome.outputs, host.outputs, strict=True):
            np.testing.assert_array_equal(board.view(np.uint8), expected.view(np.uint8))
    return outcomes
