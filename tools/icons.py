# SPDX-License-Identifier: Apache-2.0
"""Draws icon.svg of the exported page as PNG files, for phones: `make pictures`.

The background fills the square, and the bars stay in the inner circle of 80 % that a phone may cut
out (W3C's manifest, purpose `maskable`).
"""

from __future__ import annotations

import re
import struct
import zlib

import numpy as np
import numpy.typing as npt

from kws.host.web.site_files import ICON_SIZES, SITE, icon_name

_LEVELS = 16  # colours, from the background's to the bars'
_SCALE = 0.8
"""Size of the bars in relation to icon.svg."""


def icon_levels(svg: str, size: int) -> npt.NDArray[np.uint8]:
    """The picture as shares of the bars' colour, 0 to 15: uint8[size, size].

    Args:
        svg: icon.svg, whose bars are vertical lines with round ends.
        size: pixels.
    """
    box = float(re.findall(r'viewBox="0 0 (\d+) ', svg)[0])
    radius = float(re.findall(r'stroke-width="([\d.]+)"', svg)[0]) / 2
    bars = np.array(re.findall(r"M(\d+) (\d+)v(\d+)", svg), float)  # x, top, length
    x, top, bottom = bars[:, 0], bars[:, 1], bars[:, 1] + bars[:, 2]
    middle = (x.min() + x.max()) / 2, (top.min() + bottom.max()) / 2
    pixels = ((np.arange(size) + 0.5) / size - 0.5) * box / _SCALE  # from the centre
    across = pixels[None, :, None] + middle[0] - x
    down = pixels[:, None, None] + middle[1]
    distance = np.hypot(across, np.maximum(np.maximum(top - down, down - bottom), 0)) - radius
    covered = np.clip(0.5 - distance.min(axis=2) * _SCALE * size / box, 0, 1)
    levels: npt.NDArray[np.uint8] = np.round(covered * (_LEVELS - 1)).astype(np.uint8)
    return levels


def png(levels: npt.NDArray[np.uint8], colours: tuple[str, str]) -> bytes:
    """A PNG file with a palette of 16 colours.

    Args:
        levels: uint8[n, n] of 0 to 15; n is even.
        colours: the colours of 0 and 15, as `#rrggbb`.
    """
    first, last = (np.array(list(bytes.fromhex(colour[1:])), float) for colour in colours)
    shares = np.linspace(0, 1, _LEVELS)[:, None]
    palette = np.round(first + shares * (last - first)).astype(np.uint8)
    packed = levels[:, ::2] << 4 | levels[:, 1::2]
    rows = np.pad(packed, ((0, 0), (1, 0))).tobytes()  # each starts with its filter: 0, none
    size = len(levels)
    return b"".join([
        b"\x89PNG\r\n\x1a\n",
        _chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 4, 3, 0, 0, 0)),
        _chunk(b"PLTE", palette.tobytes()),
        _chunk(b"IDAT", zlib.compress(rows, 9)),
        _chunk(b"IEND", b""),
    ])  # fmt: skip


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


if __name__ == "__main__":
    svg = (SITE / "icon.svg").read_text(encoding="utf-8")
    background, bar = re.findall(r"#[0-9a-f]{6}", svg)
    for size in ICON_SIZES:
        (SITE / icon_name(size)).write_bytes(png(icon_levels(svg, size), (background, bar)))
