# SPDX-License-Identifier: Apache-2.0
"""Which files count as recordings, and which of them need ffmpeg."""

from __future__ import annotations

import shutil
from pathlib import Path

READ = frozenset(
    f".{ending}"
    for ending in (
        *("wav", "wave", "bwf", "w64", "rf64", "flac", "ogg", "oga", "opus", "mp3", "mp2", "mpga"),
        *("aif", "aiff", "aifc", "au", "snd", "caf", "sph", "nist"),
    )
)
"""Extensions, in lower case, of files that libsndfile reads."""

FOREIGN = frozenset(
    f".{ending}"
    for ending in (
        *("m4a", "m4b", "mp4", "m4v", "mov", "3gp", "3g2", "3ga", "aac", "adts", "webm", "weba"),
        *("mkv", "mka", "wma", "wmv", "asf", "amr", "awb", "spx", "mpeg", "mpg", "mts", "m2ts"),
        *("avi", "flv", "ac3", "eac3", "ape", "wv", "mpc", "tta", "dts", "ra", "rm"),
    )
)
"""Extensions of files that ffmpeg decodes, including videos."""

HEADERLESS = frozenset({".pcm", ".raw", ".s16", ".sw"})
"""Extensions of raw samples without a header; their rate is unknown."""


def ffmpeg() -> str | None:
    """The path of ffmpeg; None if it is not installed."""
    return shutil.which("ffmpeg")


def readable_endings() -> frozenset[str]:
    """Extensions, in lower case, of recordings that this machine can read."""
    return READ | FOREIGN if ffmpeg() else READ


def may_be_mp3(path: Path, head: bytes) -> bool:
    """Whether a file with these first bytes may be a stream of MPEG audio frames."""
    if head.startswith(_CONTAINERS):
        return False
    frame = head[:1] == b"\xff" and head[1:2] >= b"\xe0"
    return frame or head.startswith(b"ID3") or path.suffix.lower() in {".mp3", ".mp2", ".mpga"}


def foreign_kind(path: Path, head: bytes) -> str | None:
    """The format of a file that only ffmpeg can read; None if libsndfile may read it.

    Args:
        path: the file's name; its extension counts only if its bytes are not recognized.
        head: its first bytes, 64 or more.
    """
    if head[4:8] == b"ftyp":
        return "MP4 (m4a)"
    if head.startswith(b"OggS") and b"Speex   " in head:
        return "Speex"
    for start, name in _STARTS.items():
        if head.startswith(start):
            return name
    known = head.startswith((*_CONTAINERS, b"ID3"))
    ending = path.suffix.lower()
    return ending[1:] if ending in FOREIGN and not known else None


_CONTAINERS = (b"RIFF", b"RF64", b"OggS", b"fLaC", b"FORM", b"caff", b".snd", b"riff")
_STARTS = {
    b"\x1a\x45\xdf\xa3": "WebM or Matroska",
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11": "Windows Media",
    b"#!AMR": "AMR",
    b"\x00\x00\x01\xba": "MPEG",
    b"FLV": "Flash",
    b"\x0b\x77": "AC-3",
    b"MAC ": "Monkey's Audio",
    b"wvpk": "WavPack",
    b"\xff\xf1": "AAC",
    b"\xff\xf9": "AAC",
}
