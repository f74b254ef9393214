# SPDX-License-Identifier: Apache-2.0
"""Writes a bundle's folder atomically."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kws import config
from kws.bundle import card, codegen
from kws.bundle.bundle import Bundle
from kws.bundle.layout import (
    CARD_FILE,
    FIRMWARE_FOLDER,
    FLOAT_FILE,
    FORMAT,
    MODEL_FILE,
    SECOND_FILE,
    SETTINGS_FILE,
)
from kws.bundle.reading import load_bundle
from kws.files import check_replaceable, new_directory


def write_bundle(
    bundle: Bundle, path: Path, other_files: Mapping[str, bytes] | None = None
) -> Bundle:
    """Write a bundle's folder, completely or not at all.

    Args:
        bundle: what to write.
        path: the folder.
        other_files: files that do not belong to a bundle, by name.

    Returns:
        The bundle as loaded from `path`.

    Raises:
        UsageError: `path` is a file, or a folder with anything other than a bundle.
        KwsError: it could not be written; an old bundle there is untouched.
    """
    check_destination(path)
    with new_directory(path) as folder:
        (folder / MODEL_FILE).write_bytes(bundle.model)
        if bundle.second_look:
            (folder / SECOND_FILE).write_bytes(bundle.second_look.model)
        if bundle.float_model:
            (folder / FLOAT_FILE).write_bytes(bundle.float_model)
        for name, content in (other_files or {}).items():
            (folder / name).write_bytes(content)
        (folder / SETTINGS_FILE).write_text(_to_toml(bundle), encoding="utf-8", newline="\n")
        (folder / CARD_FILE).write_text(card.model_card(bundle), encoding="utf-8", newline="\n")
        codegen.write_sources(folder / FIRMWARE_FOLDER, codegen.firmware_sources(bundle))
    return load_bundle(path)


def check_destination(path: Path) -> None:
    """Check that a bundle written to `path` would replace only a bundle.

    Raises:
        UsageError: `path` is a file, or a folder that contains something else.
    """
    check_replaceable(path, SETTINGS_FILE, "a bundle")


def _to_toml(bundle: Bundle) -> str:
    recognizer = config.to_dict(bundle.recognizer)
    if not bundle.recognizer.report_unknown:
        del recognizer["report_unknown"]  # few bundles have it
    if not bundle.recognizer.gate_rise:
        del recognizer["gate_db"]
    table = {
        "format": FORMAT,
        "name": bundle.name,
        "labels": list(bundle.labels),
        **({"output_order": list(bundle.output_order)} if bundle.output_order else {}),
        "ops": list(bundle.ops),
        "arena_bytes": bundle.arena_bytes,
        "inference_stride": bundle.inference_stride,
        **({"compiled": True} if bundle.compiled else {}),  # few bundles have it
        "sha256": bundle.sha256,
        "data": bundle.data,
        "frontend": config.to_dict(bundle.frontend),
        "input": config.to_dict(bundle.input),
        "output": config.to_dict(bundle.output),
        "recognizer": recognizer,
        **({"second_look": bundle.second_look.to_table()} if bundle.second_look else {}),
        "versions": bundle.versions,
        "metrics": bundle.metrics,
    }
    return config.dump_toml(table)
