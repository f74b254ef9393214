"""A bundle of a .tflite file that someone else's tools made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kws.config import RecognizerSettings
from kws.convert.bundle import (
    DEFAULT_STRIDE,
    Bundle,
    check_destination,
    make_bundle,
    write_bundle,
)
from kws.errors import ModelError, UsageError

_LARGEST = 64 * 2**20
"""Bytes; no microcontroller has room for more, and a wrong file is not read whole."""


def convert_file(
    file: Path,
    labels: Sequence[str],
    out: Path,
    *,
    name: str | None = None,
    recognizer: RecognizerSettings | None = None,
    inference_stride: int = DEFAULT_STRIDE,
    about: str = "",
) -> Bundle:
    """Write the bundle of an int8 .tflite file to `out`; see `make_bundle` for the rest.

    Args:
        file: the model; it gets the core's int8 spectrogram as it is.
        labels: silence, unknown, then the keywords.
        out: the bundle's folder.
        name: short name; None takes the file's.
        recognizer: how scores become commands; None for the defaults.
        inference_stride: hops from one inference to the next.
        about: what the model learned from and that data's licence.

    Raises:
        ModelError: the file cannot be read or its model cannot be run.
        UsageError: labels, name or destination that do not fit.
        KwsError: the bundle could not be written.
    """
    check_destination(out)
    model = read_model(file)
    try:
        bundle = make_bundle(
            model,
            labels,
            name=name or file.stem[:32],
            recognizer=recognizer,
            inference_stride=inference_stride,
            data=about,
        )
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from None
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from None
    return write_bundle(bundle, out)


def renew_bundle(folder: Path, out: Path) -> Bundle:
    """Write a bundle again, with what this version of kws derives from its model.

    Needed where the generated C++ or the arena's size has changed; labels, settings and metrics
    stay.

    Raises:
        BundleError: `folder` is no bundle, or its model or settings are damaged.
        UsageError: `out` holds something else than a bundle.
        KwsError: it could not be written.
    """
    return write_bundle(Bundle.renew(folder), out)


def read_model(file: Path) -> bytes:
    """The bytes of a model file.

    Raises:
        ModelError: it is missing, unreadable, empty, or too large to be one.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise ModelError(f"{file}: larger than {_LARGEST >> 20} MiB; name a .tflite file")
        model = file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ModelError(f"{file}: {reason}; name a .tflite file") from None
    if not model:
        raise ModelError(f"{file}: the file is empty; name a .tflite file")
    return model
