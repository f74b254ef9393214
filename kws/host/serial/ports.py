# SPDX-License-Identifier: Apache-2.0
"""Serial ports: which there are, opening one, and what to say where that fails."""

from __future__ import annotations

import contextlib
import errno
import grp
import os
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import serial
from serial.tools import list_ports as pyserial_ports

from kws.errors import BoardError

BAUD = 115200
"""Rate of the firmware's line; a USB port ignores it."""

FAST_BAUD = 1_000_000
"""Of a board's UART while it sends samples (kUartFastRate)."""

WRITE_SECONDS = 5.0
"""How long a board may take nothing of what it is sent."""

DTR_SECONDS = 0.1
"""How long DTR is off before it comes on again: a capacitor at the reset pin has to discharge."""

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
    """Such as /dev/ttyACM0. A board may get another one each time that it starts."""

    usb: UsbId | None = None
    """None where it is no USB port, or the system does not say."""

    socket: str = ""
    """Where the board is plugged in (bus and hub ports): stays when the board starts anew."""


class PortError(BoardError):
    """A port could not be opened."""

    def __init__(self, text: str, number: int | None) -> None:
        super().__init__(text)
        self.number = number


class PortLostError(BoardError):
    """An open port went away or takes no more data."""


Lister = Callable[[], list[Port]]


def list_ports() -> list[Port]:
    """The serial ports that are there now, by name; ports without a USB device are not listed."""
    present = []
    for info in sorted(pyserial_ports.comports(), key=lambda info: str(info.device)):
        if info.vid is not None:
            # The interface behind the colon may differ between a bootloader and an application.
            socket = (info.location or "").partition(":")[0]
            present.append(Port(info.device, UsbId(info.vid, info.pid), socket))
    return present


class _Serial(serial.Serial):  # type: ignore[misc]
    """pyserial forgets, while it opens a port, what came since: the board's boot line."""

    def _reset_input_buffer(self) -> None:
        pass


class Link:
    """An open serial port; use it in a `with` block."""

    def __init__(self, device: str, baud: int = BAUD) -> None:
        """Open `device`, for this program alone.

        Raises:
            PortError: it cannot be opened; the text says what to do.
        """
        self.device = device
        try:
            self._port = _Serial(
                device, baud, timeout=0, write_timeout=WRITE_SECONDS, exclusive=True
            )
        except (serial.SerialException, OSError, ValueError) as error:
            number = getattr(error, "errno", None)
            raise PortError(f"{device}: {_why(device, number)}", number) from None

    def __enter__(self) -> Link:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, timeout: float) -> bytes:
        """What has come, or comes within `timeout` seconds; empty if nothing does.

        Raises:
            PortLostError: the board was unplugged or restarted.
        """
        try:
            self._port.timeout = timeout
            first = self._port.read(1)
            return first + self._port.read(self._port.in_waiting) if first else b""
        except (serial.SerialException, OSError, TypeError):
            # TypeError: pyserial, when another thread closes the port.
            raise PortLostError(f"{self.device}: the board went away") from None

    def write(self, data: bytes) -> None:
        """Send `data`.

        Raises:
            PortLostError: the board went away, or took nothing for WRITE_SECONDS.
        """
        try:
            self._port.write(data)
        except serial.SerialTimeoutException:
            raise PortLostError(f"{self.device}: the board takes no more data") from None
        except (serial.SerialException, OSError):
            raise PortLostError(f"{self.device}: the board went away") from None

    def drop_input(self) -> None:
        """Forget what has come and was not read."""
        while self.read(0):
            pass

    def set_rate(self, baud: int) -> bool:
        """Go on at another rate; whether the adapter has it."""
        try:
            self._port.baudrate = baud
        except (serial.SerialException, OSError, ValueError, termios.error):
            return False
        return True

    def lower_dtr(self) -> None:
        """Tell the board that nobody listens, while the port is still open."""
        self._set_dtr(on=False)

    def restart(self) -> None:
        """Reset a board behind an adapter: its reset pin feels, through a capacitor, DTR come on.

        So does opening the port.
        """
        self._set_dtr(on=False)
        time.sleep(DTR_SECONDS)
        self._set_dtr(on=True)

    def _set_dtr(self, *, on: bool) -> None:
        with contextlib.suppress(OSError):  # a pseudo-terminal has no such line
            self._port.dtr = on

    def close(self) -> None:
        """Close the port; it is no error if the board was unplugged in the meantime."""
        with contextlib.suppress(serial.SerialException, OSError):
            self._port.close()


def open_soon(device: str, seconds: float, baud: int = BAUD) -> Link:
    """Open a port that has just appeared.

    For a moment it may belong to root alone, until udev has set its rights, or be held by a program
    that looks at every new port, such as ModemManager.

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
    """The first port that is `wanted`, once it is there; None if it does not come in time."""
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


def _why(device: str, number: int | None) -> str:
    """What is wrong with a port that does not open, and what to do."""
    if number == errno.EACCES:
        return (
            f"permission denied; run `sudo usermod -aG {_group(device)} $USER` and log in again, "
            "or add the udev rule in docs/deploy.md"
        )
    if number in _BUSY:
        return (
            "another program has this port open (kws monitor, a terminal, an IDE); close it first"
        )
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return "there is no such port; look at the cable, and at the ports in /dev/serial/by-id"
    reason = os.strerror(number).lower() if number else "it is no serial port"
    return f"cannot be opened as a serial port: {reason}"


def _group(device: str) -> str:
    """The group that may use the port: dialout on Debian, uucp on others."""
    try:
        name = grp.getgrgid(Path(device).stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"
    return "dialout" if name == "root" else name
