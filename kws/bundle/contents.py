"""The bundle: a folder with everything that a device or the host needs to run one model.

It holds `model.tflite` (int8 in and out), `bundle.toml` (what the model is and how to use it),
`README.md` (the same for people) and `firmware/` (the same as C++; see `codegen`).
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.resources
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from kws import __version__, _core, config
from kws.bundle import card, codegen
from kws.bundle.checks import (
    TensorSettings,
    check_name,
    check_tensors,
    input_frames,
    open_model,
)
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.errors import BundleError, KwsError, ModelError, UsageError
from kws.features.frontend_settings import FrontendSettings
from kws.files import new_directory
from kws.labels import check_labels, keywords_of

FORMAT = 1
"""Version of bundle.toml's layout."""

MODEL_FILE = "model.tflite"
FLOAT_FILE = "float.npz"
SETTINGS_FILE = "bundle.toml"
CARD_FILE = "README.md"
FIRMWARE_FOLDER = "firmware"

DEFAULT_STRIDE = 2
"""Hops from one inference to the next unless the bundle says otherwise: 40 ms."""


@dataclass(frozen=True)
class Bundle:
    """A model and what is needed to run it; `make_bundle` and `Bundle.load` give checked ones."""

    name: str
    """Short name in the boot line: letters, digits, `_`, `.`, `-`."""

    labels: tuple[str, ...]
    """silence, unknown, then the keywords: one for each of the model's scores."""

    model: bytes
    """The .tflite file."""

    input: TensorSettings
    output: TensorSettings

    ops: tuple[str, ...]
    """Names (the schema's) of the operators that the model uses, each once, in order of use."""

    arena_bytes: int
    """Tensor arena that the model needs, on every target."""

    recognizer: RecognizerSettings = field(default_factory=RecognizerSettings)
    inference_stride: int = DEFAULT_STRIDE
    """Hops from one inference to the next."""

    frontend: FrontendSettings = field(default_factory=FrontendSettings)

    data: str = ""
    """What the model learned from, and that data's licence."""

    metrics: dict[str, Any] = field(default_factory=dict)
    """What training and conversion measured."""

    versions: dict[str, str] = field(default_factory=dict)
    """Versions of the programs that made it."""

    float_model: bytes = b""
    """Float weights, from which `kws train --finetune` starts; empty if not kept."""

    path: Path | None = field(default=None, compare=False)
    """The folder it was loaded from."""

    @cached_property
    def sha256(self) -> str:
        """The model's SHA-256, 64 hexadecimal digits."""
        return hashlib.sha256(self.model).hexdigest()

    @property
    def sha8(self) -> str:
        """The first eight digits of the model's SHA-256: what the boot line shows."""
        return self.sha256[:8]

    @property
    def keywords(self) -> tuple[str, ...]:
        """The labels after silence and unknown."""
        return keywords_of(self.labels)

    @property
    def firmware(self) -> Path:
        """The folder of generated C++.

        Raises:
            BundleError: this bundle was not loaded from a folder.
        """
        if self.path is None:
            raise BundleError(f"bundle {self.name} is not on disk yet; write it first")
        return self.path / FIRMWARE_FOLDER

    def pipeline(self) -> _core.Pipeline:
        """The firmware's pipeline with this bundle's model and settings, on the host.

        Raises:
            ModelError: the core refuses the model or the settings.
        """
        try:
            return _core.Pipeline(
                self.model,
                self.labels,
                name=self.name,
                sha8=self.sha8,
                arena_bytes=self.arena_bytes,
                inference_stride=self.inference_stride,
                **self.recognizer.for_core(self.labels),
            )
        except _core.CoreError as error:
            raise ModelError(f"bundle {self.path or self.name}: {error}") from None

    @classmethod
    def load(cls, path: Path) -> Bundle:
        """The bundle in a folder, every part of it checked against the others.

        Raises:
            BundleError: it is missing, incomplete, or its parts contradict each other.
        """
        with _as_bundle_error(path):
            return _load(path)

    @classmethod
    def renew(cls, path: Path) -> Bundle:
        """The bundle in a folder, but what this version of kws derives from the model derived anew.

        Raises:
            BundleError: its model or its settings are missing or damaged.
        """
        with _as_bundle_error(path):
            bundle = _read(path)[1]
            return replace(bundle, versions={**bundle.versions, "kws": __version__})


