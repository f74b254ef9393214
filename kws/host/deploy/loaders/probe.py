# SPDX-License-Identifier: Apache-2.0
"""Writes firmware through a debug probe (SWD) with pyOCD, without using a bootloader.

Only the image's sectors are erased, so the bootloader stays. A chip whose debug port is locked
stays locked: unlocking would erase the whole chip with its bootloader.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from kws.errors import BoardError, ToolError
from kws.host.deploy.image import Image
from kws.host.deploy.real_board import Bench, RealBoard

if TYPE_CHECKING:
    from pyocd.core.session import Session

_OPTIONS: dict[str, Any] = {
    # Otherwise pyOCD erases a locked chip without asking.
    "auto_unlock": False,
    "chip_erase": "sector",
    "no_config": True,
}


def steps(image: Image) -> int:
    """Number of progress steps of `program`: erase, write and verify each block."""
    return 3 * image.count


def program(board: RealBoard, image: Image, bench: Bench) -> None:
    """Write an image through the only connected debug probe, verify, and start it.

    Raises:
        ToolError: pyOCD is not installed.
        BoardError: there is no probe, it does not reach the board, or verification failed.
    """
    with _session(board) as session:
        write(session, board, image, bench)


def write(session: Session, board: RealBoard, image: Image, bench: Bench) -> None:
    """Like `program`, but over an open session.

    Raises:
        BoardError: the chip is locked, or verification failed.
    """
    from pyocd.flash.loader import FlashLoader  # noqa: PLC0415 - an optional package

    chip = session.target
    if chip.is_locked():
        raise BoardError(
            f"the debug port of the {board.probe} is locked (APPROTECT); {_key(board)}"
        )
    if chip.selected_core is None:
        raise BoardError("the debug probe finds no processor; check power, SWDIO, SWCLK and GND")
    flash = board.memory.flash
    if not flash.start <= image.address < image.address + len(image.data) <= flash.stop:
        raise BoardError(f"0x{image.address:x} is not a writable address")
    chip.reset_and_halt()
    progress = _Progress(image.count, bench)
    loader = FlashLoader(
        session, progress=progress, chip_erase="sector", smart_flash=False, no_reset=True
    )
    loader.add_data(image.address, image.data)
    loader.commit()
    for address, block in image.blocks():
        if bytes(chip.read_memory_block8(address, len(block))) != block:
            raise BoardError(
                f"flash at 0x{address:x} differs from the image; try again with shorter wires to "
                "the probe"
            )
        bench.advance(1)
    chip.reset()


def _key(board: RealBoard) -> str:
    """Advice for a locked debug port."""
    if board.has_bootloader:
        return (
            "unlocking it would erase the bootloader too, so kws does not: deploy without --probe"
        )
    return (
        f"`pyocd reset --target {board.probe}` unlocks it and erases the whole chip; "
        "then deploy again"
    )


def _cable(board: RealBoard) -> str:
    """Advice if no probe is found."""
    if board.has_bootloader:
        return (
            "plug one in (CMSIS-DAP, J-Link or ST-Link) and wire its SWDIO, SWCLK and GND to the "
            "board, or deploy without --probe"
        )
    return f"{board.find}, and install the debugger's software"


@contextlib.contextmanager
def _session(board: RealBoard) -> Iterator[Session]:
    """An open session with the only connected probe."""
    try:
        from pyocd.core import exceptions  # noqa: PLC0415 - an optional package
        from pyocd.core.helpers import ConnectHelper  # noqa: PLC0415
        from pyocd.core.session import Session  # noqa: PLC0415
    except ImportError:
        raise ToolError("pyOCD is not installed: pip install 'kws[probe]'") from None
    # Its warnings are reported as errors here.
    logging.getLogger("pyocd").setLevel(logging.CRITICAL)
    probes = ConnectHelper.get_all_connected_probes(blocking=False, print_wait_message=False)
    if not probes:
        raise BoardError(f"no debug probe was found; {_cable(board)}")
    if len(probes) > 1:
        names = ", ".join(probe.unique_id for probe in probes)
        raise BoardError(f"{len(probes)} debug probes were found: leave one plugged in, {names}")
    session = Session(probes[0], target_override=board.probe, **_OPTIONS)
    try:
        with session:
            yield session
    except (exceptions.Error, OSError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise BoardError(
            f"the debug probe {probes[0].unique_id} does not reach the board: {reason}; check "
            "power, SWDIO, SWCLK and GND, then try again"
        ) from None


class _Progress:
    """Converts pyOCD's progress, 0 to 1 while erasing and again while writing, to blocks."""

    def __init__(self, blocks: int, bench: Bench) -> None:
        self._blocks = blocks
        self._bench = bench
        self._last = 0.0
        self._base = 0
        self._done = 0

    def __call__(self, share: float) -> None:
        if share < self._last:
            self._base = self._blocks
        self._last = share
        now = min(self._base + int(share * self._blocks), 2 * self._blocks)
        if now > self._done:
            self._bench.advance(now - self._done)
            self._done = now
