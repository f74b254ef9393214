# SPDX-License-Identifier: Apache-2.0
"""Copies firmware onto the drive of a UF2 bootloader.

Adafruit's bootloader for the nRF52840 (adafruit/Adafruit_nRF52_Bootloader at 48a149f,
src/usb/msc_uf2.c, src/usb/uf2/ghostfat.c, src/flash_nrf5x.c):

- `INFO_UF2.TXT` names the board and its SoftDevice.
- A sector that is not a UF2 block is ignored: the file system itself is not stored.
- Blocks are written to flash in the order of arrival. Each number counts once; when all have
  arrived, the board resets and starts the firmware. Later writes of the file system are refused,
  and the system may report an error.
- Nothing is erased in advance: flash stays valid until it is overwritten.

Therefore `safe_parts` writes the first piece of flash twice: blank at the start, with its content
at the end. If power fails in between, the bootloader finds no application to start.

The boot ROM of the RP2040 (raspberrypi/pico-bootrom-rp2040 at ef22cd8, bootrom/virtual_disk.c) does
not allow that. It erases a sector of flash when the first of 16 blocks arrives, counted by their
numbers, not by their addresses; so block n has to be n * 256 bytes after the start, which is the
start of a sector.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from string import ascii_uppercase

from kws.host.build import uf2
from kws.host.deploy.image import Image

INFO = "INFO_UF2.TXT"
FILE = "FIRMWARE.UF2"
MOUNTS = Path("/proc/mounts")

_PAGE = 4096  # bytes per erase
_AT_ONCE = 64  # blocks per progress step


class Drive:
    """A bootloader's drive mounted at `path`; `info` is the text of its INFO_UF2.TXT."""

    def __init__(self, path: Path, info: str) -> None:
        self.path = path
        self.info = info

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a file in parts; each is synced to the board before the next one.

        Raises:
            OSError: the drive disappeared; after the last part this is expected.
        """
        with (self.path / name).open("wb", buffering=0) as file:
            for part in parts:
                file.write(part)
                os.fsync(file.fileno())


def list_drives() -> list[Drive]:
    """The UF2 drives that are mounted now."""
    drives = []
    for folder in _mounts():
        try:
            drives.append(Drive(folder, (folder / INFO).read_text(encoding="ascii")))
        except (OSError, UnicodeDecodeError):
            continue
    return drives


def safe_parts(image: Image, family: int) -> list[bytes]:
    """A UF2 file in parts, in an order that never leaves a half-written firmware bootable."""
    chunks = uf2.payloads(image.address, image.data)
    first_page = _PAGE // uf2.PAYLOAD
    blank = (image.address, uf2.ERASED * uf2.PAYLOAD)
    blocks = uf2.encode([blank, *chunks[first_page:], *chunks[:first_page]], family)
    last = len(blocks) - min(first_page, len(chunks)) * uf2.BLOCK
    size = _AT_ONCE * uf2.BLOCK
    middle = [blocks[at : min(at + size, last)] for at in range(uf2.BLOCK, last, size)]
    return [blocks[: uf2.BLOCK], *middle, blocks[last:]]


def parts_in_order(image: Image, family: int) -> list[bytes]:
    """A UF2 file in parts, for the boot ROM of the RP2040.

    The last part is one block, so that an error in it means that the board restarts.
    """
    blocks = uf2.encode(uf2.payloads(image.address, image.data), family)
    size, last = _AT_ONCE * uf2.BLOCK, len(blocks) - uf2.BLOCK
    return [*(blocks[at : min(at + size, last)] for at in range(0, last, size)), blocks[last:]]


def _mounts() -> Iterator[Path]:
    if sys.platform == "darwin":
        yield from Path("/Volumes").iterdir()
        return
    if sys.platform == "win32":
        yield from (Path(f"{letter}:/") for letter in ascii_uppercase)
        return
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, folder, kind, *_ = line.split(" ")
        if kind in ("vfat", "msdos"):
            # The kernel writes a space as \040 (proc(5)).
            yield Path(folder.replace("\\040", " "))
