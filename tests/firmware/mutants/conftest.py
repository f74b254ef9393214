# SPDX-License-Identifier: Apache-2.0
"""The model in firmware with faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    """The built-in bundle without its second look: the faults are in drivers."""
    alone = load_bundle(default_bundle_path()).without_second_look()
    return write_bundle(alone, tmp_path / "bundle")
