# SPDX-License-Identifier: Apache-2.0
"""UF2 files: firmware that is copied onto a bootloader's drive.

Each block of 512 bytes carries 256 bytes of flash and their address, so blocks may arrive in any
order. Source: microsoft/uf2, README.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

BLOCK = 512
PAYLOAD = 256
ERASED = b"\xff"

_START_0, _START_1, _END = 0x0A324655, 0x9E5D5157, 0x0AB16F30
_HAS_FAMILY = 0x2000


def payloads(address: int, data: bytes) -> list[tuple[int, bytes]]:
    """Split data into chunks of PAYLOAD bytes with their addresses; the last one is padded.

    Args:
        address: flash address of the first byte, a multiple of PAYLOAD.
        data: content from there on.
    """
    assert address % PAYLOAD == 0  # noqa: S101 - the boards' flash begins at a page
    return [
        (address + start, data[start : start + PAYLOAD].ljust(PAYLOAD, ERASED))
        for start in range(0, len(data), PAYLOAD)
    ]


def encode(chunks: Sequence[tuple[int, bytes]], family: int) -> bytes:
    """A UF2 file.

    Args:
        chunks: addresses with PAYLOAD bytes each, in the order of the file.
        family: the chip's id in microsoft/uf2, utils/uf2families.json.
    """
    blocks = []
    for number, (address, data) in enumerate(chunks):
        fields = (_START_0, _START_1, _HAS_FAMILY, address, PAYLOAD, number, len(chunks), family)
        head = struct.pack("<8I", *fields)
        blocks.append((head + data).ljust(BLOCK - 4, b"\0") + struct.pack("<I", _END))
    return b"".join(blocks)
