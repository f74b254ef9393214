# SPDX-License-Identifier: Apache-2.0
"""A file with a replaced header, for decoders that trust a wrong header."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer


class JoinedBytes(io.RawIOBase):
    """A seekable file made of some bytes in memory, then a range of a file on disk."""

    def __init__(self, first: bytes, path: Path, start: int, end: int) -> None:
        """`start` and `end`: the range of the file, in bytes. Raises OSError."""
        super().__init__()
        self._first, self._start = first, start
        self._size = len(first) + end - start
        self._at = 0
        self._file = path.open("rb")

    def readinto(self, buffer: Buffer, /) -> int:
        """The next bytes; 0 at the end."""
        view = memoryview(buffer).cast("B")
        count = max(0, min(len(view), self._size - self._at))
        early = self._first[self._at : self._at + count]
        view[: len(early)] = early
        done = len(early)
        if done < count:
            self._file.seek(self._start + self._at + done - len(self._first))
            done += self._file.readinto(view[done:count])
        self._at += done
        return done

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Seek to an offset from the start, the position or the end; returns the new position."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, origin + offset)
        return self._at

    def tell(self) -> int:
        """The current position."""
        return self._at

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._file.close()
        super().close()
