# SPDX-License-Identifier: Apache-2.0
"""Float weights of a bundle: `float.npz`, in half precision."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.errors import ModelError


def pack(arch: str, weights: Sequence[npt.NDArray[Any]]) -> bytes:
    """The content of `float.npz`.

    Args:
        arch: name of the architecture in the zoo.
        weights: all weights of the Keras model, in its order.
    """
    buffer = io.BytesIO()
    arrays = {f"weight{i:04}": array.astype(np.float16) for i, array in enumerate(weights)}
    np.savez_compressed(buffer, model=np.array(arch), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpack(content: bytes, folder: Path) -> tuple[str, list[npt.NDArray[np.generic]]]:
    """The architecture and the weights (float32) in `float.npz`.

    Args:
        content: content of the file.
        folder: the bundle's folder, for error messages.

    Raises:
        ModelError: the file is damaged.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            names = sorted(name for name in file.files if name.startswith("weight"))
            return str(file["model"]), [file[name].astype(np.float32) for name in names]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"{folder}: its float weights are damaged ({type(error).__name__}); train it again"
        ) from None
