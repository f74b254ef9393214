# SPDX-License-Identifier: Apache-2.0
"""Shared by tests of simulated boards: programs, lines, faults, errors of `kws deploy`."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kws.errors import BoardError
from kws.host.build import firmware
from kws.host.build.elf_sections import Size
from kws.host.build.firmware_cache import OPTIONS
from kws.host.deploy.image import Image, make_image
from kws.host.deploy.real_board import RealBoard

STATS = (
    "stats: 1234 hops, 0 samples lost, 83.2 % idle, 10752 k cycles per second, "
    "400 of 593 inferences skipped, arena 5796 bytes, stack 1412 of 8192 bytes"
)


def boot_line(board: str) -> str:
    """The boot line of a board's application."""
    return f"kws 0.1.0 on {board}, model yes_no 09e5e2a9, arena 5796 of 5800 bytes"


@dataclass
class Faults:
    """Faults; packets that reach the bootloader are counted from 1."""

    unplug_at: int | None = None
    """The port disappears after this packet, without an answer."""
    silent_from: int | None = None
    """No answer to this packet and all later ones."""
    garble_at: int | None = None
    """A wrong answer to this packet."""
    lose_at: int | None = None
    """Bytes are lost after this packet."""
    deaf_from: int | None = None
    """The port accepts no data after this packet."""


def program_at(origin: int, size: int, stack: int) -> bytes:
    """A vector table for flash at `origin`, then random bytes with the size as the seed.

    Args:
        origin: start of the flash for programs.
        size: bytes.
        stack: the end of RAM.
    """
    head = struct.pack("<II", stack, origin + 0x101)
    return head + random.Random(size).randbytes(size - len(head))


def programs(
    board: RealBoard, origin: int, stack: int
) -> tuple[Callable[[int], bytes], Callable[[int], Image]]:
    """Functions that make a program of a given size for a board, and its image."""

    def program_of(size: int) -> bytes:
        return program_at(origin, size, stack)

    def image_of(size: int) -> Image:
        return make_image([(origin, program_of(size))], board.memory, "test")

    return program_of, image_of


def refused(deploy: Callable[[], object]) -> str:
    """The one-line error of a deployment that must fail."""
    with pytest.raises(BoardError) as caught:
        deploy()
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    return text


def built_at_once(
    monkeypatch: pytest.MonkeyPatch, folder: Path, address: int, program: bytes
) -> list[str]:
    """Make every build return this program; return the options passed to builds."""
    asked: list[str] = []
    (folder / "firmware.elf").write_bytes(elf_of([(address, program)]))

    def build(*_: object, **__: object) -> firmware.Firmware:
        asked.append(os.environ.get(OPTIONS, ""))
        return firmware.Firmware(folder, Size({}, len(program), 0, 0, 0, 0))

    monkeypatch.setattr(firmware, "build", build)
    return asked


def elf_of(parts: list[tuple[int, bytes]], machine: int = 40) -> bytes:
    """An ELF file with a segment per part. Machine 40: Arm."""
    header = struct.pack(
        "<16sHHIIIIIHHHHHH",
        *(b"\x7fELF\x01\x01\x01" + bytes(9), 2, machine, 1, 0, 52, 0, 0x05000400),
        *(52, 32, len(parts), 40, 0, 0),
    )
    table, content = b"", b""
    start = 52 + 32 * len(parts)
    for address, data in parts:
        offset = start + len(content)
        table += struct.pack("<8I", 1, offset, address, address, len(data), len(data), 5, 4)
        content += data
    return header + table + content
