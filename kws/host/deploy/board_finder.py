# SPDX-License-Identifier: Apache-2.0
"""Finds the selected board, and finds it again after it was unplugged or restarted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from kws.errors import BoardError
from kws.host.deploy.real_board import RealBoard
from kws.host.serial import ports
from kws.host.serial.ports import BAUD, Link, Lister, Port

_AGAIN_SECONDS = 2.0


@dataclass
class BoardFinder:
    """Opens the serial port of one board, at the start and each time it reconnects."""

    boards: tuple[RealBoard, ...]
    """Accepted kinds of board."""
    wanted: str | None
    """A port that the user named; None finds a board by its USB id."""
    baud: int = BAUD
    lister: Lister = field(default_factory=lambda: ports.list_ports)
    open_port: Callable[[str, float, int], Link] = field(default_factory=lambda: ports.open_soon)
    """Opens a port: name, timeout in seconds, baud rate."""

    def first(self) -> tuple[Port, Link]:
        """The board that is connected now.

        Raises:
            BoardError: there is none, or more than one, or its port cannot be opened.
        """
        port = self._first()
        return port, self.open_port(port.device, 0, self.baud)

    def again(self, last: Port) -> tuple[Port, Link] | None:
        """The board that was at `last`, or None if it is not back yet.

        Raises:
            PortError: it is back, but its port cannot be opened.
        """
        port = self._find(self.lister(), last.socket)
        if port is None:
            return None
        return port, self.open_port(port.device, _AGAIN_SECONDS, self.baud)

    def _first(self) -> Port:
        present = self.lister()
        port = self._find(present, "")
        if port is not None:
            return port
        if self.wanted is not None:
            self._refuse_bootloader(present)
            raise BoardError(f"{self.wanted}: there is no such port; check the cable")
        fitting = self._fitting(present)
        if fitting:
            names = ", ".join(p.device for p in fitting)
            raise BoardError(f"{len(fitting)} boards were found: choose one with --port, {names}")
        self._refuse_bootloader(present)
        title = self.boards[0].title if len(self.boards) == 1 else "board"
        raise BoardError(f"no {title} was found; plug it in, or pass its serial port with --port")

    def _refuse_bootloader(self, present: list[Port]) -> None:
        for port in present:
            if self._is_bootloader(port) and self.wanted in (None, port.device):
                raise BoardError(
                    f"{port.device}: the board is in its bootloader; write firmware with "
                    "kws deploy, or tap its reset button once to start the installed firmware"
                )

    def _find(self, present: list[Port], socket: str) -> Port | None:
        """The selected port: by name, or else by the USB socket."""
        if self.wanted is not None:
            real = Path(self.wanted).resolve()
            for port in present:
                if Path(port.device).resolve() == real:
                    return None if self._is_bootloader(port) else port
            if real.exists():
                return Port(self.wanted)
            if not socket:
                return None
        fitting = self._fitting(present)
        if socket:
            fitting = [p for p in fitting if p.socket == socket]
        return fitting[0] if len(fitting) == 1 else None

    def _fitting(self, present: list[Port]) -> list[Port]:
        """Ports that may belong to a board; adapters only if there is no board with its own USB."""
        for adapter in (False, True):
            ids = {usb for t in self.boards if t.adapter == adapter for usb in t.application}
            if fitting := [port for port in present if port.usb in ids]:
                return fitting
        return []

    def _is_bootloader(self, port: Port) -> bool:
        return any(port.usb in t.usb - t.application for t in self.boards)
