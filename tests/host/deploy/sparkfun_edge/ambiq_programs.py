# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of Ambiq's bootloader: boards, programs, failing deployments."""

from __future__ import annotations

from dataclasses import dataclass, field

from kws.host.deploy import deployment
from kws.host.deploy.sparkfun_edge import SparkFunEdgeAsSold
from tests.host.deploy.programs import programs, refused
from tests.host.deploy.sparkfun_edge.simulated_ambiq import ORIGIN, PAGE, Loader
from tests.host.deploy.sparkfun_edge.simulated_edge import BoardWith, bench_of

BOARD = SparkFunEdgeAsSold()
program_of, image_of = programs(BOARD, ORIGIN, stack=0x10002000)
RECOVER = "the bootloader is untouched: hold button 14 and run kws deploy again"
SIZE = 20_000
"""Size in bytes of a program that needs three messages."""
MESSAGES = ["HELLO", "OTADESC", "UPDATE", "DATA", "DATA", "DATA", "RESET"]
COUNTED = range(1, len(MESSAGES) + 1)
LONGEST = 0x78000
"""Maximum size of a program, in bytes."""


@dataclass
class Edge(BoardWith[Loader]):
    """A SparkFun Edge as sold."""

    loader: Loader = field(default_factory=Loader)


def flashed(board: Edge, size: int = SIZE) -> bool:
    return bytes(board.loader.flash[ORIGIN : ORIGIN + size]) == program_of(size)


def deploy(board: Edge, size: int = SIZE) -> deployment.Deployed:
    return deployment.deploy(BOARD, image_of(size), None, bench_of(board))


def try_deploy(board: Edge, size: int = SIZE) -> str:
    """The error of a deployment that must fail."""
    return refused(lambda: deploy(board, size))


def works_after(board: Edge) -> bool:
    """Whether the next deployment succeeds."""
    board.faults = type(board.faults)()
    board.loader.packets.clear()
    deploy(board)
    return flashed(board)


def untouched(board: Edge, size: int = SIZE) -> bool:
    """Whether the old program is unchanged: flash below the staging area is as before."""
    old = Loader().flash
    stage = (0xFE000 - (size + 2048 + 128)) // PAGE * PAGE
    return board.loader.flash[:stage] == old[:stage]
