# SPDX-License-Identifier: Apache-2.0
"""Lists and opens serial ports, with advice if that fails."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import serial
from serial.tools import list_ports as pyserial_ports

from kws.errors import BoardError
from kws.host.serial.browser_serial import BrowserSerial, is_browser_port, list_browser_ports

try:
    import grp
    import termios
except ImportError:  # Windows
    grp = termios = None  # type: ignore[assignment]

BAUD = 115200
"""Rate of the firmware's line; a USB port ignores it."""

FAST_BAUD = 1_000_000
"""Rate of a board's UART while it sends samples (kUartFastRate)."""

WRITE_SECONDS = 5.0
"""Timeout of a write that the board does not accept."""

DTR_SECONDS = 0.1
"""Time for which DTR is off: a capacitor at the reset pin has to discharge."""

_TERMINAL_ERRORS = () if termios is None else (termios.error,)
_BUSY = (errno.EBUSY, errno.EAGAIN)
_NOT_YET = (errno.EACCES, errno.ENOENT, errno.ENODEV, errno.EIO, *_BUSY)


@dataclass(frozen=True)
class UsbId:
    """Vendor and product of a USB device."""

    vendor: int
    product: int

    def __str__(self) -> str:
        return f"{self.vendor:04x}:{self.product:04x}"


@dataclass(frozen=True)
class Port:
    """A serial port of this machine."""

    device: str
    """Such as /dev/ttyACM0. It may change each time the board starts."""
    usb: UsbId | None = None
    """None if it is not a USB port, or unknown."""
    socket: str = ""
    """The USB socket (bus and hub ports); stays the same when the board restarts."""


class PortError(BoardError):
    """A port could not be opened."""

    def __init__(self, text: str, number: int | None) -> None:
        super().__init__(text)
        self.number = number


class PortLostError(BoardError):
    """An open port disconnected or accepts no more data."""


Lister = Callable[[], list[Port]]


def list_ports() -> list[Port]:
    """The serial ports of USB devices, sorted by name."""
    present = []
    for info in sorted(pyserial_ports.comports(), key=lambda info: str(info.device)):
        if info.vid is not None:
            # The interface after the colon may differ between a bootloader and an application.
            socket = (info.location or "").partition(":")[0]
            present.append(Port(info.device, UsbId(info.vid, info.pid), socket))
    return present


def choose(port: str | None) -> tuple[Lister, str | None]:
    """The ports among which `--port` chooses, and the name of the chosen one; None finds it.

    They are this machine's, or a browser's if the name is that of a studio's file.
    """
    if port is None or not is_browser_port(port):
        return list_ports, port
    file, mark, _ = port.partition("#")
    return partial(_of_browser, file), port if mark else None


def _of_browser(file: str) -> list[Port]:
    return [
        Port(it.device, UsbId(it.vendor, it.product) if it.vendor else None)
        for it in list_browser_ports(file)
    ]


class _Serial(serial.Serial):  # type: ignore[misc]
    """Keeps the boot line: pyserial discards input that arrives while it opens a port."""

    def _reset_input_buffer(self) -> None:
        pass


