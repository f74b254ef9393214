# SPDX-License-Identifier: Apache-2.0
"""tools/page_speed.py: Chromium's throttling slows down what it measures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools import page_speed

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.slow
def test_a_throttled_core_needs_more_time(
    spoken_to: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_speed, "RATES", (1, 4))
    monkeypatch.setattr(page_speed, "REPEATS", 2)
    monkeypatch.setattr(page_speed, "LISTEN_SECONDS", 2)
    (core, page), (slow_core, slow_page) = page_speed.measure(
        spoken_to, tmp_path, "tiny", page_speed.speech()
    )
    assert 0 < core < 0.2
    assert slow_core / core > 2, "about 4 if the machine is not busy"
    assert 0 < page < slow_page
    heads, _, figures = page_speed.table({"tiny": [(core, page), (slow_core, slow_page)]}).split(
        "\n"
    )
    assert heads == "| model | core, 1x | core, 4x | page, 1x | page, 4x |"
    assert figures.startswith(f"| `tiny` | {100 * core:.1f} % | {100 * slow_core:.1f} % | ")
