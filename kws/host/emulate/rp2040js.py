# SPDX-License-Identifier: Apache-2.0
"""Runs production firmware, the same bytes as on the Raspberry Pi Pico, in rp2040js."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

import kws
from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.errors import BoardError, ToolError
from kws.host.build.boards import Board
from kws.host.build.programs import NODE, cache_folder, find_tool
from kws.host.emulate.processes import Processes
from kws.host.emulate.renode import microphone, until
from kws.host.serial.lines import Serial, parse

PACKAGE = "rp2040js"
VERSION = "1.4.1"

_TAIL_SECONDS = 1.0
"""Run time after a recording: for the copy to RAM at the start (0.5 s), and for the last
inference."""

_PROGRAM = Path(__file__).parent / "rp2040" / "run.cjs"


def install_command() -> str:
    """The command that installs rp2040js for kws."""
    return f"npm install --prefix {cache_folder()} {PACKAGE}@{VERSION}"


def find_rp2040js() -> Path:
    """The folder `node_modules` with rp2040js: of NODE_PATH, a checkout's build/, or the cache.

    Raises:
        ToolError: it is not installed.
    """
    places = [Path(place) for place in os.environ.get("NODE_PATH", "").split(os.pathsep) if place]
    places.append(Path(kws.__file__).parent.parent / "build" / "node_modules")
    places.append(cache_folder() / "node_modules")
    for place in places:
        if (place / PACKAGE / "package.json").is_file():
            return place
    raise ToolError(
        f"{PACKAGE} was not found; it is needed to run the Raspberry Pi Pico's firmware: "
        f"{install_command()}"
    )


class Rp2040js(Processes):
    """Runs a board's firmware in node processes; times are in the emulated board's time.

    Raises:
        ToolError: node or rp2040js is missing.
    """

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._board = board
        self._node = find_tool(NODE)
        self._modules = find_rp2040js()

    def play(
        self,
        elf: Path,
        pcm: Pcm | None,
        typed: Sequence[tuple[float, str]] = (),
        seconds: float | None = None,
        rates: Sequence[tuple[float, int]] = (),
        *,
        lights: Path | None = None,
    ) -> Serial:
        """Output of the firmware for `pcm`, starting with a power-on; see `Renode.play`.

        `lights`: file for the changes of the LED, as [ms, on] in JSON.

        Raises:
            BoardError: the firmware used the chip wrongly, or the emulator failed.
        """
        length = 0 if pcm is None else len(pcm)
        if seconds is None:
            seconds = (self._board.dropped_samples + length) / SAMPLE_RATE + _TAIL_SECONDS
        with tempfile.TemporaryDirectory(prefix="kws-emulator-") as name:
            folder = Path(name)
            job = {
                "image": str(folder / "flash.bin"),
                "microphone": None if pcm is None else str(folder / "microphone.raw"),
                "seconds": seconds,
                "typed": [(at, f"{line}\n") for at, line in typed],
                "rates": list(rates),
                "lights": None if lights is None else str(lights),
            }
            (folder / "flash.bin").write_bytes(_flash(elf, self._board.flash_start))
            if pcm is not None:
                (folder / "microphone.raw").write_bytes(microphone(self._board, pcm))
            (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
            ended = self._execute(
                [str(self._node), str(_PROGRAM), str(folder / "job.json")],
                timeout_s=300 + 120 * seconds,
                environment={**os.environ, "NODE_PATH": str(self._modules)},
            )
        if ended is None:
            raise BoardError(f"{elf}: rp2040js did not finish in time; this machine is overloaded")
        if ended.status != 0:
            raise BoardError(f"{elf}: {ended.reason}")
        data = ended.output
        return parse(data if pcm is None else until(data, length * 1000 // SAMPLE_RATE))


def _flash(elf: Path, start: int) -> bytes:
    """The content of flash from `start` on.

    Raises:
        BoardError: the file is not firmware.
    """
    content = bytearray()
    try:
        with elf.open("rb") as stream:
            for segment in ELFFile(stream).iter_segments("PT_LOAD"):
                if segment["p_filesz"] > 0:
                    at = segment["p_paddr"] - start
                    if at < 0:
                        raise ELFError("it is not for this board")
                    content += b"\xff" * (at - len(content))
                    content[at : at + segment["p_filesz"]] = segment.data()
    except (OSError, ELFError) as error:
        raise BoardError(f"{elf}: {error}; build the firmware again") from None
    return bytes(content)
