# SPDX-License-Identifier: Apache-2.0
"""The core's constant tables are those that `make tables` computes from the parameters."""

from __future__ import annotations

import pytest

from tools.core_tables import TABLES, tables


@pytest.mark.process
def test_the_committed_tables_are_current() -> None:
    computed = tables()
    assert set(computed) == set(TABLES.values())
    for file, text in computed.items():
        assert file.read_text() == text, f"{file.name} is stale: run make tables"
