# SPDX-License-Identifier: Apache-2.0
"""An open port, on a pseudo-terminal."""

from __future__ import annotations

import errno
import os
import pty
import termios
from collections.abc import Iterator

import pytest
import serial

from kws.host.serial import ports
from kws.host.serial.ports import Link, PortError


@pytest.fixture
def terminal() -> Iterator[int]:
    """The slave's end of a pseudo-terminal."""
    master, slave = pty.openpty()
    yield slave
    os.close(master)
    os.close(slave)


def test_the_rate_can_be_changed(terminal: int) -> None:
    with Link(os.ttyname(terminal)) as link:
        assert termios.tcgetattr(terminal)[5] == termios.B115200
        assert link.set_rate(921600)
        assert termios.tcgetattr(terminal)[5] == termios.B921600


def test_an_unsupported_rate_is_refused(terminal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise termios.error(errno.EINVAL, "Invalid argument")

    with Link(os.ttyname(terminal)) as link:
        monkeypatch.setattr(termios, "tcsetattr", refuse)
        assert not link.set_rate(921600)
        monkeypatch.undo()
        assert link.set_rate(460800)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("PermissionError(13, 'Access is denied.', None, 5)", "another program has this port open"),
        ("FileNotFoundError(2, 'The system cannot find the file', None, 2)", "there is no such"),
        ("OSError(22, 'The parameter is incorrect.', None, 87)", "invalid argument"),
    ],
)
def test_windows_errors_say_what_to_do(
    error: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyserial gives them as text only; no group can be joined there."""

    def fail(*_: object, **__: object) -> None:
        raise serial.SerialException(f"could not open port 'COM3': {error}")

    monkeypatch.setattr(ports, "grp", None)
    monkeypatch.setattr(ports, "_Serial", fail)
    with pytest.raises(PortError, match=f"COM3: .*{reason}"):
        Link("COM3")