class Link:
    """An open serial port; use it in a `with` block."""

    def __init__(self, device: str, baud: int = BAUD) -> None:
        """Open `device` exclusively.

        Raises:
            PortError: it cannot be opened; the message says what to do.
        """
        self.device = device
        try:
            self._port = (
                BrowserSerial(device, baud)
                if is_browser_port(device)
                else _Serial(device, baud, timeout=0, write_timeout=WRITE_SECONDS, exclusive=True)
            )
        except (serial.SerialException, OSError, ValueError) as error:
            number = getattr(error, "errno", None) or _number_in(str(error))
            raise PortError(f"{device}: {_why(device, number)}", number) from None

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, timeout: float) -> bytes:
        """Available input, waiting for it up to `timeout` seconds; empty after the timeout.

        Raises:
            PortLostError: the board was unplugged or restarted.
        """
        try:
            self._port.timeout = timeout
            first = self._port.read(1)
            return first + self._port.read(self._port.in_waiting) if first else b""
        except (serial.SerialException, OSError, TypeError):
            # TypeError: from pyserial if another thread closes the port.
            raise PortLostError(f"{self.device}: the board disconnected") from None

    def write(self, data: bytes) -> None:
        """Send `data`.

        Raises:
            PortLostError: the board disconnected, or accepted nothing for WRITE_SECONDS.
        """
        try:
            self._port.write(data)
        except serial.SerialTimeoutException:
            raise PortLostError(f"{self.device}: the board accepts no more data") from None
        except (serial.SerialException, OSError):
            raise PortLostError(f"{self.device}: the board disconnected") from None

    def drop_input(self) -> None:
        """Discard unread input."""
        while self.read(0):
            pass

    def set_rate(self, baud: int) -> bool:
        """Change the rate; returns whether the adapter supports it."""
        try:
            self._port.baudrate = baud
        except (serial.SerialException, OSError, ValueError, *_TERMINAL_ERRORS):
            return False
        return True

    def lower_dtr(self) -> None:
        """Tell the board that no reader is connected, while the port is still open."""
        self._set_dtr(on=False)

    def restart(self) -> None:
        """Reset a board at an adapter by raising DTR, which is coupled to the reset pin.

        Opening the port does the same.
        """
        self._set_dtr(on=False)
        time.sleep(DTR_SECONDS)
        self._set_dtr(on=True)

    def _set_dtr(self, *, on: bool) -> None:
        with contextlib.suppress(OSError):  # a pseudo-terminal has no such line
            self._port.dtr = on

    def close(self) -> None:
        """Close the port, even if the board was unplugged."""
        with contextlib.suppress(serial.SerialException, OSError):
            self._port.close()


def open_soon(device: str, seconds: float, baud: int = BAUD) -> Link:
    """Open a port that has just appeared.

    At first, only root may be allowed to open it, until udev has set its rights, or a program that
    probes new ports, such as ModemManager, may hold it.

    Raises:
        PortError: it could not be opened for `seconds`.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            return Link(device, baud)
        except PortError as error:
            if error.number not in _NOT_YET or time.monotonic() > end:
                raise
        time.sleep(0.05)


def wait_for(
    lister: Lister, wanted: Callable[[Port], bool], seconds: float, pause: float = 0.05
) -> Port | None:
    """Wait for a port that is `wanted`; None after the timeout."""
    end = time.monotonic() + seconds
    while True:
        for port in lister():
            if wanted(port):
                return port
        if time.monotonic() > end:
            return None
        time.sleep(pause)


def touch(device: str) -> None:
    """Open and close a port at 1200 bps: boards with Arduino's USB ids start their bootloader.

    Raises:
        PortError: it cannot be opened.
    """
    with Link(device, 1200) as link:
        link.lower_dtr()


_OF_BROWSER = {
    errno.EBUSY: "another command uses this board; stop it first",
    errno.ENOENT: "the browser has no such port; choose the board again on the page",
    errno.EIO: "the browser cannot open it; close other programs that use it",
}
"""Why a browser's port cannot be opened."""


def _why(device: str, number: int | None) -> str:
    """Why a port cannot be opened, and what to do."""
    if is_browser_port(device):
        return _OF_BROWSER.get(number or 0, _OF_BROWSER[errno.EIO])
    if number == errno.EACCES and grp is not None:
        return (
            f"permission denied; run `sudo usermod -aG {_group(device)} $USER` and log in again, "
            "or add the udev rule in docs/deploy.md"
        )
    if number in (*_BUSY, errno.EACCES):  # Windows denies access to a port in use
        return (
            "another program has this port open (kws monitor, a terminal, an IDE); close it first"
        )
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        ports = ", and the ports in /dev/serial/by-id" if sys.platform == "linux" else ""
        return f"there is no such port; check the cable{ports}"
    reason = os.strerror(number).lower() if number else "it is not a serial port"
    return f"cannot be opened as a serial port: {reason}"


def _number_in(text: str) -> int | None:
    """The error number in pyserial's message on Windows, such as "PermissionError(13, ...)"."""
    found = re.search(r"Error\((\d+),", text)
    return int(found[1]) if found else None


def _group(device: str) -> str:
    """The group that may use the port: dialout on Debian, uucp on others."""
    try:
        name = grp.getgrgid(Path(device).stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"
    return "dialout" if name == "root" else name
