# SPDX-License-Identifier: Apache-2.0
"""The drive that a UF2 bootloader shows, and how firmware is copied onto it.

All below was read from Adafruit's bootloader for the nRF52840 (adafruit/Adafruit_nRF52_Bootloader
at 48a149f, src/usb/msc_uf2.c, src/usb/uf2/ghostfat.c, src/flash_nrf5x.c):

- `INFO_UF2.TXT` names the board and the SoftDevice that is on it.
- A sector that is no UF2 block is ignored: the file system itself is not kept.
- A block is written to flash whenever it comes, whatever its number. Each number counts once; once
  all have come, the board resets and starts what was written. What the file system writes after
  that is not taken any more, and the system may report an error.
- Nothing is erased before: what lies in flash stays valid until it is overwritten.

Therefore `safe_parts` writes the first piece of flash twice: empty at the start, as it should be at
the end. A board that loses power in the middle has no application that the bootloader would start.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from kws.host.build import uf2
from kws.host.deploy.image import Image

INFO = "INFO_UF2.TXT"
FILE = "FIRMWARE.UF2"
MOUNTS = Path("/proc/mounts")

_PAGE = 4096  # what the bootloader erases at once
_AT_ONCE = 64  # blocks between two looks at the progress


class Drive:
    """A bootloader's drive that is mounted at `path`; `info` is the text of its INFO_UF2.TXT."""

    def __init__(self, path: Path, info: str) -> None:
        self.path = path
        self.info = info

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a file in parts: each has reached the board before the next one is asked for.

        Raises:
            OSError: the drive went away; after the last part that is no failure.
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
    """A UF2 file of an image, in the parts and the order that leave no half firmware in a board."""
    chunks = uf2.payloads(image.address, image.data)
    first_page = _PAGE // uf2.PAYLOAD
    blank = (image.address, uf2.ERASED * uf2.PAYLOAD)
    blocks = uf2.encode([blank, *chunks[first_page:], *chunks[:first_page]], family)
    last = len(blocks) - min(first_page, len(chunks)) * uf2.BLOCK
    size = _AT_ONCE * uf2.BLOCK
    middle = [blocks[at : min(at + size, last)] for at in range(uf2.BLOCK, last, size)]
    return [blocks[: uf2.BLOCK], *middle, blocks[last:]]


def _mounts() -> Iterator[Path]:
    if sys.platform == "darwin":
        yield from Path("/Volumes").iterdir()
        return
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, folder, kind, *_ = line.split(" ")
        if kind in ("vfat", "msdos"):
            # The kernel writes a blank as \040 (proc(5)).
            yield Path(folder.replace("\\040", " "))
