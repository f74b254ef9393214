"""The same bits on the emulated board: DSP instructions against the host's portable kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws.host.emulate.inference import Job, on_board, on_host
from tests.runtime.ops import test_convolution, test_depthwise

Array = NDArray[Any]

PROPERTIES = (
    test_convolution.test_conv_2d,
    test_convolution.test_conv_2d_of_one_channel,
    test_convolution.test_conv_2d_of_many_channels,
    test_depthwise.test_depthwise_conv_2d,
    test_depthwise.test_depthwise_with_eight_columns,
    test_depthwise.test_depthwise_three_by_three,
    test_depthwise.test_depthwise_three_taps,
    test_depthwise.test_depthwise_four_channels,
    test_depthwise.test_depthwise_with_one_output,
    test_depthwise.test_depthwise_with_dilation,
    test_depthwise.test_depthwise_with_rows_of_taps,
    test_convolution.test_fully_connected,
    test_convolution.test_softmax,
)


def _jobs(monkeypatch: pytest.MonkeyPatch, properties: Sequence[Callable[[], None]]) -> list[Job]:
    """The models and inputs that property tests draw, instead of comparing them with oracles."""
    jobs: list[Job] = []

    def collect(model: bytes, calls: Sequence[Sequence[Array]], **_: bool) -> None:
        rows = tuple(np.stack(values) for values in zip(*calls, strict=True))
        jobs.append(Job(model, rows))

    for module in (test_convolution, test_depthwise):
        monkeypatch.setattr(module, "assert_same", collect)
    for draw in properties:
        draw()
    return jobs


@pytest.mark.usefixtures("board_tools")
def test_the_board_gives_the_hosts_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = _jobs(monkeypatch, PROPERTIES)
    assert len(jobs) >= 50 * len(PROPERTIES)
    for job, outcome in zip(jobs, on_board("qemu", jobs), strict=True):
        host = on_host(job)
        assert outcome.arena_used_bytes == host.arena_used_bytes
        for board, expected in zip(outcome.outputs, host.outputs, strict=True):
            np.testing.assert_array_equal(board, expected)
