"""Arrays that may be larger than memory."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.errors import KwsError

_MEMORY = 2 << 30


class Storage:
    """Gives arrays: in memory until so many bytes are given out, then in files of a folder.

    The files have no names, so that nothing is left however the program ends.
    """

    def __init__(self, folder: Path | None, memory: int = _MEMORY) -> None:
        """Give from memory alone if there is no folder.

        Args:
            folder: where the files are; it has to be there.
            memory: bytes to give out before files are used.
        """
        self._folder = folder
        self._left = memory

    def empty(self, shape: tuple[int, ...], kind: np.dtype[Any]) -> npt.NDArray[Any]:
        """An array whose values are not set.

        Raises:
            KwsError: there is no room for its file.
        """
        size = math.prod(shape) * kind.itemsize
        if self._folder is None or size <= self._left or size == 0:
            self._left -= size
            return np.empty(shape, kind)
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                file.truncate(size)
                return np.memmap(file, kind, "r+", shape=shape)
        except OSError as error:
            raise KwsError(
                f"{self._folder}: no room for {size:,} bytes of clips "
                f"({(error.strerror or str(error)).lower()}); make room and run the command again"
            ) from None
