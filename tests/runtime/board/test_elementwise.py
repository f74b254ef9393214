"""Element-wise ops, pooling and reductions give the host's bits on the emulated board."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws.host.emulate.inference import Job, on_board, on_host
from tests.runtime.ops import (
    test_activations,
    test_binary,
    test_pooling,
    test_quantize,
    test_reduce,
)

Array = NDArray[Any]

PROPERTIES = {
    test_binary: [
        test_binary.test_add_and_sub,
        test_binary.test_mul,
        test_binary.test_maximum_and_minimum,
    ],
    test_activations: [
        test_activations.test_relu,
        test_activations.test_relu6,
        test_activations.test_leaky_relu,
        test_activations.test_hard_swish,
        test_activations.test_logistic,
        test_activations.test_tanh,
    ],
    test_quantize: [
        test_quantize.test_between_integers,
        test_quantize.test_from_float,
        test_quantize.test_dequantize,
    ],
    test_pooling: [test_pooling.test_pool_2d],
    test_reduce: [
        test_reduce.test_mean_and_sum,
        test_reduce.test_arg_max,
    ],
}


def _jobs(monkeypatch: pytest.MonkeyPatch) -> list[Job]:
    """The models and inputs that the property tests draw, and models of every pair of values."""
    jobs: list[Job] = []

    def collect(model: bytes, calls: Sequence[Sequence[Array]], **_: bool) -> None:
        jobs.append(Job(model, tuple(np.stack(values) for values in zip(*calls, strict=True))))

    for module, properties in PROPERTIES.items():
        monkeypatch.setattr(module, "assert_same", collect)
        for draw in properties:
            draw()
    for ratio, gain in [(1.0, 1.0), (0.3, 2.0**18.6), (0.999, 0.01), (2.0**-19, 3.0)]:
        test_binary.test_every_pair_of_values("ADD", ratio, gain)
    for gain in [2.0**14, 0.7, 2.0**-16]:
        test_binary.test_mul_of_every_pair_of_values(gain)
    jobs += [Job(model, (rows,)) for model, rows in test_pooling.long_windows()]
    return jobs


@pytest.mark.skipif(
    not shutil.which("arm-none-eabi-g++") or not shutil.which("qemu-system-arm"),
    reason="needs the boards' compiler and the emulator",
)
def test_the_board_gives_the_hosts_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = _jobs(monkeypatch)
    assert len(jobs) >= 700
    for job, outcome in zip(jobs, on_board("qemu", jobs), strict=True):
        host = on_host(job)
        assert outcome.arena_used_bytes == host.arena_used_bytes
        for board, expected in zip(outcome.outputs, host.outputs, strict=True):
            np.testing.assert_array_equal(board.view(np.uint8), expected.view(np.uint8))
