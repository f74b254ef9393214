# SPDX-License-Identifier: Apache-2.0
"""Position of the sound in a file, and detection of truncated files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

STREAMED = 0x7FFFF000
"""From this number of bytes on, a size in a header means unknown: the file was piped."""

_SIZES = re.compile(r"^\s*([\w ]*?)\s*:\s*(\d+)(?: \(should be (\d+)\))?$", re.MULTILINE)
_OGG_PAGE_BYTES = 65_307  # none is longer (RFC 3533, section 6)


def shortfall(kind: str, header_log: str) -> tuple[int, int] | None:
    """Bytes declared in the header of an uncompressed file, and bytes in the file.

    Args:
        kind: libsndfile's name of the container.
        header_log: libsndfile's log of the header.

    Returns:
        None if the file is complete, or if the header has no size.
    """
    names = {"WAV": {"data"}, "WAVEX": {"data"}, "AIFF": {"SSND"}, "AU": {"Data Size"}}.get(
        kind, {"riff", "Riff size"}
    )
    for name, promised, there in _SIZES.findall(header_log):
        if name in names and there and int(there) < int(promised) < STREAMED:
            return int(promised), int(there)
    return None


def riff_data(path: Path) -> tuple[int, int]:
    """Start and end offset of a WAV's sound in bytes; 0, 0 if it has no data chunk.

    Raises:
        OSError: the file cannot be read.
    """
    size, at = path.stat().st_size, 12
    with path.open("rb") as file:
        while at + 8 <= size:
            file.seek(at)
            head = file.read(8)
            length = int.from_bytes(head[4:], "little")
            at += 8
            if head[:4] == b"data":
                return at, min(at + length, size)
            at += length + length % 2
    return 0, 0


@dataclass(frozen=True)
class CutCaf:
    """A CAF file with less audio than its header declares; libsndfile rejects it."""

    head: bytes
    """Everything before the audio, with the size corrected to the audio present."""

    promised: int
    """Bytes of audio declared in the original header."""

    there: int
    """Bytes of audio in the file, after the head."""


def cut_caf(path: Path) -> CutCaf | None:
    """The repaired header of a CAF that ends in its data chunk; None for all other files.

    Source: Apple Core Audio Format Specification 1.0, chunk layout.

    Raises:
        OSError: the file cannot be read.
    """
    size, at = path.stat().st_size, 8
    with path.open("rb") as file:
        if file.read(4) != b"caff":
            return None
        while at + 12 <= size:
            file.seek(at)
            name, length = file.read(4), int.from_bytes(file.read(8), "big", signed=True)
            at += 12
            if name == b"data" and at + length > size:
                file.seek(0)
                head = file.read(at - 8) + (size - at).to_bytes(8, "big")
                return CutCaf(head, length, size - at)
            if length < 0:  # unknown: allowed in the last chunk
                return None
            at += length
    return None


def ends_within_page(path: Path) -> bool:
    """Whether an Ogg file ends in the middle of a page.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _OGG_PAGE_BYTES))
        tail = file.read()
    at = tail.rfind(b"OggS")
    if at < 0:
        return False
    segments = tail[at + 26] if len(tail) > at + 26 else 255
    body = at + 27 + segments
    return len(tail) < body + sum(tail[at + 27 : body])
