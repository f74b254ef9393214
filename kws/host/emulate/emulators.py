# SPDX-License-Identifier: Apache-2.0
"""The emulators, and the choice of one for a board."""

from __future__ import annotations

from collections.abc import Callable

from kws.errors import UsageError
from kws.host.build.boards import Board, find_board
from kws.host.emulate.qemu import Qemu
from kws.host.emulate.renode import Renode
from kws.host.emulate.rp2040js import Rp2040js

Emulator = Qemu | Renode | Rp2040js

EMULATORS: dict[str, Callable[[Board], Emulator]] = {
    "qemu": lambda _: Qemu(),
    "renode": Renode,
    "rp2040js": Rp2040js,
}
"""By the names in the boards' JSON files."""


def emulator(name: str) -> Emulator:
    """The emulator for the board `name`, not started.

    Raises:
        UsageError: the board is unknown or has no emulator.
        ToolError: the emulator is missing.
    """
    board = find_board(name)
    if board.emulator is None:
        raise UsageError(f"there is no emulator for {name}; kws deploy writes firmware to it")
    return EMULATORS[board.emulator](board)
