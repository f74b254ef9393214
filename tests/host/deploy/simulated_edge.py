"""A SparkFun Edge at a USB-serial adapter, which is a pseudo-terminal: its loader and its flash.

`Loader` does what SparkFun's variable loader does with each byte at its time
(kws/host/deploy/svl.py says where that is known from), and notes in `problems` whatever a careful
client would not send. `Board` gives it an adapter, whose DTR line resets it, bytes that take their
time on the wire, and the faults of the field. Time stands still for the loader, and for those who
speak to it, while this machine is too busy to run the loader.
"""

from __future__ import annotations

import os
import select
import struct
import termios
import threading
import time
from dataclasses import dataclass, field

import pytest

from kws.host.deploy import svl
from kws.host.serial import ports
from kws.host.serial.ports import Port, UsbId
from tests.host.deploy.simulated_nano33 import events, raw_pty

ADAPTER = UsbId(0x1A86, 0x7523)
LOADER, ORIGIN, FLASH_SIZE, PAGE, FRAME = 0xC000, 0x10000, 0x100000, 8192, 2048
BOOT_LINE = "kws 0.1.0 on sparkfun_edge, model yes_no 09e5e2a9, arena 5796 of 5800 bytes"
STATS = "stats: 1234 hops, 0 samples lost, 83.2 % idle, arena 5796 bytes, stack 1412 of 8192 bytes"

_NAMES = {1: "VER", 2: "BL", 3: "NEXT", 4: "FRAME", 5: "RETRY", 6: "DONE"}
_RATES = {getattr(termios, f"B{rate}"): rate for rate in (57600, 115200, 230400, 460800, 921600)}
_FLUSH = 0.177  # seconds
_LONGEST_STEP = 0.005  # seconds
_BOOT, _DETECT, _GREET, _LOAD, _APPLICATION = range(5)


def remainder(data: bytes) -> int:
    """The CRC by its definition: what is left of the data, as a polynomial, divided by 0x18005."""
    value = int.from_bytes(data, "big") << 16
    for bit in range(value.bit_length() - 1, 15, -1):
        if value >> bit & 1:
            value ^= 0x18005 << bit - 16
    return value


def packet(command: int, payload: bytes = b"") -> bytes:
    """A packet as the loader sends it."""
    body = bytes([command]) + payload
    return struct.pack(">H", len(body) + 2) + body + struct.pack(">H", remainder(body))


