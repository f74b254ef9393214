"""The boards' Robot suites, run by Renode's own runner."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kws.host.emulate.renode import scripts

pytestmark = [
    pytest.mark.renode,
    pytest.mark.skipif(not shutil.which("renode-test"), reason="renode-test is missing"),
]


@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize(
    ("board", "suite", "count"),
    [
        ("nano33ble", "nrf52840", 16),
        ("nano33ble_rev2", "nrf52840", 16),
        ("xiao_nrf52840_sense", "nrf52840", 16),
        ("nrf52840_dk", "nrf52840", 16),
        ("sparkfun_edge", "sparkfun_edge", 15),
        ("b_l475e_iot01a", "b_l475e_iot01a", 16),
    ],
)
def test_robot_suite_passes(board: str, suite: str, count: int, tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "kws"
    done = subprocess.run(
        [
            *("renode-test", str(scripts() / f"{suite}.robot"), "-r", str(tmp_path)),
            *("--variable", f"KWS:{command}", "--variable", f"BOARD:{board}"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=1800,
        env={**os.environ, "PYTHONPATH": ""},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert done.stdout.count("Finished test") == count, done.stdout[-3000:]
