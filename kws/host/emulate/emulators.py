"""Which emulator stands for which board."""

from __future__ import annotations

from kws.host.build.firmware import find_board
from kws.host.emulate.qemu import Emulator
from kws.host.emulate.renode import Renode


def emulator(board: str) -> Emulator | Renode:
    """What runs the firmware of `board`, nothing started yet.

    Raises:
        UsageError: there is no such board.
        ToolError: the emulator is missing.
    """
    return Emulator() if board == "qemu" else Renode(find_board(board))
