# SPDX-License-Identifier: Apache-2.0
"""Counts the frames of an MPEG audio stream.

A decoder estimates the length of a stream from its size and first bitrate, or from a Xing header,
which may be wrong; libsndfile stops at that length. Header layout: ISO/IEC 11172-3, section
2.4.2.3, and 13818-3; Xing and VBRI headers are conventions.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from pathlib import Path

_KBITS = {
    # (MPEG 1, layer): bitrates of the indices 1 to 14
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES = (44_100, 48_000, 32_000)
_RATE_SHIFT = {3: 0, 2: 1, 0: 2}  # MPEG 1, 2, 2.5: the full, half and quarter rates
_FREE = 0  # the bitrate index of a free-format stream
_FREE_FRAME_BYTES = 4_000  # none is longer
_HAS_FRAMES, _HAS_BYTES = 1, 2  # flags of a Xing header
_SIDE_BYTES = {(True, False): 32, (True, True): 17, (False, False): 17, (False, True): 9}


@dataclass(frozen=True)
class Mp3Stream:
    """A stream of frames."""

    header: bytes
    """The first four bytes of its first frame of sound."""

    start: int
    """Offset of the first frame of sound, in bytes from the start of the file."""

    end: int
    """Offset of the byte after the last frame."""

    frames: int
    """Number of frames, without the Xing header's frame."""

    promised: int | None
    """Number of frames in the Xing or VBRI header; None without one."""

    xing: bytes
    """The frame with a Xing header that contains a frame count; empty without one."""

    cut: bool
    """Whether it ends in the middle of a frame."""

    frame_samples: int
    rate: int
    """Samples per second."""

    layer: int
    """3 for MP3, the only layer with Xing headers."""


@dataclass(frozen=True)
class _Header:
    mpeg1: bool
    layer: int
    kbits: int
    rate: int
    padding: int
    mono: bool

    @staticmethod
    def of(head: bytes) -> _Header:
        """The fields of four bytes for which `_is_header` holds."""
        version, layer, index = head[1] >> 3 & 3, 4 - (head[1] >> 1 & 3), head[2] >> 4
        return _Header(
            version == 3,
            layer,
            0 if index == _FREE else _KBITS[version == 3, layer][index - 1],
            _RATES[head[2] >> 2 & 3] >> _RATE_SHIFT[version],
            head[2] >> 1 & 1,
            head[3] >> 6 == 3,
        )

    @property
    def frame_samples(self) -> int:
        if self.layer == 1:
            return 384
        return 576 if self.layer == 3 and not self.mpeg1 else 1152

    def frame_bytes(self, free: int) -> int:
        """Length of the frame. `free`: length in a free-format stream, without padding."""
        slot = 4 if self.layer == 1 else 1
        if not self.kbits:
            return free + self.padding * slot
        slots = self.frame_samples * self.kbits * 125 // (self.rate * slot)
        return (slots + self.padding) * slot


