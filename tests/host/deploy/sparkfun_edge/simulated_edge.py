# SPDX-License-Identifier: Apache-2.0
"""A SparkFun Edge at a USB-serial adapter, simulated: its loader, its flash, the bytes' way.

`Board` gives the loader an adapter, whose DTR line resets it, bytes that take their time on the
wire, and the faults of the field. Time is simulated too: it passes only while somebody waits for
the board, in steps of a millisecond. So every run is the same, however busy this machine is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from kws.host.deploy.real_board import Bench, Timing
from kws.host.serial.ports import BAUD, DTR_SECONDS, Link, Port, PortError, PortLostError, UsbId
from tests.host.deploy import programs
from tests.host.deploy.programs import STATS, boot_line

ADAPTER = UsbId(0x1A86, 0x7523)
BOOT_LINE = boot_line("sparkfun_edge")

_STEP = 0.001  # seconds


class Clock:
    """Simulated time for boards, and for those who wait for them."""

    def __init__(self) -> None:
        self.boards: list[AnyBoard] = []
        self._now = 0.0

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self._now

    def sleep(self, seconds: float, /) -> None:
        """Let time pass for the boards."""
        end = self._now + seconds
        while self._now < end:
            self.step()

    def step(self) -> None:
        """One millisecond passes."""
        self._now += _STEP
        for board in self.boards:
            board.step()


@dataclass
class Faults(programs.Faults):
    """What else goes wrong; `U` is a packet too."""

    swallow_at: int | None = None
    """The answer to this packet is lost."""
    lose_count: int = 7
    """How many bytes `lose_at` loses."""
    lose_after: int = 0
    """Bytes that get through before those."""
    damage_at: int | None = None
    """A bit of what follows this packet is turned."""
    damage_after: int = 100
    """In this byte of it, from 1."""
    pulse: bool = False
    """A stray byte goes before the loader's first answer."""
    no_dtr: bool = False
    """The adapter's DTR is not connected, so nothing resets the board but its button."""
    presses: list[float] = field(default_factory=list)
    """When the user presses the reset button, in seconds."""
    noisy_above: int | None = None
    """At a higher rate than this, one byte of 1,000 arrives damaged."""


@dataclass
class AnyLoader(ABC):
    """A simulated bootloader: its state from a reset on, and the flash it writes."""

    starting: float
    """Seconds after a reset in which it is deaf."""
    window: float
    """Seconds in which it waits for the first message."""
    flash: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.problems: list[str] = []
        """Anything that a careful client would not send."""
        self.packets: list[str] = []
        """Names of what came, `bad` for what was damaged or cut off."""
        self.starts = 0
        """How often it started the application."""
        self.running = False
        """Whether the application runs."""
        self.reset(0)

    def start(self) -> None:
        """Run the application, whatever is in flash."""
        self.running = True
        self.starts += 1

    @abstractmethod
    def reset(self, now: float) -> None:
        """The reset pin, or power."""

    @abstractmethod
    def step(self, now: float, data: bytes, speed: int) -> bytes:
        """Advance the time and receive bytes; returns the answer.

        Args:
            now: in seconds.
            data: what came since the last step.
            speed: of the port, in bits per second.
        """


LoaderT = TypeVar("LoaderT", bound=AnyLoader)


