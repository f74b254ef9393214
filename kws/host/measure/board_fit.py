# SPDX-License-Identifier: Apache-2.0
"""Checks for each board whether a model fits its memory and runs in real time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import BoardError, ToolError
from kws.host.build.boards import Board
from kws.host.build.firmware import DoesNotFitError, build
from kws.host.build.ring import DEFAULT_HOPS
from kws.host.measure.real_time import Load, estimate_load, schedule


@dataclass(frozen=True)
class BoardFit:
    """Board resources used by firmware with one bundle."""

    board: Board
    load: Load | None
    """Estimated load; None if the board has no clock, or for the reason in `unknown`."""
    flash: int | None
    """Bytes of flash; a lower bound if the firmware does not fit. None: unknown, because only RAM
    is too small."""
    ram: int | None
    """The same for RAM: variables, arena and stack."""
    built: bool
    """Whether flash and RAM are sizes of a complete build."""
    unknown: str = ""
    """Why there is no estimate of the load; else empty."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Exceeded resources."""
        checks = {
            "too little flash": (self.flash or 0) > self.board.flash,
            "too little RAM": (self.ram or 0) > self.board.ram,
            "too slow": self.load is not None and self.load.share > 1,
        }
        return tuple(name for name, present in checks.items() if present)

    @property
    def fits(self) -> bool:
        """Whether the firmware fits the memory and, if known, the time."""
        return not self.problems


def fit_boards(
    boards: Sequence[Board], bundle: Bundle, advance: Callable[[int], object] = lambda _: None
) -> list[BoardFit]:
    """Build firmware with `bundle` for each board, and estimate its time.

    Args:
        boards: from `boards()` of kws.host.build.
        bundle: as loaded from its folder.
        advance: called with 1 after each board.

    Raises:
        ToolError: the compiler is missing, or a build failed for a reason other than size.
    """
    fits = []
    for board in boards:
        fits.append(_fit(board, bundle))
        advance(1)
    return fits


def _fit(board: Board, bundle: Bundle) -> BoardFit:
    load, unknown, hops = None, "", DEFAULT_HOPS
    try:
        load = estimate_load(board, bundle)
    except (ToolError, BoardError) as error:
        unknown = str(error)
    if load is None or load.share <= 1:
        hops = schedule(board, Device(bundle)).ring_hops
    try:
        size = build(board.name, Device(bundle), ring_hops=hops).size
    except DoesNotFitError as error:
        return BoardFit(board, load, error.flash, error.ram, False, unknown)
    return BoardFit(board, load, size.flash, size.ram, True, unknown)
