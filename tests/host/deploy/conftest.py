# SPDX-License-Identifier: Apache-2.0
"""Deploying is tested without what a build needs."""

from __future__ import annotations

import pytest

from kws.host.measure import real_time
from kws.host.measure.real_time import Schedule


@pytest.fixture(autouse=True)
def no_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """`kws deploy` estimates no cycles, which would build another firmware."""
    monkeypatch.setattr(real_time, "schedule", lambda *_: Schedule())
