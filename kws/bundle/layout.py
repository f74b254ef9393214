# SPDX-License-Identifier: Apache-2.0
"""The files of a bundle's folder."""

from __future__ import annotations

FORMAT = 1
"""Version of bundle.toml's layout."""

MODEL_FILE = "model.tflite"
"""The model, int8 in and out."""

SECOND_FILE = "second_look.tflite"
"""The second model, if there is one."""

FLOAT_FILE = "float.npz"
"""The float weights, if they are kept."""

SETTINGS_FILE = "bundle.toml"
"""Facts about the model, and its settings."""

CARD_FILE = "README.md"
"""The model card, for users."""

FIRMWARE_FOLDER = "firmware"
"""The model and its settings as C++; see `codegen`."""
