# SPDX-License-Identifier: Apache-2.0
"""A SparkFun Edge as sold. Tests of SparkFun's loader have their own board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.host.deploy.sparkfun_edge.ambiq_programs import Edge
from tests.host.deploy.sparkfun_edge.simulated_ambiq import ORIGIN


@pytest.fixture
def board() -> Iterator[Edge]:
    board = Edge()
    yield board
    # The loader has not changed.
    assert bytes(board.loader.flash[:ORIGIN]) == b"\xb0\x07" * (ORIGIN // 2)
