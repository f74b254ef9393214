# SPDX-License-Identifier: Apache-2.0
"""Runs firmware in QEMU's mps2-an386, with a recording in its memory as the microphone."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.errors import BoardError, UsageError
from kws.host.build.programs import QEMU, find_tool
from kws.host.emulate.block_trace import TRACE_OPTIONS, Block, read_blocks
from kws.host.emulate.processes import Processes
from kws.host.serial.lines import Serial, parse

_PSRAM = 0x21000000
_PSRAM_BYTES = 16 * 2**20

_HALTED = 1  # exit status of firmware that stopped at a fault


class Qemu(Processes):
    """Runs firmware in QEMU processes.

    Raises:
        ToolError: QEMU is missing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._qemu = find_tool(QEMU)

    def play(self, elf: Path, pcm: Pcm, typed: str = "") -> Serial:
        """Output of the firmware for `pcm` (16 kHz), starting with cleared state.

        `typed` (ASCII) is available on the serial line from the start. Faults are in the result,
        including a fault at which the firmware stopped.

        Raises:
            BoardError: the firmware did not end in time, or QEMU failed.
            UsageError: `pcm` is longer than the board's memory.
        """
        seconds = len(pcm) / SAMPLE_RATE
        image = struct.pack("<I", len(pcm)) + pcm.astype("<i2").tobytes()
        image += typed.encode("ascii") + b"\0"
        if len(image) > _PSRAM_BYTES:
            longest = (_PSRAM_BYTES - 5) // 2 // SAMPLE_RATE
            raise UsageError(
                f"a clip of {seconds:.0f} s does not fit in the emulated board's memory; "
                f"cut it into pieces of at most {longest - 2} s"
            )
        return self._run(elf, image, timeout_s=60 + 20 * seconds)[0]

    def run(self, elf: Path, image: bytes, *, timeout_s: float, shift: int = 0) -> Serial:
        """Start `elf` with `image` at the start of PSRAM and wait for its end.

        Args:
            elf: the firmware.
            image: at most 16 MB.
            timeout_s: seconds on this machine's clock.
            shift: an instruction takes 2**shift ns of the emulated board's time.

        Raises:
            BoardError: the firmware stopped at a fault, did not end in time, or QEMU failed.
        """
        serial, stopped = self._run(elf, image, timeout_s=timeout_s, shift=shift)
        if stopped:
            raise BoardError(f"the firmware stopped: {serial.faults[-1]}")
        return serial

    def trace(self, elf: Path, image: bytes, *, timeout_s: float) -> Iterator[Block]:
        """Like `run`, but yields the executed blocks of code; closing the iterator ends the run.

        Raises:
            BoardError: the firmware did not end in time.
            ToolError: this QEMU cannot disassemble.
        """
        with tempfile.TemporaryDirectory(prefix="kws-qemu-") as folder:
            file = Path(folder) / "psram.bin"
            file.write_bytes(image)
            # Without -icount, which splits blocks. Code that reads no clock behaves the same.
            command = [*self._command(elf, file), *TRACE_OPTIONS]
            yield from read_blocks(self._errors(command, timeout_s))

    def _run(
        self, elf: Path, image: bytes, *, timeout_s: float, shift: int = 0
    ) -> tuple[Serial, bool]:
        """Like `run`; the second value is whether the firmware stopped at a fault."""
        with tempfile.TemporaryDirectory(prefix="kws-qemu-") as folder:
            file = Path(folder) / "psram.bin"
            file.write_bytes(image)
            # Time is counted in instructions, so all runs are identical.
            counted = ("-icount", f"shift={shift}")
            ended = self._execute([*self._command(elf, file), *counted], timeout_s)
        if ended is None:
            raise BoardError(
                f"{elf}: the firmware did not end within {timeout_s:.0f} s; it hangs, or "
                "this machine is overloaded"
            )
        serial = parse(ended.output)
        if ended.status == 0 or (ended.status == _HALTED and serial.faults):
            return serial, ended.status != 0
        raise BoardError(
            f"{elf}: {QEMU} ended with status {ended.status}: {ended.reason}; try kws doctor"
        )

    def _command(self, elf: Path, image: Path) -> list[str]:
        escaped = str(image).replace(",", ",,")
        return [
            str(self._qemu),
            *("-machine", "mps2-an386"),
            *("-display", "none"),
            *("-monitor", "none"),
            *("-serial", "stdio"),
            *("-semihosting-config", "enable=on,target=native"),
            *("-kernel", str(elf)),
            *("-device", f"loader,file={escaped},addr={_PSRAM:#x},force-raw=on"),
        ]
