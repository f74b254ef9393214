# SPDX-License-Identifier: Apache-2.0
"""Archives of recordings, and the unpacked files."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import numpy as np


def tar(files: dict[str, bytes], link: str | None = None) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        if link:
            info = tarfile.TarInfo("./yes/link.wav")
            info.type = tarfile.SYMTYPE
            info.linkname = link
            archive.addfile(info)
    return buffer.getvalue()


NOISE = np.random.default_rng(0).bytes(300_000)


FILES = {"./_background_noise_/rain.wav": NOISE, "./yes/a_nohash_0.wav": b"sound"}


def contents(folder: Path) -> dict[str, bytes]:
    return {
        f"./{p.relative_to(folder).as_posix()}": p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file()
    }
