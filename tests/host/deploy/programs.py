# SPDX-License-Identifier: Apache-2.0
"""Programs to write to simulated boards, and the errors when that fails."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest

from kws.errors import BoardError


def program_at(origin: int, size: int, stack: int) -> bytes:
    """A vector table for flash at `origin`, then random bytes seeded with the size.

    Args:
        origin: where flash for programs begins.
        size: bytes.
        stack: the end of RAM.
    """
    head = struct.pack("<II", stack, origin + 0x101)
    return head + random.Random(size).randbytes(size - len(head))


def refused(deploy: Callable[[], object]) -> str:
    """The error of a deployment that must fail, in one line."""
    with pytest.raises(BoardError) as caught:
        deploy()
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    return text


def elf_of(parts: list[tuple[int, bytes]], machine: int = 40) -> bytes:
    """An ELF file with a segment for each part (ELF for the Arm architecture: machine 40)."""
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
