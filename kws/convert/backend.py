# SPDX-License-Identifier: Apache-2.0
"""Imports TensorFlow on demand, without its messages."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import warnings
from collections.abc import Iterator
from typing import Any

from kws.errors import ToolError
from kws.extras import require

_PURPOSE = "a Keras model"


def import_tensorflow() -> Any:
    """The module `tensorflow`, set to deterministic results.

    Call it before importing Keras, which would import TensorFlow with its messages.

    Raises:
        ToolError: it is not installed, or its installation is damaged.
    """
    # Read when the library loads: errors only, no notes on instruction sets.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    # Off by default on processors without AVX512-VNNI. Without it, TensorFlow has no depthwise
    # convolution with different strides, which bc_resnet needs.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    try:
        with quiet():
            tf = require("tensorflow", "train", _PURPOSE)
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise ToolError(
            f"TensorFlow cannot be imported ({reason}); install it again: pip install 'kws[train]'"
        ) from None
    tf.get_logger().setLevel(logging.ERROR)
    logging.getLogger("absl").setLevel(logging.ERROR)
    tf.config.experimental.enable_op_determinism()
    return tf


def check_tensorflow() -> None:
    """Raises ToolError if TensorFlow is not installed; does not import it."""
    try:
        missing = importlib.util.find_spec("tensorflow") is None
    except ValueError:  # a module without a specification
        missing = False
    if missing:
        require("tensorflow", "train", _PURPOSE)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Discard TensorFlow's output in this block.

    Its libraries write to the file descriptor before they read log levels.
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
