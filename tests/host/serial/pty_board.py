# SPDX-License-Identifier: Apache-2.0
"""Base of boards on pseudo-terminals: a port that appears and disappears, served by a thread."""

from __future__ import annotations

import os
import threading
import tty
from abc import ABC, abstractmethod
from typing import Self

from kws.host.serial.ports import Port, UsbId


class PtyBoard(ABC):
    """A board with a port while it is plugged in; a context manager."""

    socket: str = "1-2"

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._port: Port | None = None
        self._master = -1
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self.plug()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(5)
        self.unplug()

    @property
    def device(self) -> str:
        """The port's name, which changes at each start."""
        with self._lock:
            return self._port.device if self._port else ""

    def lister(self) -> list[Port]:
        """Replaces `kws.host.serial.ports.list_ports`."""
        with self._lock:
            return [self._port] if self._port else []

    def appear(self, usb: UsbId) -> None:
        """Appear on the USB bus with this id, at a new port."""
        master, name = raw_pty()
        os.set_blocking(master, False)
        with self._lock:
            self._master, self._port = master, Port(name, usb, self.socket)

    def unplug(self) -> None:
        """Pull the cable."""
        with self._lock:
            if self._port is not None:
                os.close(self._master)
            self._port = None

    @abstractmethod
    def plug(self) -> None:
        """Connect the cable for the first time."""

    @abstractmethod
    def _run(self) -> None:
        """Serve the port until `_ended` is set."""


def raw_pty() -> tuple[int, str]:
    """The master's descriptor and the slave's name of a pseudo-terminal.

    It is raw, so that output is unchanged before the opened port is configured.
    """
    master, slave = os.openpty()
    tty.setraw(slave)
    name = os.ttyname(slave)
    os.close(slave)
    return master, name
