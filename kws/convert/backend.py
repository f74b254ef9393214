# SPDX-License-Identifier: Apache-2.0
"""TensorFlow, imported when it is needed, without its messages."""

from __future__ import annotations

import contextlib
import logging
import os
import warnings
from collections.abc import Iterator
from typing import Any

from kws.errors import ToolError


def import_tensorflow() -> Any:
    """The module `tensorflow`, set to give the same numbers in each run.

    Raises:
        ToolError: it is not installed.
    """
    # Read when the library is loaded: errors only, and no notes on instruction sets.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    try:
        with quiet():
            import tensorflow as tf  # noqa: PLC0415 - seconds that only training should pay for
    except ImportError:
        raise ToolError(
            "TensorFlow is not installed; training needs it: pip install 'kws[train]'"
        ) from None
    tf.get_logger().setLevel(logging.ERROR)
    logging.getLogger("absl").setLevel(logging.ERROR)
    tf.config.experimental.enable_op_determinism()
    return tf


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Discard what TensorFlow prints in this block.

    Its libraries write to the file descriptor before they read log levels. Exceptions still pass.
    """
    saved = os.dup(2)
    try:
        with (
            open(os.devnull, "w", encoding="utf-8") as nowhere,  # noqa: PTH123
            warnings.catch_warnings(),
            contextlib.redirect_stdout(nowhere),
        ):
            os.dup2(nowhere.fileno(), 2)
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