@dataclass
class BoardWith(Generic[LoaderT]):
    """The board and its adapter; the port stays as long as the adapter is plugged in."""

    loader: LoaderT
    faults: Faults = field(default_factory=Faults)
    lines: list[str] = field(default_factory=lambda: [BOOT_LINE])
    """What the application says when it starts."""
    answers: bool = True
    """Whether the application knows `stats`."""
    usb: UsbId | None = ADAPTER
    fastest: int = 921600
    """Highest rate of the adapter, in bits per second."""
    socket: str = "1-2"
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.clock.boards.append(self)
        self.resets = 0
        self.sent = b""
        """Bytes from the computer that are still on the wire."""
        self.arrived = b""
        """Bytes from the board that the computer has not read."""
        self.rate = BAUD
        self.port: Port | None = None
        self._replugged = 0
        self._typed = b""
        self._open = self._dtr = False
        self._lost = self._damaged = self._count = 0
        self._wire = 0.0
        self._spoken = 0
        self.replug()

    @property
    def device(self) -> str:
        """The adapter's port."""
        return self.port.device if self.port else ""

    def lister(self) -> list[Port]:
        """Replaces `kws.host.serial.ports.list_ports`."""
        return [self.port] if self.port else []

    def open_port(self, device: str, seconds: float, baud: int = BAUD) -> Link:
        """Replaces `kws.host.serial.ports.open_soon`."""
        if device != self.device:
            raise PortError(f"{device}: there is no such port", None)
        return SimulatedLink(self, baud)

    def replug(self) -> None:
        """Put the adapter's cable in: the board has power again."""
        self._replugged += 1
        self.port = Port(f"/dev/simulated-{self.socket}-{self._replugged}", self.usb, self.socket)
        self._open = self._dtr = False
        self.sent = self.arrived = b""
        self.loader.reset(self.clock.monotonic())

    def unplug(self) -> None:
        """Pull the adapter's cable."""
        self.port = None

    def set_dtr(self, *, on: bool) -> None:
        """The adapter's DTR line: the reset pin feels it come on."""
        rises, self._dtr = on and not self._dtr, on
        if rises and not self.faults.no_dtr:
            self.resets += 1
            self.loader.reset(self.clock.monotonic())

    def set_open(self, *, is_open: bool) -> None:
        """Linux raises DTR when a port is opened, and drops it when it is closed."""
        self._open = is_open
        self.set_dtr(on=is_open)

    def is_deaf(self) -> bool:
        """Whether the adapter takes nothing more."""
        return self._passed(self.faults.deaf_from)

    def step(self) -> None:
        """A millisecond passes: bytes that have had their time on the wire arrive."""
        if self.port is None:
            return
        presses = self.faults.presses
        if presses and self.clock.monotonic() >= presses[0]:
            presses.pop(0)
            self.loader.reset(self.clock.monotonic())
        self._wire = self._wire + _STEP * self.rate / 10 if self.sent else 0.0
        data = self.sent[: int(self._wire)]
        self.sent = self.sent[len(data) :]
        self._wire -= len(data)
        for byte in [bytes([value]) for value in data] or [b""]:
            self._byte(byte)
            if self.port is None:
                return
        self._speak()

    def _byte(self, byte: bytes) -> None:
        """Byte by byte, so that a fault hits the packet it is meant for."""
        if byte and self._lost:
            self._lost -= 1
            if self._lost < self.faults.lose_count:
                return
        if byte and self._damaged:
            self._damaged -= 1
            byte = bytes([byte[0] ^ 0x10]) if self._damaged == 0 else byte
        self._count += len(byte)
        if byte and self._is_noisy() and self._count % 1000 == 0:
            byte = bytes([byte[0] ^ 0x10])
        if byte and self.loader.running and self.rate == BAUD:
            self._typed += byte
        count = len(self.loader.packets)
        answer = self.loader.step(self.clock.monotonic(), byte, self.rate)
        came = len(self.loader.packets) > count
        if came and self._passed(self.faults.unplug_at):
            self.faults.unplug_at = None
            self.unplug()
            return
        if came and self._passed(self.faults.lose_at):
            self.faults.lose_at = None
            self._lost = self.faults.lose_count + self.faults.lose_after
        if came and self._passed(self.faults.damage_at):
            self.faults.damage_at, self._damaged = None, self.faults.damage_after
        if answer and self._passed(self.faults.garble_at):
            self.faults.garble_at = None
            answer = answer[:-1] + bytes([answer[-1] ^ 0x04])
        if answer and self.faults.pulse and self.loader.packets[-1:] == ["U"]:
            answer = b"\xfc" + answer
        if answer and came and self._passed(self.faults.swallow_at):
            self.faults.swallow_at = None
            answer = b""
        if answer and not self._passed(self.faults.silent_from):
            self.arrived += answer

    def _speak(self) -> None:
        """The application: its first lines, once each start, to whoever has the port open."""
        lines: list[str] = []
        if self.loader.starts > self._spoken:
            self._spoken = self.loader.starts
            lines += self.lines
        if self.answers and b"stats\n" in self._typed:
            self._typed = self._typed.replace(b"stats\n", b"", 1)
            lines.append(STATS)
        if lines and self._open:
            said = "".join(line + "\r\n" for line in lines).encode()
            self.arrived += said if self.rate == BAUD else bytes(byte | 0x80 for byte in said)

    def _is_noisy(self) -> bool:
        limit = self.faults.noisy_above
        return limit is not None and self.rate > limit

    def _passed(self, packet: int | None) -> bool:
        return packet is not None and len(self.loader.packets) >= packet


AnyBoard = BoardWith[Any]


class SimulatedLink(Link):
    """An open port of a simulated adapter."""

    def __init__(self, board: AnyBoard, baud: int) -> None:
        assert board.port is not None
        self.device = board.device
        self._board = board
        self._plugged = board.port
        board.rate = baud
        board.arrived = b""
        board.set_open(is_open=True)

    def read(self, timeout: float) -> bytes:
        """As `Link.read`, in simulated time."""
        clock = self._board.clock
        end = clock.monotonic() + timeout
        while True:
            self._check()
            if self._board.arrived:
                data, self._board.arrived = self._board.arrived, b""
                return data
            if timeout > 0:
                clock.step()
            if clock.monotonic() >= end and not self._board.arrived:
                return b""

    def write(self, data: bytes) -> None:
        """As `Link.write`."""
        self._check()
        if self._board.is_deaf():
            raise PortLostError(f"{self.device}: the board accepts no more data")
        self._board.sent += data

    def set_rate(self, baud: int) -> bool:
        """As `Link.set_rate`."""
        if baud > self._board.fastest:
            return False
        self._board.rate = baud
        return True

    def restart(self) -> None:
        """As `Link.restart`."""
        self._board.set_dtr(on=False)
        self._board.clock.sleep(DTR_SECONDS)
        self._board.set_dtr(on=True)

    def close(self) -> None:
        """As `Link.close`."""
        if self._board.port is self._plugged:
            self._board.set_open(is_open=False)

    def _check(self) -> None:
        if self._board.port is not self._plugged:
            raise PortLostError(f"{self.device}: the board disconnected")


QUICK = Timing(answer=3, appear=3, boot=4, settle=0.1)


def bench_of(*boards: AnyBoard, advance: Callable[[int], None] = lambda _: None) -> Bench:
    """A computer that some boards, which share a clock, are plugged into."""

    def open_port(device: str, seconds: float) -> Link:
        plugged = next((board for board in boards if board.device == device), boards[0])
        return plugged.open_port(device, seconds)

    def lister() -> list[Port]:
        return [port for board in boards for port in board.lister()]

    return Bench(lister, QUICK, advance, open_port, boards[0].clock)
