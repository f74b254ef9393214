"""The emulated board: firmware in QEMU's mps2-an386, with a file in its memory as microphone."""

from __future__ import annotations

import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from types import TracebackType

from kws._core import SAMPLE_RATE
from kws.errors import BoardError, UsageError
from kws.host.lines import Serial, parse
from kws.host.stream import Pcm
from kws.host.tools import QEMU, find_tool

PARALLEL = 2
"""Emulators that commands run at once."""

_PSRAM = 0x21000000
_PSRAM_BYTES = 16 * 2**20

_HALTED = 1  # exit status of a firmware that met a fault


class Emulator:
    """Runs firmware in QEMU processes. Leaving the `with` block ends those still running."""

    def __init__(self) -> None:
        self._qemu = find_tool(QEMU)
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def __enter__(self) -> Emulator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._closed = True
            for process in self._running:
                process.kill()

    def play(self, elf: Path, pcm: Pcm, typed: str = "") -> Serial:
        """What the firmware wrote while it heard `pcm` (16 kHz, from a fresh start).

        `typed` (ASCII) waits for it as if it came from the serial line.

        Faults that the firmware reports and survives (lost samples) are in the result.

        Raises:
            BoardError: the firmware met a fault, did not end, or QEMU failed.
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
        return self.run(elf, image, timeout_s=60 + 20 * seconds)

    def run(self, elf: Path, image: bytes, *, timeout_s: float, shift: int = 0) -> Serial:
        """Start `elf` with `image` at the start of PSRAM and wait for its end.

        Args:
            elf: the firmware.
            image: at most 16 MB.
            timeout_s: seconds on this machine's clock.
            shift: an instruction takes 2**shift ns of the emulated board's time.

        Raises:
            BoardError: the firmware met a fault, did not end in time, or QEMU failed.
        """
        with tempfile.TemporaryDirectory(prefix="kws-qemu-") as folder:
            file = Path(folder) / "psram.bin"
            file.write_bytes(image)
            with self._start(elf, file, shift) as process:
                try:
                    output, errors = process.communicate(timeout=timeout_s)
                except subprocess.TimeoutExpired:
                    raise BoardError(
                        f"{elf}: the firmware did not end within {timeout_s:.0f} s; it hangs, or "
                        "this machine is far too busy"
                    ) from None
                finally:
                    process.kill()
                    with self._lock:
                        self._running.discard(process)
        serial = parse(output)
        if process.returncode == 0:
            return serial
        if process.returncode == _HALTED and serial.faults:
            raise BoardError(f"the firmware stopped: {serial.faults[-1]}")
        reason = errors.decode("utf-8", "replace").strip().splitlines()
        raise BoardError(
            f"{elf}: {QEMU} ended with status {process.returncode}: "
            f"{reason[-1] if reason else 'it gave no reason'}; try kws doctor"
        )

    def _start(self, elf: Path, image: Path, shift: int) -> subprocess.Popen[bytes]:
        escaped = str(image).replace(",", ",,")
        command = [
            str(self._qemu),
            *("-machine", "mps2-an386"),
            *("-display", "none"),
            *("-monitor", "none"),
            *("-serial", "stdio"),
            # Time is counted in instructions, so each run executes the same ones.
            *("-icount", f"shift={shift}"),
            *("-semihosting-config", "enable=on,target=native"),
            *("-kernel", str(elf)),
            *("-device", f"loader,file={escaped},addr={_PSRAM:#x},force-raw=on"),
        ]
        with self._lock:
            if self._closed:
                raise BoardError("the emulator was stopped")
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
            except OSError as error:
                raise BoardError(f"{self._qemu}: {error.strerror}; try kws doctor") from None
            self._running.add(process)
        return process
