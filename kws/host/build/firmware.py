# SPDX-License-Identifier: Apache-2.0
"""Firmware for a board, with or without a bundle built in."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.codegen import LOOK, firmware_files, firmware_sources, then_sources, write_sources
from kws.bundle.device import Device
from kws.bundle.layout import FIRMWARE_FOLDER
from kws.errors import ToolError, UsageError
from kws.files import check_replaceable, new_directory
from kws.host.build import uf2
from kws.host.build.boards import Board, find_board, firmware_folder
from kws.host.build.elf_sections import Size, read_size
from kws.host.build.firmware_cache import cached_build
from kws.host.build.pins import HEADER as PINS_HEADER
from kws.host.build.pins import pins_header
from kws.host.build.platformio_run import (
    BINARY,
    BUILD_LOG,
    ELF,
    HEX,
    MAP,
    PROJECT_FILE,
    TooLargeError,
)
from kws.host.build.ring import DEFAULT_HOPS, ring_header
from kws.host.build.ring import HEADER as RING_HEADER

UF2 = "firmware.uf2"

_OLD_INCLUDE = '#include "runtime/'
"""In bundles made before the core's headers had the prefix `kws/`."""


class DoesNotFitError(ToolError):
    """A firmware needs more memory than its board has.

    Attributes:
        flash: bytes of flash that it needs; None if flash is large enough.
        ram: the same for RAM.
    """

    def __init__(self, text: str, flash: int | None, ram: int | None) -> None:
        super().__init__(text)
        self.flash, self.ram = flash, ram


@dataclass(frozen=True)
class Firmware:
    """A built firmware."""

    folder: Path
    """Holds the ELF file, the flash image (also as Intel HEX, and as UF2 if the board accepts it),
    the linker's map and the log."""
    size: Size

    @property
    def elf(self) -> Path:
        """The ELF file."""
        return self.folder / ELF

    @property
    def map(self) -> Path:
        """The linker's map."""
        return self.folder / MAP

    @property
    def image(self) -> Path:
        """The flash image."""
        return self.folder / BINARY


def build(
    board: str,
    device: Device,
    out: Path | None = None,
    pins: Sequence[str] = (),
    ring_hops: int = DEFAULT_HOPS,
) -> Firmware:
    """Firmware for `board` that runs `device`.

    Args:
        board: one of `boards()`.
        device: bundles as loaded from their folders.
        out: folder for copies of the results; None leaves them in the cache.
        pins: keywords that pulse a pin of the board, as `yes=D2`.
        ring_hops: capacity of the sample ring in hops; `real_time.schedule` in kws.host.measure
            computes how many are needed.

    Raises:
        UsageError: the board is unknown, or `pins` names an unknown keyword or pin.
        DoesNotFitError: the board has too little flash or RAM.
        ToolError: the toolchain is missing or the build failed; the message names the log.
        KwsError: the results could not be written.
    """
    port = find_board(board)
    if out is not None:
        check_replaceable(out, ELF, "firmware")
    try:
        with generated(device, _headers(port, device, pins, ring_hops)) as sources:
            built = cached_build(board, sources)
    except TooLargeError as error:
        raise DoesNotFitError(
            _what_to_shrink(port, device, error),
            port.flash + error.flash if error.flash else None,
            port.ram + error.ram if error.ram else None,
        ) from None
    if out is None:
        return _firmware(built)
    with new_directory(out) as folder:
        for name in (ELF, BINARY, HEX, MAP, BUILD_LOG):
            shutil.copyfile(built / name, folder / name)
        if port.uf2_family is not None:
            chunks = uf2.payloads(port.flash_start, (built / BINARY).read_bytes())
            (folder / UF2).write_bytes(uf2.encode(chunks, port.uf2_family))
    return _firmware(out)


def build_tool(board: str, tool: str) -> Firmware:
    """A tool firmware for the emulated board: `infer` runs any model, `bench` counts instructions.

    Raises:
        UsageError: the board is unknown, or has no such firmware.
        ToolError: see `build`.
    """
    return _firmware(cached_build(tool_environment(board, tool), None))


def tool_environment(board: str, tool: str) -> str:
    """The section of platformio.ini for a tool firmware, without `env:`.

    Raises:
        UsageError: the board is unknown, or has no such firmware.
    """
    environment = f"{find_board(board).name}_{tool}"
    project = (firmware_folder() / PROJECT_FILE).read_text(encoding="utf-8")
    if f"[env:{environment}]" not in project:
        raise UsageError(f"kws {tool} runs on the emulated board qemu, not on {board}")
    return environment


def build_sources(board: str, sources: Path) -> Firmware:
    """Like `build`, but from any folder of generated C++."""
    return _firmware(cached_build(find_board(board).name, sources))


@contextlib.contextmanager
def generated(device: Device, more: Mapping[str, str] | None = None) -> Iterator[Path]:
    """Write all C++ of a device to a temporary folder, with its second bundle in `then/`.

    Args:
        device: the bundles that the firmware runs.
        more: contents of additional files, by name.
    """
    bundle, commands = device.bundle, device.commands
    if commands is None and _is_current(bundle) and not more:
        yield bundle.firmware
        return
    with tempfile.TemporaryDirectory(prefix="kws-generated-") as place:
        folder = Path(place) / FIRMWARE_FOLDER
        write_sources(folder, {**firmware_sources(bundle), **(more or {})})
        if commands is not None:
            write_sources(folder / "then", then_sources(commands, device.listen_ms, bundle))
        yield folder


def _is_current(bundle: Bundle) -> bool:
    """Whether a bundle's C++ is complete and includes the core's headers by their current names."""
    if bundle.second_look is None and (bundle.firmware / LOOK).exists():
        return False  # build without the second look
    files = [bundle.firmware / name for name in firmware_files(bundle)]
    return all(file.exists() for file in files) and not any(
        _OLD_INCLUDE in file.read_text(encoding="utf-8") for file in files if file.suffix == ".h"
    )


def _headers(board: Board, device: Device, pins: Sequence[str], ring_hops: int) -> dict[str, str]:
    """Headers generated for this board in addition to the bundle's files."""
    headers = {}
    if pins:
        headers[PINS_HEADER] = pins_header(board, device, pins)
    if ring_hops != DEFAULT_HOPS:
        headers[RING_HEADER] = ring_header(ring_hops)
    return headers


def _firmware(folder: Path) -> Firmware:
    return Firmware(folder, read_size(folder / ELF))


def _what_to_shrink(board: Board, device: Device, excess: TooLargeError) -> str:
    needs = []
    models = sum(len(model.model) for model in device.models)
    if excess.flash:
        needs.append(
            f"{excess.flash} bytes more than the {board.flash} of flash (the model is {models})"
        )
    if excess.ram:
        needs.append(
            f"{excess.ram} bytes more than the {board.ram} of RAM (the model's arena is "
            f"{device.arena_bytes}; kws set --plan shows what fills it)"
        )
    looks = any(part.second_look for part in device.parts)
    return f"{device.bundle.name} does not fit {board.name}: it needs {' and '.join(needs)}; " + (
        "leave out its second look with --no-verify" if looks else "train a smaller model"
    )
