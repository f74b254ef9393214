# SPDX-License-Identifier: Apache-2.0
"""Files in the folder of a training run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kws import config

SETTINGS = "settings.toml"
"""The run's settings and the fingerprints of its data."""

CHECKPOINT = "checkpoint.npz"
"""The state after the last finished epoch."""

BUNDLE = "bundle"
"""Folder of the bundle, which a finished run has."""


def read_settings(run: Path) -> dict[str, Any]:
    """The settings of a run.

    Args:
        run: its folder.

    Raises:
        KwsError: the file is missing, unreadable or not TOML.
    """
    table = config.read_toml(run / SETTINGS)
    # The key was `model` until kws 0.1.
    return {("arch" if key == "model" else key): value for key, value in table.items()}
