# SPDX-License-Identifier: Apache-2.0
"""Files in the folder of a training run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kws import config

SETTINGS = "settings.toml"
"""The run's settings and the fingerprints of its data."""

CHECKPOINT = "checkpoint.npz"
"""The state after the last finished epoch."""

LESSONS = "lessons.npy"
"""A speech teacher's scores for the run's clips, so that a resumed run does not wait for it."""

BUNDLE = "bundle"
"""The bundle's folder; exists only once the run has finished."""

SECOND_LOOK = "second_look"
"""The folder of the second look's own run, if there is one."""

PROPOSALS = "proposals"
"""Training talk in which the first model proposes keywords; for the second look."""

RENAMED = {
    "average": "ema",
    "even": "prior_correction",
    "hard": "hard_negative_share",
    "last": "keep_last_epoch",
    "mask": "spec_augment",
    "origin": "base_model",
    "whole": "min_keyword_energy",
}
"""Settings with other names in kws 0.1: old name to new name."""

_REMOVED = {"auxiliary_per_keyword"}
"""Settings of kws 0.1 that no command could change with effect."""


def read_settings(run: Path) -> dict[str, Any]:
    """The settings in the folder of a run, with current names.

    Raises:
        KwsError: the file is missing, unreadable or not TOML.
    """
    # The key was `model` up to kws 0.1.
    return _renamed(config.read_toml(run / SETTINGS), {"model": "arch", **RENAMED})


def _renamed(table: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A table and its inner tables with their new keys, without removed settings."""
    return {
        names.get(key, key): _renamed(value, names) if isinstance(value, dict) else value
        for key, value in table.items()
        if key not in _REMOVED
    }