def default_bundle_path() -> Path:
    """The bundle that comes with kws: yes and no."""
    return Path(str(importlib.resources.files("kws") / "assets" / "yes_no"))


def make_bundle(
    model: bytes,
    labels: Sequence[str],
    *,
    name: str,
    recognizer: RecognizerSettings | None = None,
    inference_stride: int | None = None,
    data: str = "",
    metrics: dict[str, Any] | None = None,
    versions: dict[str, str] | None = None,
) -> Bundle:
    """A bundle of an int8 .tflite file; what can be read from the model is read from it.

    Args:
        model: the file: one input of 49 x 40 int8 in any shape, or of as many new frames as a
            streaming model takes at a time; one output of an int8 a label.
        labels: silence, unknown, then the keywords.
        name: short name of the model.
        recognizer: how scores become commands; None for the defaults.
        inference_stride: hops from one inference to the next; None for the default, which for a
            streaming model is the only one: the frames that it takes at a time.
        data: what the model learned from and that data's licence.
        metrics: what was measured, as TOML can hold it.
        versions: programs that had a part in it; kws's own is added.

    Raises:
        ModelError: the file is damaged, uses what the runtime does not have, or has another shape.
        UsageError: labels, name or settings that do not fit.
    """
    check_name(name)
    check_labels(labels)
    interpreter = open_model(model)
    source, target = check_tensors(interpreter, len(labels))
    frames = input_frames(source.shape)
    streams = frames < FrontendSettings().frames
    if inference_stride is None:
        inference_stride = frames if streams else DEFAULT_STRIDE
    config.check_range("inference_stride", inference_stride, 1, 50)
    if streams and inference_stride != frames:
        raise UsageError(
            f"inference_stride is {inference_stride}; this model streams, {frames} new frames at a "
            f"time, so it has to be {frames}"
        )
    bundle = Bundle(
        name=name,
        labels=tuple(labels),
        model=model,
        input=source,
        output=target,
        ops=tuple(dict.fromkeys(interpreter.ops)),
        arena_bytes=interpreter.arena_used_bytes,
        recognizer=recognizer or RecognizerSettings(),
        inference_stride=inference_stride,
        data=data,
        metrics=metrics or {},
        versions={"kws": __version__, **(versions or {})},
    )
    bundle.pipeline()  # the core's own check of settings that depend on each other
    return bundle


def write_bundle(bundle: Bundle, path: Path) -> Bundle:
    """Write a bundle's folder whole, or leave what was there as it was.

    Returns:
        The bundle as loaded from `path`.

    Raises:
        UsageError: `path` is a file or a folder that holds something else than a bundle.
        KwsError: it could not be written; an old bundle there is untouched.
    """
    check_destination(path)
    with new_directory(path) as folder:
        (folder / MODEL_FILE).write_bytes(bundle.model)
        if bundle.float_model:
            (folder / FLOAT_FILE).write_bytes(bundle.float_model)
        (folder / SETTINGS_FILE).write_text(_to_toml(bundle), encoding="utf-8")
        (folder / CARD_FILE).write_text(card.model_card(bundle), encoding="utf-8")
        (folder / FIRMWARE_FOLDER).mkdir()
        for name, text in codegen.firmware_sources(bundle).items():
            (folder / FIRMWARE_FOLDER / name).write_text(text, encoding="utf-8")
    return Bundle.load(path)


def check_destination(path: Path) -> None:
    """Make sure that a bundle written to `path` replaces nothing but a bundle.

    Raises:
        UsageError: `path` is a file, or a folder that holds something else.
    """
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: a file is in the bundle's place; name another folder")
    if path.is_dir() and any(path.iterdir()) and not (path / SETTINGS_FILE).is_file():
        raise UsageError(f"{path}: this folder holds something else than a bundle; name another")


@contextlib.contextmanager
def _as_bundle_error(path: Path) -> Iterator[None]:
    """Any KwsError of the block as a BundleError that names the bundle."""
    try:
        yield
    except BundleError:
        raise
    except KwsError as error:
        message = str(error)
        where = "" if message.startswith(str(path)) else f"{path}: "
        raise BundleError(f"{where}{message}") from None


