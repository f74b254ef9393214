# SPDX-License-Identifier: Apache-2.0
"""Programs and timing for a simulated Nano 33 BLE Sense."""

from __future__ import annotations

from kws.host.deploy.nano33ble import Nano33Ble
from kws.host.deploy.real_board import Bench, Timing
from tests.host.deploy.programs import programs
from tests.host.deploy.simulated_nano33 import (
    ORIGIN,
    Board,
)

QUICK = Timing(answer=1.5, appear=8, boot=3, settle=0.2)


TARGET = Nano33Ble()
program_of, image_of = programs(TARGET, ORIGIN, stack=0x20040000)


def bench_of(board: Board) -> Bench:
    return Bench(board.lister, QUICK)
