# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of the SparkFun Edge: programs, images, failing deployments."""

from __future__ import annotations

from dataclasses import dataclass, field

from kws.host.deploy import deployment
from kws.host.deploy.sparkfun_edge import SparkFunEdge
from tests.host.deploy.programs import programs, refused
from tests.host.deploy.sparkfun_edge.simulated_edge import BoardWith, bench_of
from tests.host.deploy.sparkfun_edge.simulated_svl import FRAME, ORIGIN, Loader

BOARD = SparkFunEdge()
program_of, image_of = programs(BOARD, ORIGIN, stack=0x10002000)
RECOVER = "the bootloader is untouched: run kws deploy again"
GREETING = 2
"""Packets before the first frame: U and BL."""


@dataclass
class Board(BoardWith[Loader]):
    """With SparkFun's loader."""

    loader: Loader = field(default_factory=Loader)


def flashed(board: Board, size: int) -> bool:
    return bytes(board.loader.flash[ORIGIN : ORIGIN + size]) == program_of(size)


def check_deploy(board: Board, size: int = 3 * FRAME) -> None:
    """Deploy; the loader must see no protocol errors and write the whole program."""
    deployment.deploy(BOARD, image_of(size), None, bench_of(board))
    assert flashed(board, size)
    assert board.loader.problems == []


def try_deploy(board: Board, size: int = 3 * FRAME) -> str:
    """The error of a deployment that must fail."""
    return refused(lambda: deployment.deploy(BOARD, image_of(size), None, bench_of(board)))