@dataclass
class Loader:
    """The loader's state from a reset on, and the flash it writes."""

    version: int = 6
    starting: float = 0.0
    """Seconds after a reset in which it is deaf; about 0.1 on the board."""
    window: float = 0.6
    """Seconds in which it listens for `U`; 0.2 on the board: this machine may be busy."""
    deaf: bool = False
    """There is no such loader: all that is sent goes to the application."""
    refuses: int = 0
    """How many writes to flash fail."""

    def __post_init__(self) -> None:
        self.flash = bytearray(b"\xb0\x07" * (ORIGIN // 2) + bytes(FLASH_SIZE - ORIGIN))
        self.problems: list[str] = []
        self.packets: list[str] = []
        """Names of what came, `bad` for what had a wrong CRC or was cut off."""
        self.starts = 0
        """How often it started the application."""
        self.reset(0)

    @property
    def running(self) -> bool:
        """Whether the application runs."""
        return self._state == _APPLICATION

    def reset(self, now: float) -> None:
        """The reset pin, or power."""
        self._state = _BOOT if self.starting else _DETECT
        self._buffer = b""
        self._since = now
        self._need = 2
        self._flush: float | None = None
        self._rate = 0
        self._address = ORIGIN
        self._erased = 0

    def step(self, now: float, data: bytes, speed: int) -> bytes:
        """Time goes on and bytes come; gives what it sends.

        Args:
            now: in seconds.
            data: what came since the last step.
            speed: of the port, as termios has it.
        """
        if self._state == _BOOT and now >= self._since + self.starting:
            self._state, self._since = _DETECT, now
            if data:
                return b""  # it was deaf when they came
        if self._state == _DETECT:
            return self._detect(now, data, speed)
        if self._state in (_GREET, _LOAD):
            if data and speed != self._rate:
                self.problems.append("the rate was changed")
            self._buffer = (self._buffer + data)[: 2048 + 512 - 1]
            return self._listen(now)
        return b""

    def _detect(self, now: float, data: bytes, speed: int) -> bytes:
        if data and not self.deaf:
            if data[:1] != b"U" or speed not in _RATES:
                self._start()
                return b""
            self.packets.append("U")
            self._state, self._since, self._rate = _GREET, now, speed
            self._buffer = data[1:]
            return packet(1, bytes([self.version]))
        if now >= self._since + self.window:
            self._start()
        return b""

    def _listen(self, now: float) -> bytes:
        """Its wait for a packet: for the length, then for the rest, half a second each."""
        if self._flush is not None:
            if now < self._flush:
                return b""
            self._flush, self._buffer = None, b""
            return self._ask(now, 5)
        while len(self._buffer) >= self._need:
            if self._need > 2:
                return self._take(now)
            length = struct.unpack(">H", self._buffer[:2])[0]
            if not 3 <= length <= FRAME + 3:
                return self._bad(now)
            self._need, self._since = 2 + length, now
        if now >= self._since + 0.5:
            if self._buffer or self._state == _GREET:
                return self._bad(now)
            self._flush = now + _FLUSH
        return b""

    def _take(self, now: float) -> bytes:
        whole, self._buffer = self._buffer[: self._need], self._buffer[self._need :]
        body = whole[2:-2]
        if remainder(body) != struct.unpack(">H", whole[-2:])[0]:
            return self._bad(now)
        self.packets.append(_NAMES.get(body[0], "?"))
        if self._buffer:
            self.problems.append("something was sent before it was asked for")
        if self._state == _GREET:
            if body != b"\x02":
                self.problems.append("no BL after the version")
                self._start()
                return b""
            self._state = _LOAD
            return self._ask(now, 3)
        if body == b"\x06":
            if self._address == ORIGIN:
                self.problems.append("done before there was a frame")
            self.reset(now)
            return b""
        if body[0] != 4:
            self.problems.append(f"command {body[0]} while it loads")
            return self._ask(now, 5)
        return self._ask(now, 3 if self._write(body[1:]) else 5)

    def _write(self, data: bytes) -> bool:
        if not data or len(data) % 4:
            self.problems.append(f"a frame of {len(data)} bytes")
            return False
        end = self._address + len(data)
        if end > FLASH_SIZE:
            self.problems.append("a frame behind the end of flash")
            return False
        page = self._address // PAGE
        if page > self._erased and (self.version >= 6 or self._address < FLASH_SIZE // 2):
            self._erased = page
            self.flash[page * PAGE : (page + 1) * PAGE] = b"\xff" * PAGE
        if self.refuses:
            self.refuses -= 1
            return False
        old = self.flash[self._address : end]
        self.flash[self._address : end] = bytes(a & b for a, b in zip(old, data, strict=True))
        self._address = end
        return True

    def _ask(self, now: float, command: int) -> bytes:
        self._need, self._since = 2, now
        return packet(command)

    def _bad(self, now: float) -> bytes:
        """It starts the application, or throws away what comes for a while and asks again."""
        self.packets.append("bad")
        if self._state == _GREET:
            self._start()
        else:
            self._flush = now + _FLUSH
        return b""

    def _start(self) -> None:
        """It looks at nothing: whatever is in flash is started."""
        self._state = _APPLICATION
        self.starts += 1


@dataclass
class Faults:
    """What goes wrong; packets that reach the loader (`U` too) are counted from 1."""

    unplug_at: int | None = None
    """The adapter leaves when this packet is complete, without an answer."""
    silent_from: int | None = None
    """No answer to this packet and all later ones."""
    swallow_at: int | None = None
    """The answer to this packet is lost."""
    garble_at: int | None = None
    """A wrong answer to this packet."""
    lose_at: int | None = None
    """Seven bytes of what follows this packet are lost."""
    damage_at: int | None = None
    """A bit of what follows this packet is turned."""
    deaf_from: int | None = None
    """The adapter takes nothing more after this packet."""
    pulse: bool = False
    """A stray byte goes before the loader's first answer."""
    no_dtr: bool = False
    """The adapter's DTR is not connected, so nothing resets the board."""


@dataclass
class Board:
    """The board and its adapter; the port stays as long as the adapter is plugged in."""

    faults: Faults = field(default_factory=Faults)
    lines: list[str] = field(default_factory=lambda: [BOOT_LINE])
    """What the application says when it starts."""
    answers: bool = True
    """Whether the application knows `stats`."""
    usb: UsbId | None = ADAPTER
    socket: str = "1-2"
    loader: Loader = field(default_factory=Loader)

    def __post_init__(self) -> None:
        self.typed = b""
        self.resets = 0
        self._open = self._dtr = False
        self._lost = self._damaged = 0
        self.clock = 0.0
        self._wire = 0.0
        self._lock = threading.RLock()
        self._master = -1
        self._port: Port | None = None
        self._spoken = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Board:
        self.replug()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(5)
        self.unplug()

    @property
    def device(self) -> str:
        """The adapter's port."""
        with self._lock:
            return self._port.device if self._port else ""

    def lister(self) -> list[Port]:
        """In place of `kws.host.serial.ports.list_ports`."""
        with self._lock:
            return [self._port] if self._port else []

    def replug(self) -> None:
        """Put the adapter's cable in: the board has power again."""
        master, name = raw_pty()
        os.set_blocking(master, False)
        with self._lock:
            self._master, self._port = master, Port(name, self.usb, self.socket)
            self._open = self._dtr = False
            self.loader.reset(self.clock)

    def unplug(self) -> None:
        """Pull the adapter's cable."""
        with self._lock:
            if self._port is not None:
                os.close(self._master)
            self._port = None

    def set_dtr(self, *, on: bool) -> None:
        """The adapter's DTR line: the reset pin feels it come on."""
        with self._lock:
            rises, self._dtr = on and not self._dtr, on
            if rises and not self.faults.no_dtr:
                self.resets += 1
                self.loader.reset(self.clock)

    def set_open(self, *, is_open: bool) -> None:
        """Linux raises DTR where a port is opened, and drops it where it is closed."""
        with self._lock:
            if is_open != self._open:
                self._open = is_open
                self.set_dtr(on=is_open)

    def _run(self) -> None:
        last = time.monotonic()
        while not self._ended.is_set():
            with self._lock:
                port, master = self._port, self._master
            found = events(master, 1) if port else 0
            now = time.monotonic()
            passed, last = min(now - last, _LONGEST_STEP), now
            with self._lock:
                self.clock += passed
                if port is not None and self._port is port:
                    self._step(master, found, passed)
            time.sleep(0.001)

    def _step(self, master: int, found: int, passed: float) -> None:
        self.set_open(is_open=not found & select.POLLHUP)
        speed = termios.tcgetattr(master)[4]
        self._wire = min(self._wire + passed * _RATES.get(speed, 9600) / 10, 64)
        data = b""
        count = int(self._wire)  # bytes that have had their time
        if found & select.POLLIN and count and not self._passed(self.faults.deaf_from):
            data = os.read(master, count)
            self._wire -= len(data)
        for byte in [bytes([value]) for value in data] or [b""]:
            self._byte(master, byte, speed)
            if self._port is None:
                return
        self._speak(master)

    def _byte(self, master: int, byte: bytes, speed: int) -> None:
        """Byte by byte, so that a fault hits the packet it is meant for."""
        if byte and self._lost:
            self._lost -= 1
            return
        if byte and self._damaged:
            self._damaged -= 1
            byte = bytes([byte[0] ^ 0x10]) if self._damaged == 0 else byte
        if byte and self.loader.running:
            self.typed += byte
        count = len(self.loader.packets)
        answer = self.loader.step(self.clock, byte, speed)
        came = len(self.loader.packets) > count
        if came and self._passed(self.faults.unplug_at):
            self.faults.unplug_at = None
            self.unplug()
            return
        if came and self._passed(self.faults.lose_at):
            self.faults.lose_at, self._lost = None, 7
        if came and self._passed(self.faults.damage_at):
            self.faults.damage_at, self._damaged = None, 100
        if answer and self._passed(self.faults.garble_at):
            self.faults.garble_at = None
            answer = answer[:-1] + bytes([answer[-1] ^ 0x04])
        if answer and self.faults.pulse and self.loader.packets[-1:] == ["U"]:
            answer = b"\xfc" + answer
        if answer and came and self._passed(self.faults.swallow_at):
            self.faults.swallow_at = None
            answer = b""
        if answer and not self._passed(self.faults.silent_from):
            os.write(master, answer)

    def _speak(self, master: int) -> None:
        """The application: its first lines, once each start, to whoever has the port open."""
        lines: list[str] = []
        if self.loader.starts > self._spoken:
            self._spoken = self.loader.starts
            lines += self.lines
        if self.answers and b"stats\n" in self.typed:
            self.typed = self.typed.replace(b"stats\n", b"", 1)
            lines.append(STATS)
        if lines and self._open:
            os.write(master, "".join(line + "\r\n" for line in lines).encode())

    def _passed(self, packet: int | None) -> bool:
        return packet is not None and len(self.loader.packets) >= packet


class BoardTime:
    """In place of the module `time` for those who speak to boards: the boards' clock."""

    def __init__(self, *boards: Board) -> None:
        self._boards = boards

    def monotonic(self) -> float:
        """Seconds; it stands still while the boards do."""
        return min(board.clock for board in self._boards)

    def sleep(self, seconds: float) -> None:
        """Wait until so much time has passed for each board."""
        end = self.monotonic() + seconds
        while self.monotonic() < end:
            time.sleep(0.001)


def connect(monkeypatch: pytest.MonkeyPatch, *boards: Board) -> None:
    """Give pseudo-terminals what serial ports have, the DTR line, and `svl` the boards' time."""

    def board_of(device: str) -> Board | None:
        return next((board for board in boards if board.device == device), None)

    class Serial(ports._Serial):
        def _update_dtr_state(self) -> None:
            if board := board_of(self.port):
                board.set_open(is_open=True)
                board.set_dtr(on=self._dtr_state)

        def close(self) -> None:
            super().close()
            if board := board_of(self.port):
                board.set_open(is_open=False)

    monkeypatch.setattr(ports, "_Serial", Serial)
    monkeypatch.setattr(svl, "time", BoardTime(*boards))
