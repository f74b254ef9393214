# SPDX-License-Identifier: Apache-2.0
"""Arrays that may be larger than memory."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.errors import KwsError, os_reason

_MEMORY = 2 << 30


class ArrayAllocator:
    """Allocates arrays: in memory up to a number of bytes, then in files of a folder.

    The files have no names, so they vanish when the program ends, even after a crash.
    """

    def __init__(self, folder: Path | None, memory: int = _MEMORY) -> None:
        """Without a folder, allocate only in memory.

        Args:
            folder: an existing folder for the files, or None.
            memory: bytes to allocate before files are used.
        """
        self._folder = folder
        self._remaining = memory

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """An uninitialized array.

        Raises:
            KwsError: there is no space for its file.
        """
        size = math.prod(shape) * dtype.itemsize
        if self._folder is None or size <= self._remaining or size == 0:
            self._remaining -= size
            return np.empty(shape, dtype)
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                file.truncate(size)
                return np.memmap(file, dtype, "r+", shape=shape)
        except OSError as error:
            raise KwsError(
                f"{self._folder}: no space for {size:,} bytes of clips "
                f"({os_reason(error)}); free some disk space and run the command again"
            ) from None