def _to_toml(bundle: Bundle) -> str:
    table = {
        "format": FORMAT,
        "name": bundle.name,
        "labels": list(bundle.labels),
        "ops": list(bundle.ops),
        "arena_bytes": bundle.arena_bytes,
        "inference_stride": bundle.inference_stride,
        "sha256": bundle.sha256,
        "data": bundle.data,
        "frontend": config.to_dict(bundle.frontend),
        "input": config.to_dict(bundle.input),
        "output": config.to_dict(bundle.output),
        "recognizer": config.to_dict(bundle.recognizer),
        "versions": bundle.versions,
        "metrics": bundle.metrics,
    }
    return config.dump_toml(table)


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


def _load(path: Path) -> Bundle:
    table, bundle = _read(path)
    file = path / SETTINGS_FILE
    _check_agrees(file, table, bundle)
    # What the generated C++ says; an older version's may be more than this one needs.
    bundle = replace(bundle, arena_bytes=table["arena_bytes"])
    _check_firmware(bundle)
    return bundle


def _read(path: Path) -> tuple[dict[str, Any], Bundle]:
    """bundle.toml's table, and the bundle that its settings and the model give now."""
    file = path / SETTINGS_FILE
    if not path.is_dir():
        raise BundleError(f"{path}: no such bundle; name a folder that kws train wrote")
    if not file.is_file():
        raise BundleError(f"{path}: no bundle, it has no {SETTINGS_FILE}; name a bundle's folder")
    table = config.read_toml(file)
    _check_table(file, table)
    try:
        model = (path / MODEL_FILE).read_bytes()
        floats = path / FLOAT_FILE
        float_model = floats.read_bytes() if floats.exists() else b""
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BundleError(f"{path / MODEL_FILE}: {reason}; convert the model again") from None
    sha256 = hashlib.sha256(model).hexdigest()
    if sha256 != table["sha256"]:
        raise BundleError(
            f"{path / MODEL_FILE}: its SHA-256 starts {sha256[:8]}, {SETTINGS_FILE} says "
            f"{table['sha256'][:8]}; the model was changed or damaged, so convert it again"
        )
    frontend = config.from_dict(FrontendSettings, table["frontend"], f"{file}: frontend")
    if frontend != FrontendSettings():
        raise BundleError(
            f"{file}: its model was trained on another frontend than this version's; train it again"
        )
    bundle = make_bundle(
        model,
        table["labels"],
        name=table["name"],
        recognizer=config.from_dict(RecognizerSettings, table["recognizer"], f"{file}: recognizer"),
        inference_stride=table["inference_stride"],
        data=table["data"],
        metrics=table["metrics"],
    )
    return table, replace(bundle, versions=table["versions"], float_model=float_model, path=path)


def _check_table(file: Path, table: dict[str, Any]) -> None:
    if table.get("format") != FORMAT:
        raise BundleError(
            f"{file}: format {table.get('format')!r}, this version reads {FORMAT}; convert it again"
        )
    for key, kind in _TYPES.items():
        if key not in table:
            raise BundleError(f"{file}: {key} is missing; convert the model again")
        if not isinstance(table[key], kind):
            raise BundleError(f"{file}: {key} is not a {kind.__name__}; convert the model again")
    unknown = sorted(set(table) - set(_TYPES))
    if unknown:
        raise BundleError(f"{file}: unknown setting {unknown[0]!r}; remove it")
    for label in table["labels"]:
        if not isinstance(label, str):
            raise BundleError(f"{file}: label {label!r} is not a text; put it in quotes")


def _check_agrees(file: Path, table: dict[str, Any], bundle: Bundle) -> None:
    """What bundle.toml says of the model has to be what the model says."""
    for key, settings in (("input", bundle.input), ("output", bundle.output)):
        if config.from_dict(TensorSettings, table[key], f"{file}: {key}") != settings:
            raise BundleError(f"{file}: {key} is not the model's; convert the model again")
    if tuple(table["ops"]) != bundle.ops:
        raise BundleError(f"{file}: ops are not the model's; convert the model again")
    if table["arena_bytes"] < bundle.arena_bytes:
        raise BundleError(
            f"{file}: arena_bytes is {table['arena_bytes']}, this version needs "
            f"{bundle.arena_bytes}; write it anew with kws convert {file.parent}"
        )


def _check_firmware(bundle: Bundle) -> None:
    for name in codegen.FILES:
        file = bundle.firmware / name
        try:
            with file.open(encoding="utf-8") as lines:
                first = lines.readline().rstrip("\n")
        except (OSError, UnicodeDecodeError):
            first = ""
        if first != codegen.header_line(bundle):
            raise BundleError(
                f"{file}: missing or not generated from this bundle's model; convert it again"
            )
