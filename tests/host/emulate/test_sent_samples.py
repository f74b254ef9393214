# SPDX-License-Identifier: Apache-2.0
"""Samples sent by the firmware produce the firmware's lines on the host."""

from __future__ import annotations

import numpy as np
import pytest

from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.qemu import Qemu
from kws.host.emulate.recordings import default_matrix
from kws.host.serial.lines import Heard, PcmEnd, Samples, Scores, parse_line
from tests.host.rooms import between_silence

pytestmark = pytest.mark.usefixtures("board_tools")


def test_samples_from_the_board_give_its_lines_on_the_host(yes_no: Bundle) -> None:
    elf = build("qemu", Device(yes_no)).elf
    pcm = between_silence(load_clip(default_matrix() / "yes_slt.flac"))
    with Qemu() as emulator:
        text = emulator.play(elf, pcm, "pcm 3\nscores on\n").text
    lines = [parse_line(line) for line in text.splitlines()]
    sent = np.concatenate([line.pcm for line in lines if isinstance(line, Samples)])
    assert len(sent) == 3 * 16000
    assert np.array_equal(sent, pcm[: len(sent)])
    assert PcmEnd(len(sent), 0) in lines
    host = host_device.play(Device(yes_no), sent)
    heard = [line for line in lines[: lines.index(PcmEnd(len(sent), 0))] if isinstance(line, Heard)]
    assert heard == list(host.heard)
    assert heard
    scores = [line for line in lines if isinstance(line, Scores)]
    assert len(scores) > 40
    assert {len(line.means) for line in scores} == {len(yes_no.labels)}
    time = heard[0].time_ms
    at_word = next(line for line in scores if line.time_ms == time)
    assert at_word.means[yes_no.labels.index("yes")] == heard[0].score
