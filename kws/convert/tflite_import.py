# SPDX-License-Identifier: Apache-2.0
"""Converts .tflite files from other tools, or C source with one, to bundles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.changes import Changes
from kws.bundle.checks import name_from
from kws.bundle.making import make_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.convert import c_array
from kws.convert.wake_manifest import read_manifest
from kws.errors import ModelError, located, os_reason
from kws.labels import class_order

_LARGEST = 64 * 2**20
"""In bytes, more than any microcontroller has. Avoids reading a large wrong file."""


def convert_file(
    file: Path, labels: Sequence[str], out: Path, changes: Changes | None = None
) -> Bundle:
    """Write the bundle of an int8 .tflite file to `out`.

    Args:
        file: the model, which takes the core's int8 spectrogram.
        labels: one per output, in order: silence, unknown and the keywords, or only keywords.
        out: the bundle's folder.
        changes: settings that differ from the defaults; the default name is the file's name.

    Raises:
        ModelError: the file is unreadable, or kws cannot run its model.
        UsageError: unsuitable labels, name or destination.
        KwsError: settings out of range, or the bundle could not be written.
    """
    changes = changes or Changes()
    check_destination(out)
    model = read_model(file)
    with located(file):
        ordered, order = class_order(labels)
        name = changes.name or name_from(file.stem)
        bundle = make_bundle(model, ordered, name=name, output_order=order)
        bundle = changes.apply(bundle)
    return write_bundle(bundle, out)


def convert_manifest(file: Path, out: Path, changes: Changes | None = None) -> Bundle:
    """Write the bundle of a microWakeWord model to `out`; see `read_manifest`.

    Raises:
        ModelError: the manifest or its model is unreadable, or kws cannot run the model.
        UsageError: unsuitable name or destination.
        KwsError: settings out of range, or the bundle could not be written.
    """
    changes = changes or Changes()
    check_destination(out)
    manifest = read_manifest(file)
    model = read_model(manifest.model)
    with located(file):
        bundle = make_bundle(
            model,
            (manifest.label,),
            name=changes.name or name_from(file.stem),
            recognizer=manifest.recognizer(model),
            stride_samples=manifest.stride_samples,
            data=manifest.about,
        )
        bundle = changes.apply(bundle)
    return write_bundle(bundle, out)


def read_model(file: Path) -> bytes:
    """Read a .tflite file, or one in an array of C or C++ source.

    Raises:
        ModelError: it is missing, unreadable, empty, too large, or source without a model.
    """
    try:
        if file.stat().st_size > _LARGEST:
            raise ModelError(f"{file}: larger than {_LARGEST >> 20} MiB; pass a .tflite file")
        model = file.read_bytes()
    except OSError as error:
        raise ModelError(f"{file}: {os_reason(error)}; pass a .tflite file") from None
    if not model:
        raise ModelError(f"{file}: the file is empty; pass a .tflite file")
    if not c_array.is_source(model):
        return model
    with located(file):
        return c_array.model_of_source(model)
