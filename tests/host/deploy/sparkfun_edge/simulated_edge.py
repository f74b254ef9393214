# SPDX-License-Identifier: Apache-2.0
"""A simulated SparkFun Edge on a USB-serial adapter: its loader, its flash, the serial line.

`Board` connects the loader to an adapter whose DTR line resets the board, and simulates faults and
the bytes' time on the wire. Simulated time advances in steps of a millisecond, only while the host
waits for the board, so every run is the same even on a busy machine.
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
    """Simulated time for boards and for the host."""

    def __init__(self) -> None:
        self.boards: list[AnyBoard] = []
        self._now = 0.0

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self._now

    def sleep(self, seconds: float, /) -> None:
        """Advance the boards' clocks."""
        end = self._now + seconds
        while self._now < end:
            self.step()

    def step(self) -> None:
        """Advance the time by a millisecond."""
        self._now += _STEP
        for board in self.boards:
            board.step()


@dataclass
class Faults(programs.Faults):
    """More faults; `U` is a packet too."""

    swallow_at: int | None = None
    """The answer to this packet is lost."""
    lose_count: int = 7
    """Number of bytes lost at `lose_at`."""
    lose_after: int = 0
    """Bytes that arrive before the lost ones."""
    damage_at: int | None = None
    """A bit is flipped after this packet."""
    damage_after: int = 100
    """The byte with the flipped bit, counted from 1."""
    pulse: bool = False
    """A stray byte precedes the loader's first answer."""
    no_dtr: bool = False
    """The adapter's DTR is not connected, so only the button resets the board."""
    presses: list[float] = field(default_factory=list)
    """Times at which the user presses the reset button, in seconds."""
    noisy_above: int | None = None
    """Above this rate, one byte in 1,000 is damaged."""


@dataclass
class AnyLoader(ABC):
    """A simulated bootloader: its state since a reset, and the flash."""

    starting: float
    """Seconds after a reset during which the loader receives nothing."""
    window: float
    """Seconds during which the loader waits for the first message."""
    flash: bytearray = field(init=False)

    def __post_init__(self) -> None:
        self.problems: list[str] = []
        """Everything that a careful client would not send."""
        self.packets: list[str] = []
        """Names of received messages, `bad` for damaged or incomplete ones."""
        self.starts = 0
        """Number of starts of the application."""
        self.running = False
        """Whether the application runs."""
        self.reset(0)

    def start(self) -> None:
        """Start the program in flash, unchecked."""
        self.running = True
        self.starts += 1

    @abstractmethod
    def reset(self, now: float) -> None:
        """Reset by pin or power."""

    @abstractmethod
    def step(self, now: float, data: bytes, speed: int) -> bytes:
        """Advance the time and receive bytes; return the answer.

        Args:
            now: time in seconds.
            data: bytes received since the last step.
            speed: the port's rate in bits per second.
        """


LoaderT = TypeVar("LoaderT", bound=AnyLoader)


@dataclass
class BoardWith(Generic[LoaderT]):
    """The board and its adapter. The port exists while the adapter is plugged in."""

    loader: LoaderT
    faults: Faults = field(default_factory=Faults)
    lines: list[str] = field(default_factory=lambda: [BOOT_LINE])
    """The application's output when it starts."""
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
        """Plug in the adapter, which powers the board."""
        self._replugged += 1
        self.port = Port(f"/dev/simulated-{self.socket}-{self._replugged}", self.usb, self.socket)
        self._open = self._dtr = False
        self.sent = self.arrived = b""
        self.loader.reset(self.clock.monotonic())

    def unplug(self) -> None:
        """Unplug the adapter."""
        self.port = None

    def set_dtr(self, *, on: bool) -> None:
        """Set the adapter's DTR line; its rising edge resets the board."""
        rises, self._dtr = on and not self._dtr, on
        if rises and not self.faults.no_dtr:
            self.resets += 1
            self.loader.reset(self.clock.monotonic())

    def set_open(self, *, is_open: bool) -> None:
        """Linux raises DTR when a port is opened, and drops it when it is closed."""
        self._open = is_open
        self.set_dtr(on=is_open)

    def is_deaf(self) -> bool:
        """Whether the adapter accepts no more data."""
        return self._passed(self.faults.deaf_from)

    def step(self) -> None:
        """Advance by a millisecond; bytes arrive when their time on the wire is over."""
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
        """Handle each byte, so that a fault affects the right packet."""
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
        """The application writes its first lines, once per start, if the port is open."""
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
        """Like `Link.read`, in simulated time."""
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
        """Like `Link.write`."""
        self._check()
        if self._board.is_deaf():
            raise PortLostError(f"{self.device}: the board accepts no more data")
        self._board.sent += data

    def set_rate(self, baud: int) -> bool:
        """Like `Link.set_rate`."""
        if baud > self._board.fastest:
            return False
        self._board.rate = baud
        return True

    def restart(self) -> None:
        """Like `Link.restart`."""
        self._board.set_dtr(on=False)
        self._board.clock.sleep(DTR_SECONDS)
        self._board.set_dtr(on=True)

    def close(self) -> None:
        """Like `Link.close`."""
        if self._board.port is self._plugged:
            self._board.set_open(is_open=False)

    def _check(self) -> None:
        if self._board.port is not self._plugged:
            raise PortLostError(f"{self.device}: the board disconnected")


QUICK = Timing(answer=3, appear=3, boot=4, settle=0.1)


def bench_of(*boards: AnyBoard, advance: Callable[[int], None] = lambda _: None) -> Bench:
    """A computer with boards that share a clock."""

    def open_port(device: str, seconds: float) -> Link:
        plugged = next((board for board in boards if board.device == device), boards[0])
        return plugged.open_port(device, seconds)

    def lister() -> list[Port]:
        return [port for board in boards for port in board.lister()]

    return Bench(lister, QUICK, advance, open_port, boards[0].clock)
