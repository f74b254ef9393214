# SPDX-License-Identifier: Apache-2.0
"""The folder of a run, and the settings that belong to it."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.dataset import DataSet
from kws.audio.surroundings import Surroundings
from kws.errors import UsageError
from kws.files import atomic_write, make_directory
from kws.model.train.train_settings import TrainSettings
from kws.model.weights import run_files
from kws.model.zoo import user_model

_DIFFERENCES = {
    "data": "other data",
    "extra_data": "other data",
    "recordings": "other recordings of talk, noises or rooms",
    "teacher": "another teacher",
    "base_model": "another base model",
    "model_file": "another version of the model's Python file",
}
"""Descriptions of differences in fingerprints."""


def claim(
    out: Path,
    settings: TrainSettings,
    dataset: DataSet,
    extra: DataSet | None = None,
    ambient: Surroundings | None = None,
) -> None:
    """Make `out` this run's folder, or check that it already is.

    Raises:
        UsageError: the folder has a run with other settings or data.
    """
    table = config.to_dict(settings) | {"data": _fingerprint(dataset)}
    if user_model.is_own(settings.arch):
        table["model_file"] = user_model.fingerprint(settings.arch)
    if extra:
        table["extra_data"] = _fingerprint(extra)
    if ambient and ambient.fingerprint:
        table["recordings"] = ambient.fingerprint
    file = out / run_files.SETTINGS
    if not file.exists():
        write_settings(file, table)
        return
    # Runs made before a setting existed used its default.
    old = _flat(config.to_dict(TrainSettings(settings.words))) | _flat(run_files.read_settings(out))
    check_same(out, old, table)


def write_settings(file: Path, table: dict[str, Any]) -> None:
    """Write a table of settings, in a new folder if needed.

    Raises:
        KwsError: the file could not be written.
    """
    make_directory(file.parent)
    atomic_write(file, config.dump_toml(table).encode())


def check_same(out: Path, old: dict[str, Any], table: dict[str, Any]) -> None:
    """Compare the settings in the folder `out` (`old`, from TOML) with those of a new run in it.

    Raises:
        UsageError: one of them differs.
    """
    new, old = _flat(tomllib.loads(config.dump_toml(table))), _flat(old)
    for key in (*new, *old):
        if old.get(key) != new.get(key):
            values = f"{key} {_text(old.get(key))}, not {_text(new.get(key))}"
            raise UsageError(
                f"{out}: holds a run with {_DIFFERENCES.get(key, values)}; give the same settings "
                "to resume it, or choose another --out"
            )


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    """A table merged with its inner tables."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value) if isinstance(value, dict) else {key: value}
    return flat


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _fingerprint(dataset: DataSet) -> str:
    """A hash that changes when clips are added, removed or moved to another split."""
    names: Sequence[str] = [
        *(f"{clip.split} {clip.word}/{clip.path.name}" for clip in dataset.clips),
        *(path.name for path in dataset.backgrounds),
    ]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