def read_stream(path: Path, start: int = 0, end: int | None = None) -> Mp3Stream | None:
    """The frames in a file or a range of it; None if there are none.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        last = len(data) if end is None else min(end, len(data))
        return _read(data, _after_tags(data, start), last)


def counted_head(stream: Mp3Stream) -> bytes:
    """A first frame with the right frame count: the stream's first frame, corrected.

    The other fields are kept, such as the encoder delay.
    """
    # Without one: highest bitrate, so that the fields fit; no checksum and no padding.
    _, kind, rates, mode = stream.header
    head = bytes((0xFF, kind | 1, rates & 0x0D | 0xE0, mode))
    header = _Header.of(head)
    place = 4 + _SIDE_BYTES[header.mpeg1, header.mono]
    body = bytearray(stream.xing or head.ljust(header.frame_bytes(0), b"\0"))
    body[place : place + 4] = body[place : place + 4].strip(b"\0") or b"Xing"
    body[place + 7] |= _HAS_FRAMES
    fields = [stream.frames]
    if body[place + 7] & _HAS_BYTES:
        fields.append(len(body) + stream.end - stream.start)
    for at, value in enumerate(fields, 2):
        body[place + 4 * at : place + 4 * at + 4] = value.to_bytes(4, "big")
    return bytes(body)


def _after_tags(data: mmap.mmap, start: int) -> int:
    """Offset of the sound, after ID3 tags and the pictures in them."""
    while data[start : start + 3] == b"ID3" and start + 10 <= len(data):
        size = 0
        for byte in data[start + 6 : start + 10]:
            size = size << 7 | byte & 0x7F
        start += 10 + size + (10 if data[start + 5] & 0x10 else 0)
    return start


def _is_header(head: bytes) -> bool:
    """Whether a frame may begin with these bytes."""
    return (
        len(head) >= 4
        and head[0] == 0xFF
        and head[1] & 0xE0 == 0xE0
        and head[1] >> 3 & 3 != 1
        and head[1] >> 1 & 3 != 0
        and head[2] >> 4 != 15
        and head[2] >> 2 & 3 != 3
    )


def _read(data: mmap.mmap, start: int, end: int) -> Mp3Stream | None:
    first = _first_frame(data, start, end)
    if first is None:
        return None
    begin, header, free = first
    head = data[begin : begin + 4]
    promised, silent = _promise(data, begin, header)
    at = sound = begin + header.frame_bytes(free) if silent else begin
    if silent and _same_stream(data[at : at + 4], head):
        head = data[at : at + 4]
    lengths: dict[bytes, int] = {}  # of frames, by the first three bytes of their headers
    frames, whole, cut = 0, min(at, end), False
    while at + 4 <= end:
        key = data[at : at + 3]
        if key not in lengths:
            same = _same_stream(data[at : at + 4], head)
            length = _Header.of(data[at : at + 4]).frame_bytes(free) if same else 0
            if length < 4:  # 0 for a free-format header in another stream
                at = _next_frame(data, at + 1, end, head)
                continue
            lengths[key] = length
        at += lengths[key]
        cut = at > end
        frames += not cut
        whole = min(at, end)
    own = promised is not None and data[begin + 36 : begin + 40] != b"VBRI"
    return Mp3Stream(
        head,
        min(sound, end),
        whole,
        frames,
        promised,
        data[begin:sound] if own else b"",
        cut,
        header.frame_samples,
        header.rate,
        header.layer,
    )


def _first_frame(data: mmap.mmap, start: int, end: int) -> tuple[int, _Header, int] | None:
    """Offset and header of the first frame, and its bytes without padding if it is free-format.

    The frame counts only if another frame or the end of the file follows.
    """
    at = start
    while (at := data.find(b"\xff", at, end)) >= 0:
        head = data[at : at + 4]
        if _is_header(head):
            header = _Header.of(head)
            free = 0 if header.kbits else _free_bytes(data, at, end, header)
            after = at + header.frame_bytes(free)
            follows = after >= end or _same_stream(data[after : after + 4], head)
            if follows and (header.kbits or free):
                return at, header, free
        at += 1
    return None


def _free_bytes(data: mmap.mmap, at: int, end: int, header: _Header) -> int:
    """Distance to the next frame of a free-format stream, without padding; 0 if there is none."""
    place = at + 4
    near = min(end, at + _FREE_FRAME_BYTES)
    while (place := _next_frame(data, place, near, data[at : at + 4])) < near:
        if data[place + 2] >> 4 == _FREE:
            return place - at - header.padding * (4 if header.layer == 1 else 1)
        place += 1
    return 0


def _same_stream(head: bytes, other: bytes) -> bool:
    """Whether both are frame headers with the same version, layer and rate."""
    return (
        _is_header(head) and head[1] & 0xFE == other[1] & 0xFE and head[2] & 0x0C == other[2] & 0x0C
    )


def _next_frame(data: mmap.mmap, at: int, end: int, head: bytes) -> int:
    """Offset of the next bytes that look like a frame of the stream; `end` if there are none."""
    while (at := data.find(b"\xff", at, end)) >= 0:
        if _same_stream(data[at : at + 4], head):
            return at
        at += 1
    return end


def _promise(data: mmap.mmap, at: int, header: _Header) -> tuple[int | None, bool]:
    """Number of frames in the first frame's header, and whether that frame has no sound."""
    place = at + 4 + _SIDE_BYTES[header.mpeg1, header.mono]
    if data[place : place + 4] in (b"Xing", b"Info") and place + 12 <= len(data):
        known = data[place + 7] & _HAS_FRAMES
        count = int.from_bytes(data[place + 8 : place + 12], "big")
        return (count if known else None), True
    if data[at + 36 : at + 40] == b"VBRI":
        return int.from_bytes(data[at + 36 + 14 : at + 36 + 18], "big"), True
    return None, False
