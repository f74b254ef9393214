# SPDX-License-Identifier: Apache-2.0
"""Adds .tflite files for LiteRT, made from a bundle's float weights, to a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.changes import Changes
from kws.bundle.reading import load_renewed
from kws.bundle.writing import check_destination, write_bundle
from kws.convert.backend import import_tensorflow
from kws.convert.litert import litert_model
from kws.errors import UsageError
from kws.model.weights.trained_model import trained_in


def file_name(kind: str) -> str:
    """Name of a LiteRT file in a bundle's folder."""
    return f"model_{kind}.tflite"


def write_with_litert(
    folder: Path, kinds: Sequence[str], out: Path, changes: Changes | None = None
) -> Bundle:
    """Write a bundle to `out`, with a file for each of `kinds` (see `kws.convert.litert.KINDS`).

    Either all files are written or none.

    Args:
        folder: a bundle with float weights.
        kinds: what to add.
        out: the new bundle's folder; may be `folder`.
        changes: settings to change.

    Raises:
        UsageError: the bundle has no float weights, or an unsuitable destination.
        ConversionError: TensorFlow cannot convert the model.
        KwsError: the bundle is damaged, settings are out of range, or it could not be written.
        ToolError: TensorFlow is not installed.
    """
    check_destination(out)
    bundle = load_renewed(folder)
    if not bundle.float_model:
        raise UsageError(
            f"{folder}: this bundle has no float weights, from which --also makes its files; pass "
            "a bundle that kws train wrote"
        )
    bundle = (changes or Changes()).apply(bundle)
    import_tensorflow()
    import keras  # noqa: PLC0415 - slow, for training only

    if keras.backend.backend() != "tensorflow":
        raise UsageError("--also needs Keras's TensorFlow backend; unset KERAS_BACKEND")
    model = trained_in(bundle, folder).build()
    files = {
        file_name(kind): litert_model(model, kind, bundle.labels, bundle.frontend) for kind in kinds
    }
    return write_bundle(bundle, out, files)
