"""Build sizes for the Nano 33 BLE, and facts about its revisions on the board's page."""

from __future__ import annotations

import re

import pytest

from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.build.boards import find_board, firmware_folder
from kws.host.build.firmware import build
from kws.host.measure.real_time import schedule
from tests.paths import ROOT

PAGE = ROOT / "docs" / "boards" / "nano33ble.md"


@pytest.mark.usefixtures("board_tools")
@pytest.mark.emulator
def test_the_built_in_models_fit_small_boards() -> None:
    # yes_no needs 76,760 bytes of flash with gcc 12.2, and slightly more with gcc 14.2; with its
    # second look 231,284, and 36,356 bytes of RAM.
    for name, flash, ram, alone in (
        ("yes_no", 228, 36, (76, 34)),
        ("tiny", 213, 36, (64, 30)),
    ):
        device = Device(load_bundle(firmware_folder().parent / "assets" / name))
        assert len(device.models) == 2, "with a second look"
        for each, limits in ((device, (flash, ram)), (device.without_second_looks(), alone)):
            hops = schedule(find_board("nano33ble"), each).ring_hops
            size = build("nano33ble", each, ring_hops=hops).size
            assert size.flash < limits[0] * 1024
            assert size.ram < limits[1] * 1024


def test_dropped_samples_agree_with_the_page() -> None:
    page = PAGE.read_text()
    for board, samples in (("nano33ble", 960), ("nano33ble_rev2", 1600)):
        assert find_board(board).dropped_samples == samples
        assert f"{samples} samples" in re.sub(r"\s+", " ", page)
