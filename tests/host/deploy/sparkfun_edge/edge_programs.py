# SPDX-License-Identifier: Apache-2.0
"""What the tests of the SparkFun Edge share: programs, images, deployments that fail."""

from __future__ import annotations

import random
import struct

import pytest

from kws.errors import BoardError
from kws.host.deploy import deployment
from kws.host.deploy.image import Image, make_image
from kws.host.deploy.sparkfun_edge import SparkFunEdge
from tests.host.deploy.sparkfun_edge.simulated_edge import Board, bench_of
from tests.host.deploy.sparkfun_edge.simulated_svl import FRAME, ORIGIN

BOARD = SparkFunEdge()
RECOVER = "the bootloader is untouched: run kws deploy again"
GREETING = 2
"""Packets before the first frame: U and BL."""


def program_of(size: int) -> bytes:
    """A program's bytes: a vector table, then what the seed gives."""
    head = struct.pack("<II", 0x10002000, ORIGIN + 0x101)
    return head + random.Random(size).randbytes(size - len(head))


def image_of(size: int) -> Image:
    return make_image([(ORIGIN, program_of(size))], BOARD.memory, "test")


def flashed(board: Board, size: int) -> bool:
    return bytes(board.loader.flash[ORIGIN : ORIGIN + size]) == program_of(size)


def try_deploy(board: Board, size: int = 3 * FRAME) -> str:
    """The message of a deployment that has to fail."""
    with pytest.raises(BoardError) as caught:
        deployment.deploy(BOARD, image_of(size), None, bench_of(board))
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    return text
