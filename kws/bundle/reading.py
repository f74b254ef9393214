# SPDX-License-Identifier: Apache-2.0
"""Reads and checks a bundle's folder."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from kws import __version__, config
from kws.bundle import codegen
from kws.bundle.built_in import built_in_names
from kws.bundle.bundle import Bundle
from kws.bundle.checks import TensorSettings
from kws.bundle.layout import FLOAT_FILE, FORMAT, MODEL_FILE, SECOND_FILE, SETTINGS_FILE
from kws.bundle.making import make_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.second_look import SecondLook, second_look_from
from kws.errors import BundleError, KwsError, did_you_mean, os_reason
from kws.features.frontend_settings import FrontendSettings

_OPTIONAL: dict[str, type] = {"compiled": bool, "output_order": list, "second_look": dict}
_TYPES = {
    "format": int,
    "name": str,
    "labels": list,
    "ops": list,
    "arena_bytes": int,
    "inference_stride": int,
    "sha256": str,
    "data": str,
    "frontend": dict,
    "input": dict,
    "output": dict,
    "recognizer": dict,
    "versions": dict,
    "metrics": dict,
}


def load_bundle(path: Path) -> Bundle:
    """Load the bundle in a folder, and check that its parts agree.

    Raises:
        BundleError: it is missing, incomplete, or its parts contradict each other.
    """
    with _as_bundle_error(path):
        table, bundle = _read(path)
        _check_agrees(path / SETTINGS_FILE, table, bundle)
        # The generated C++ contains this value. An older version may have needed more.
        bundle = replace(bundle, arena_bytes=table["arena_bytes"])
        if bundle.second_look:
            own = table["second_look"]["arena_bytes"]
            bundle = replace(bundle, second_look=replace(bundle.second_look, arena_bytes=own))
        _check_firmware(bundle)
        return bundle


def load_renewed(path: Path) -> Bundle:
    """Load the bundle in a folder, with all derived values from this version of kws.

    Raises:
        BundleError: its model or its settings are missing or damaged.
    """
    with _as_bundle_error(path):
        _, bundle = _read(path)
        return replace(bundle, versions={**bundle.versions, "kws": __version__})


@contextlib.contextmanager
def _as_bundle_error(path: Path) -> Iterator[None]:
    """Turn any KwsError of the block into a BundleError that names the bundle."""
    try:
        yield
    except BundleError:
        raise
    except KwsError as error:
        message = str(error)
        prefix = "" if message.startswith(str(path)) else f"{path}: "
        raise BundleError(f"{prefix}{message}") from None


def _read(path: Path) -> tuple[dict[str, Any], Bundle]:
    """The table of bundle.toml, and the bundle that this version makes from it and the model."""
    file = path / SETTINGS_FILE
    if path.is_file():
        raise BundleError(
            f"{path}: a file, but a bundle is a folder; kws convert {path} --labels "
            "silence,unknown,... --out FOLDER makes one from a .tflite file"
        )
    if (path / "saved_model.pb").is_file():
        raise BundleError(
            f"{path}: TensorFlow's SavedModel, not a bundle; convert it to an int8 .tflite file "
            "with TFLiteConverter, then pass that file to kws convert"
        )
    if not path.is_dir():
        near = did_you_mean(str(path), built_in_names())
        raise BundleError(
            f"{path}: no such bundle{near}; pass a folder that kws train wrote, or "
            "yes_no, ten_words or tiny"
        )
    if not file.is_file():
        raise BundleError(f"{path}: no {SETTINGS_FILE}, so not a bundle; pass a bundle's folder")
    table = config.read_toml(file)
    _check_table(file, table)
    try:
        model = (path / MODEL_FILE).read_bytes()
        floats = path / FLOAT_FILE
        float_model = floats.read_bytes() if floats.exists() else b""
    except OSError as error:
        text = f"{path / MODEL_FILE}: {os_reason(error)}; convert the model again"
        raise BundleError(text) from None
    sha256 = hashlib.sha256(model).hexdigest()
    if sha256 != table["sha256"]:
        raise BundleError(
            f"{path / MODEL_FILE}: its SHA-256 starts with {sha256[:8]}, but {SETTINGS_FILE} has "
            f"{table['sha256'][:8]}; the model was changed or damaged, so convert it again"
        )
    frontend = config.from_dict(FrontendSettings, table["frontend"], f"{file}: frontend")
    if not isinstance(frontend.keep_noise, bool):
        raise BundleError(
            f"{file}: frontend: keep_noise is {frontend.keep_noise!r}; it must be true or false"
        )
    own = FrontendSettings(
        stride_samples=frontend.stride_samples,
        keep_noise=frontend.keep_noise,
        frames=frontend.frames,
    )
    if frontend != own:
        raise BundleError(
            f"{file}: its model was trained with a different frontend; train it again"
        )
    bundle = make_bundle(
        model,
        table["labels"],
        name=table["name"],
        recognizer=config.from_dict(RecognizerSettings, table["recognizer"], f"{file}: recognizer"),
        inference_stride=table["inference_stride"],
        frames=frontend.frames,
        stride_samples=frontend.stride_samples,
        keep_noise=frontend.keep_noise,
        output_order=table.get("output_order", ()),
        data=table["data"],
        metrics=table["metrics"],
        second_look=_read_second(path, table),
    )
    kept = {"compiled": table.get("compiled", False), "versions": table["versions"]}
    return table, replace(bundle, **kept, float_model=float_model, path=path)


def _read_second(path: Path, table: dict[str, Any]) -> SecondLook | None:
    if "second_look" not in table:
        return None
    try:
        model = (path / SECOND_FILE).read_bytes()
    except OSError as error:
        text = f"{path / SECOND_FILE}: {os_reason(error)}; make the bundle again"
        raise BundleError(text) from None
    return second_look_from(model, table["second_look"], f"{path / SETTINGS_FILE}: second_look")


def _check_table(file: Path, table: dict[str, Any]) -> None:
    if table.get("format") != FORMAT:
        raise BundleError(
            f"{file}: format {table.get('format')!r}, but this version reads {FORMAT}; convert it "
            "again"
        )
    for key in _TYPES:
        if key not in table:
            raise BundleError(f"{file}: {key} is missing; convert the model again")
    for key, kind in (_TYPES | _OPTIONAL).items():
        if not isinstance(table.get(key, kind()), kind):
            raise BundleError(f"{file}: {key} is not a {kind.__name__}; convert the model again")
    unknown = sorted(set(table) - set(_TYPES | _OPTIONAL))
    if unknown:
        raise BundleError(f"{file}: unknown setting {unknown[0]!r}; remove it")
    if not all(type(place) is int for place in table.get("output_order", ())):
        raise BundleError(f"{file}: output_order is not a list of numbers; convert the model again")
    for label in table["labels"]:
        if not isinstance(label, str):
            raise BundleError(f"{file}: label {label!r} is not text; put it in quotes")


def _check_agrees(file: Path, table: dict[str, Any], bundle: Bundle) -> None:
    """Check that bundle.toml agrees with the model."""
    for key, settings in (("input", bundle.input), ("output", bundle.output)):
        if config.from_dict(TensorSettings, table[key], f"{file}: {key}") != settings:
            raise BundleError(f"{file}: {key} does not match the model; convert the model again")
    if tuple(table["ops"]) != bundle.ops:
        raise BundleError(f"{file}: ops do not match the model; convert the model again")
    arenas = [(table["arena_bytes"], bundle.arena_bytes)]
    if bundle.second_look:
        arenas.append((table["second_look"]["arena_bytes"], bundle.second_look.arena_bytes))
    for stated, needed in arenas:
        if stated < needed:
            raise BundleError(
                f"{file}: arena_bytes is {stated}, but this version needs {needed}; renew it with "
                f"kws set {file.parent}"
            )


def _check_firmware(bundle: Bundle) -> None:
    for name in codegen.firmware_files(bundle):
        file = bundle.firmware / name
        try:
            with file.open(encoding="utf-8") as lines:
                first = lines.readline().rstrip("\n")
        except (OSError, UnicodeDecodeError):
            first = ""
        look = bundle.second_look if name.startswith(f"{codegen.LOOK}/") else None
        if first != codegen.header_line(look or bundle):
            raise BundleError(
                f"{file}: missing, or generated by another version or from another model; renew "
                f"it with kws set {bundle.path}"
            )
