# SPDX-License-Identifier: Apache-2.0
"""The emulators by name, and which of them runs a board's firmware."""

from __future__ import annotations

from collections.abc import Callable

from kws.errors import UsageError
from kws.host.build.boards import Board, find_board
from kws.host.emulate.qemu import Qemu
from kws.host.emulate.renode import Renode

Emulator = Qemu | Renode

EMULATORS: dict[str, Callable[[Board], Emulator]] = {"qemu": lambda _: Qemu(), "renode": Renode}
"""As the boards' JSON files name them."""


def emulator(name: str) -> Emulator:
    """What runs the firmware of the board `name`, nothing started yet.

    Raises:
        UsageError: there is no such board, or none of its firmware runs without it.
        ToolError: the emulator is missing.
    """
    board = find_board(name)
    if board.emulator is None:
        raise UsageError(f"no emulator runs the firmware of {name}; kws deploy writes it there")
    return EMULATORS[board.emulator](board)
