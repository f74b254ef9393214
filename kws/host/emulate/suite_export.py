# SPDX-License-Identifier: Apache-2.0
"""Writes recordings and their expected lines for another program's test suite."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from kws._core import FAULT_BLINKS, FAULT_LINES
from kws.bundle.device import Device
from kws.files import new_directory
from kws.host.build.boards import find_board
from kws.host.emulate import host_device
from kws.host.emulate.expectations import Recording
from kws.host.emulate.renode import microphone
from kws.host.serial.lines import line_pattern


def export_suite(board: str, device: Device, recordings: Sequence[Recording], folder: Path) -> None:
    """Write the recordings as input for `board`'s emulated microphone, with the expected lines.

    Each recording becomes NN.raw (see `renode.microphone`) and NN.txt: the output of the host's
    pipeline of `device` after the boot line. `lines.json` contains everything else a suite needs:
    the labels spoken in each recording, patterns of the firmware's lines, the lines of faults and
    how often the LED blinks.

    Raises:
        UsageError: there is no such board.
        KwsError: the folder cannot be written.
    """
    described = find_board(board)
    boot = line_pattern("boot", {1: board})
    stats = line_pattern("stats", {1: "0"})
    expected = {
        "said": [[part.label for part in recording.expected] for recording in recordings],
        "boot": boot,
        "stats": stats,
        "pcm_begin": line_pattern("pcm_begin"),
        "pcm": line_pattern("pcm"),
        "faults": FAULT_LINES,
        "blinks": FAULT_BLINKS,
    }
    with new_directory(folder) as place:
        (place / "lines.json").write_text(
            json.dumps(expected, indent=2), encoding="utf-8", newline="\n"
        )
        for number, recording in enumerate(recordings):
            pcm = recording.sound(device)
            lines = host_device.play(device, pcm).text.partition("\n")[2]
            (place / f"{number:02}.raw").write_bytes(microphone(described, pcm))
            (place / f"{number:02}.txt").write_text(lines, encoding="utf-8", newline="\n")
