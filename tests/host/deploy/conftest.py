# SPDX-License-Identifier: Apache-2.0
"""Deployment tests need no build tools."""

from __future__ import annotations

import pytest

from kws.host.measure import real_time
from kws.host.measure.real_time import Schedule


@pytest.fixture(autouse=True)
def no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kws deploy` does not estimate cycles, which would need a second build."""
    monkeypatch.setattr(real_time, "schedule", lambda *_: Schedule())
