# SPDX-License-Identifier: Apache-2.0
"""Bundles and files of incremental models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kws.bundle.bundle import DEFAULT_STRIDE, Bundle
from kws.bundle.changes import Changes
from kws.bundle.checks import input_frames, name_from, open_model
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.convert.incremental.model import IncrementalModel, make_incremental
from kws.convert.tflite_import import read_model
from kws.errors import UsageError, located
from kws.files import atomic_write
from kws.labels import class_order


def incremental_of_bundle(
    folder: Path, out: Path, changes: Changes
) -> tuple[Bundle, IncrementalModel]:
    """Write the bundle of the incremental model of a bundle to `out`.

    It has no gate, because the model keeps results from earlier frames and must process every
    frame.

    Args:
        folder: the bundle; its inference stride is the model's step unless changed.
        out: the new bundle's folder.
        changes: settings that differ from the bundle's.

    Raises:
        BundleError: `folder` is not a bundle, or damaged.
        UsageError: `out` is the bundle itself, or not a bundle.
        ModelError: the model cannot be incremental; see `make_incremental`.
        KwsError: settings out of range, or it could not be written.
    """
    if out.resolve() == folder.resolve():
        raise UsageError(f"{out}: is the bundle itself; choose another folder with --out")
    check_destination(out)
    bundle = load_bundle(folder)
    incremental = _named(folder, bundle.model, changes.inference_stride or bundle.stride)
    look = bundle.second_look
    if look:  # a streaming model has one stride
        look = replace(look, settings=replace(look.settings, stride=0))
    made = make_bundle(
        incremental.model,
        bundle.labels,
        name=bundle.name,
        recognizer=replace(bundle.recognizer, gate_db=0.0),
        frames=bundle.frontend.frames,
        stride_samples=bundle.frontend.stride_samples,
        keep_noise=bundle.frontend.keep_noise,
        output_order=bundle.output_order,
        data=bundle.data,
        metrics=bundle.metrics,
        versions=bundle.versions,
        second_look=look,
    )
    made = replace(made, float_model=bundle.float_model)
    return write_bundle(changes.apply(made), out), incremental


def incremental_of_file(
    file: Path, labels: Sequence[str], out: Path, changes: Changes
) -> tuple[Bundle, IncrementalModel]:
    """Write the bundle of the incremental model of a .tflite file to `out`; see `convert_file`.

    Raises:
        UsageError: unsuitable labels, name or destination.
        ModelError: the file is unreadable, or its model cannot be incremental.
        KwsError: settings out of range, or it could not be written.
    """
    check_destination(out)
    model = read_model(file)
    incremental = _named(file, model, changes.inference_stride or DEFAULT_STRIDE)
    frames = input_frames(open_model(model).inputs[0].shape)
    name = changes.name or name_from(file.stem)
    with located(file):
        ordered, order = class_order(labels)
        made = make_bundle(incremental.model, ordered, name=name, frames=frames, output_order=order)
        bundle = changes.apply(made)
    return write_bundle(bundle, out), incremental


def write_incremental_file(file: Path, out: Path, step: int) -> IncrementalModel:
    """Write the incremental model of a .tflite file to the .tflite file `out`.

    Raises:
        ModelError: the file is unreadable, or its model cannot be incremental.
        KwsError: it could not be written.
    """
    incremental = _named(file, read_model(file), step)
    atomic_write(out, incremental.model)
    return incremental


def _named(source: Path, model: bytes, step: int) -> IncrementalModel:
    with located(source):
        return make_incremental(model, step)
