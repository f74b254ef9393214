# SPDX-License-Identifier: Apache-2.0
"""`kws deploy`: find the board, write, verify, and watch the firmware start."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kws.errors import BoardError, StoppedError
from kws.host.deploy.image import Image
from kws.host.deploy.loaders import probe
from kws.host.deploy.real_board import Bench, ProtocolError, RealBoard, real_boards
from kws.host.serial import lines, ports
from kws.host.serial.lines import Boot, Event, Fault, LineBuffer, Stats
from kws.host.serial.ports import Link, Port, PortError, PortLostError

# Linux echoes input of a new port until the port is configured, so a board may receive its own boot
# line and report it.
_ECHO = "unknown command"


@dataclass(frozen=True)
class Deployed:
    """Result of a deployment."""

    board: str
    port: str
    """Port of the started application; empty if it has none."""
    size: int
    """Bytes written."""
    verified: bool
    """Whether flash was read back and compared; if not, each block was checked in transit."""
    boot: Boot | None
    """Its boot line; None if it was missed."""


def text(done: Deployed) -> str:
    """The result of a deployment, as a line for the user."""
    size = f"{done.size} bytes written and {'verified' if done.verified else 'checked'}"
    if not done.port:
        return (
            f"{size}; plug in the board's USB cable or serial adapter and run kws monitor to see "
            "it run"
        )
    if done.boot is None:
        return f"{done.port}: {size}; the firmware answers"
    boot = done.boot
    return (
        f"{done.port}: {size}; it runs: kws {boot.version} on {boot.board}, model {boot.model} "
        f"{boot.sha8}, arena {boot.arena_used} of {boot.arena_size} bytes"
    )


def needs_port(board: RealBoard, wanted: str | None, present: list[Port]) -> bool:
    """Whether a port has to be found before the board is written.

    Args:
        board: the kind of board.
        wanted: a port that the user named, or None.
        present: the connected ports.
    """
    return board.needs_port or wanted is not None or any(port.usb in board.usb for port in present)


def find_port(board: RealBoard, wanted: str | None, present: list[Port]) -> Port:
    """The port of the board to write.

    Args:
        board: the kind of board.
        wanted: a port that the user named, or None.
        present: the connected ports.

    Raises:
        BoardError: there is none, or more than one; the message says what to do.
    """
    if wanted is not None:
        real = str(Path(wanted).resolve())
        known = [port for port in present if str(Path(port.device).resolve()) == real]
        if known and _is_other(board, known[0]):
            raise BoardError(f"{wanted}: this is a {known[0].usb}, not the {board.title}")
        if not known and not Path(wanted).exists():
            raise BoardError(f"{wanted}: there is no such port; check the cable")
        return known[0] if known else Port(wanted)
    fitting = [port for port in present if port.usb in board.usb]
    if not fitting:
        raise BoardError(f"no {board.title} was found; {board.find}")
    if len(fitting) > 1:
        names = ", ".join(port.device for port in fitting)
        what = "USB-serial adapters" if board.adapter else "boards of this kind"
        raise BoardError(f"{len(fitting)} {what} were found: choose one with --port, {names}")
    return fitting[0]


def _is_other(board: RealBoard, port: Port) -> bool:
    """Whether a port's USB id rules out this board."""
    if board.adapter:
        return any(port.usb in other.usb for other in real_boards().values() if not other.adapter)
    return port.usb not in board.usb


def name_ports(present: list[Port]) -> list[str]:
    """Ports that may belong to a board, each with the board's title."""
    return [
        f"{port.device}: {'an adapter, possibly of a ' if board.adapter else ''}{board.title}"
        for port in present
        for board in real_boards().values()
        if port.usb in board.usb
    ]


def deploy(board: RealBoard, image: Image, wanted: str | None, bench: Bench) -> Deployed:
    """Write an image to a board through its bootloader and check that it runs.

    Args:
        board: the kind of board.
        image: the image to write.
        wanted: a port that the user named, or None.
        bench: ports, clock and progress callback.

    Raises:
        BoardError: a step failed; the message says what to do.
    """
    before = bench.lister()
    port = find_port(board, wanted, before) if needs_port(board, wanted, before) else Port("")
    try:
        board.program(port, image, bench)
    except (PortLostError, ProtocolError) as error:
        raise BoardError(f"{error}; {board.recover}") from None
    except KeyboardInterrupt:
        raise StoppedError(f"stopped; {board.recover}") from None
    if not port.device:
        return Deployed(board.name, "", len(image.data), board.verifies, boot=None)
    try:
        started, boot = see_it_start(board, port, before, bench)
    except KeyboardInterrupt:
        raise StoppedError("stopped; the firmware is written") from None
    return Deployed(board.name, started.device, len(image.data), board.verifies, boot)


