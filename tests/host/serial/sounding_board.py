"""A simulated board on a pseudo-terminal that answers `pcm` with sound, as the firmware does.

It sends as fast as it is read, or in real time. It can lose or damage lines, and be unplugged.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import select
import struct
import time
from collections.abc import Callable

import numpy as np

from kws.audio.pcm import Pcm
from kws.host.serial.ports import UsbId
from tests.host.serial.pty_board import PtyBoard

BOOT_LINE = "kws 0.1.0 on nano33ble, model yes_no 77067a4c, arena 14564 of 14564 bytes"
LINE = 64
HOP = 320
USB = UsbId(0x2341, 0x805A)


def pcm_line(index: int, samples: Pcm) -> str:
    """A line of samples; `index` is the number of the first sample."""
    block = struct.pack("<H", index // LINE % 65536) + samples.astype("<i2").tobytes()
    block += struct.pack("<H", binascii.crc_hqx(block, 0xFFFF))
    return f"pcm {base64.b64encode(block).decode()}\n"


class SoundingBoard(PtyBoard):
    """Sends `pcm` repeatedly; a context manager."""

    def __init__(
        self,
        pcm: Pcm,
        *,
        spoil: Callable[[int, str], str] = lambda _, line: line,
        real_time: bool = True,
        lost: int = 0,
        rate: int = 0,
        refusal: str = "",
    ) -> None:
        """Plug in later, with `plug` or as a context manager.

        Args:
            pcm: the sound to send.
            spoil: changes a line of samples, given the number of its first sample.
            real_time: send no faster than in real time.
            lost: number of dropped samples to report.
            rate: the port's rate while it sends; 0: unchanged.
            refusal: the answer to each command; empty: commands are executed.
        """
        super().__init__()
        self.pcm = pcm
        self.typed: list[str] = []
        self._spoil, self._real_time, self._lost, self._rate = spoil, real_time, lost, rate
        self._refusal = refusal
        self._remaining = self._index = 0
        self._input = b""
        self._start = 0.0

    def plug(self) -> None:
        """Appear on the bus, at a new port."""
        with self._lock:
            self.appear(USB)
            self._remaining, self._input = 0, b""

    def _run(self) -> None:
        while not self._ended.is_set():
            with self._lock, contextlib.suppress(OSError):
                if self._port is not None:
                    self._read()
                    self._send()
            time.sleep(0.002)

    def _read(self) -> None:
        if not select.select([self._master], [], [], 0)[0]:
            return
        self._input += os.read(self._master, 512)
        *lines, self._input = self._input.split(b"\n")
        for line in lines:
            self._obey(line.decode())

    def _obey(self, line: str) -> None:
        self.typed.append(line)
        if self._refusal:
            self._say(f"{self._refusal}\n")
        elif line.startswith("pcm "):
            hops = 50 * int(line.split()[1])
            if hops and not self._remaining:
                self._say(f"pcm: {line.split()[1]} s at {self._rate} bit/s\n{BOOT_LINE}\n")
                self._index = 0
                self._start = time.monotonic() + (0.2 if self._rate else 0)  # for the new rate
            elif self._remaining and not hops:
                self._end()
            self._remaining = hops

    def _send(self) -> None:
        while self._remaining and time.monotonic() >= self._start:
            if self._real_time and time.monotonic() - self._start < (self._index + HOP) / 16000:
                return
            for _ in range(HOP // LINE):
                samples = np.take(self.pcm, range(self._index, self._index + LINE), mode="wrap")
                self._say(self._spoil(self._index, pcm_line(self._index, samples)))
                self._index += LINE
            self._remaining -= 1
            if not self._remaining:
                self._end()

    def _end(self) -> None:
        self._say(f"pcm: {self._index} samples, {self._lost} lost\n")

    def _say(self, text: str) -> None:
        data = text.encode()
        while data:
            select.select([], [self._master], [], 1)
            data = data[os.write(self._master, data) :]
