# SPDX-License-Identifier: Apache-2.0
"""A bundle of a .tflite file that other tools made, or of C source that holds one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kws.bundle.bundle import Bundle, make_bundle
from kws.bundle.checks import check_name, name_from
from kws.bundle.reading import load_renewed
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import check_destination, write_bundle
from kws.convert import c_array
from kws.convert.wake_manifest import read_manifest
from kws.errors import ModelError, located
from kws.labels import class_order

_LARGEST = 64 * 2**20
"""Bytes. No microcontroller has room for more, and a wrong file is not read whole."""


@dataclass(frozen=True)
class Changes:
    """What a user changes in a bundle; None keeps the value, or the default of a new bundle."""

    name: str | None = None
    about: str | None = None
    inference_stride: int | None = None
    average_window_ms: int | None = None
    detection_threshold: int | None = None
    """For all labels; thresholds of single labels are removed."""

    suppression_ms: int | None = None
    minimum_count: int | None = None
    report_unknown: bool | None = None
    compiled: bool | None = None
    gate_db: float | None = None

    def apply(self, bundle: Bundle) -> Bundle:
        """The bundle with these changes, checked again.

        Raises:
            UsageError: a name that the firmware cannot hold.
            KwsError: settings out of range.
            ModelError: settings that do not fit each other.
        """
        new = {key: value for key, value in vars(self).items() if value is not None}
        fields = {f.name for f in dataclasses.fields(RecognizerSettings)}
        recognizer = {key: new.pop(key) for key in fields & set(new)}
        if self.detection_threshold is not None:
            recognizer["thresholds"] = {}  # the one threshold is for all labels
        new["data"] = new.pop("about", bundle.data)
        changed = replace(bundle, **new, recognizer=replace(bundle.recognizer, **recognizer))
        check_name(changed.name)
        changed.pipeline()
        return changed


def convert_file(
    file: Path, labels: Sequence[str], out: Path, changes: Changes | None = None
) -> Bundle:
    """Write the bundle of an int8 .tflite file to `out`.

    Args:
        file: the model, which takes the core's int8 spectrogram as it is.
        labels: one for each output, in their order: silence, unknown and the keywords, or keywords
            alone.
        out: the bundle's folder.
        changes: settings other than the defaults; the name is the file's unless given.

    Raises:
        ModelError: the file cannot be read or its model cannot be run.
        UsageError: labels, name or destination that do not fit.
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
        ModelError: the manifest or its model cannot be read, or the model cannot be run.
        UsageError: a name or destination that does not fit.
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


def renew_bundle(folder: Path, out: Path, changes: Changes | None = None) -> Bundle:
    """Write a bundle again: changed, and with all derived parts as this version of kws makes them.

    Raises:
        BundleError: `folder` is not a bundle, or its model or settings are damaged.
        UsageError: a name that does not fit, or `out` holds something else than a bundle.
        KwsError: settings out of range, or it could not be written.
    """
    return write_bundle((changes or Changes()).apply(load_renewed(folder)), out)


def read_model(file: Path) -> bytes:
    """The .tflite file in a file: itself, or an array of C or C++ source.

    Raises:
        ModelError: it is missing, unreadable, empty, too large, or source without a model.
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
    if not c_array.is_source(model):
        return model
    with located(file):
        return c_array.model_of_source(model)