def deploy_by_probe(board: RealBoard, image: Image, wanted: str | None, bench: Bench) -> Deployed:
    """Like `deploy`, but through a debug probe; checks the start only if USB is plugged in.

    Raises:
        ToolError: pyOCD is not installed.
        BoardError: a step failed; the message says what to do.
    """
    before = bench.lister()
    fitting = [port for port in before if port.usb in board.usb]
    port = find_port(board, wanted, before) if fitting or wanted else None
    try:
        probe.program(board, image, bench)
        if port is None:
            return Deployed(board.name, port="", size=len(image.data), verified=True, boot=None)
        if not board.adapter:
            _wait_until_gone(port, bench)
        started, boot = see_it_start(board, port, before, bench)
    except KeyboardInterrupt:
        raise StoppedError("stopped; run kws deploy again") from None
    return Deployed(board.name, started.device, len(image.data), True, boot)


def _wait_until_gone(port: Port, bench: Bench) -> None:
    """Wait until the reset takes the board off the bus; until then its old port is listed."""
    end = bench.clock.monotonic() + bench.timing.gone
    while port in bench.lister() and bench.clock.monotonic() < end:
        bench.clock.sleep(0.02)


def see_it_start(
    board: RealBoard, port: Port, before: list[Port], bench: Bench
) -> tuple[Port, Boot | None]:
    """Wait for a restarted board and its first lines.

    Args:
        board: the kind of board.
        port: its port before the restart.
        before: all ports before the restart.
        bench: ports and clock.

    Returns:
        Its port, and its boot line: None if it was missed but the firmware answers.

    Raises:
        BoardError: it does not appear, is silent, or reports an error.
    """
    names = {p.device for p in before} - {port.device}

    def wanted(candidate: Port) -> bool:
        if candidate.usb not in board.application:
            return False
        if port.socket and candidate.socket:
            return candidate.socket == port.socket
        return candidate.device not in names

    started = port if board.adapter else ports.wait_for(bench.lister, wanted, bench.timing.appear)
    if started is None:
        raise BoardError(
            f"the firmware is written, but the board did not come back within "
            f"{bench.timing.appear:g} s; tap its reset button once and run kws monitor"
        )
    try:
        with bench.open_port(started.device, bench.timing.appear) as link:
            return started, _watch(board, link, bench)
    except PortError as error:
        raise BoardError(f"the firmware is written, but {error}") from None
    except PortLostError:
        raise BoardError(
            f"{started.device}: the firmware is written, but the board disconnected again; "
            "kws monitor shows its output when it starts"
        ) from None


def _watch(board: RealBoard, link: Link, bench: Bench) -> Boot | None:
    """Read a board's output in its first seconds."""
    buffer = LineBuffer()
    boot: Boot | None = None
    alive = asked = False
    start = bench.clock.monotonic()
    end = start + bench.timing.boot
    while (now := bench.clock.monotonic()) < end:
        for line in buffer.feed(link.read(min(0.1, end - now))):
            message = lines.parse_line(line)
            if isinstance(message, Fault) and not message.text.startswith(_ECHO):
                raise BoardError(
                    f"{link.device}: the firmware is written, but reports: {message.text}"
                )
            if isinstance(message, Boot):
                _check_board(board, message, link.device)
                boot = message
            if isinstance(message, Boot | Stats | Event) and not alive:
                # Keep listening: a silent microphone is reported later.
                alive, end = True, bench.clock.monotonic() + bench.timing.settle
        if not asked and not alive and bench.clock.monotonic() > start + bench.timing.boot / 2:
            # The boot line may have come before the port was open.
            link.write(b"stats\n")
            asked = True
    if not alive:
        raise BoardError(
            f"{link.device}: the firmware is written, but printed nothing for "
            f"{bench.timing.boot:g} s; tap reset once and run kws monitor"
        )
    return boot


def _check_board(board: RealBoard, boot: Boot, device: str) -> None:
    if boot.board != board.name:
        raise BoardError(f"{device}: its firmware was built for {boot.board}, not {board.name}")
