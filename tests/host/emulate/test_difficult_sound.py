# SPDX-License-Identifier: Apache-2.0
"""Sound from poor microphones: each board writes the host's lines, with the same scores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.build.boards import find_board
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.emulators import emulator
from kws.host.emulate.processes import PARALLEL
from kws.host.emulate.recordings import default_matrix
from kws.host.emulate.renode import Renode
from kws.host.serial.lines import Level, parse_line
from tests.host.rooms import between_silence

YES, NO, FAN = (default_matrix() / f"{name}.flac" for name in ("yes_rob", "no_awb", "fan"))

Waves = npt.NDArray[np.float64]

BOARDS = (
    "qemu",
    pytest.param("nano33ble", marks=pytest.mark.renode),
    pytest.param("sparkfun_edge", marks=pytest.mark.renode),
)

OFFSETS = (300, -300, 12000, -12000)


def words() -> Pcm:
    """yes and no with silence around them, far from clipping."""
    return np.concatenate([between_silence(load_clip(file) // 2) for file in (YES, NO)])


def changed(pcm: Pcm, addend: float | Waves = 0.0, factor: float = 1.0) -> Pcm:
    out: Pcm = np.clip(np.rint(pcm * factor + addend), -32768, 32767).astype(np.int16)
    return out


def hum(samples: int, hertz: float, amplitude: float) -> Waves:
    return amplitude * np.sin(2 * np.pi * hertz * np.arange(samples) / 16000)


def streams(folder: Path) -> dict[str, Pcm]:
    """Recordings with offsets, hum, clipping and other flaws."""
    said = words()
    every = {f"offset {offset}": changed(said, offset) for offset in OFFSETS}
    every["only the clip has an offset"] = between_silence(changed(load_clip(YES), 6000))
    every["an offset that clips the words"] = changed(said, 28000)
    every["an offset that drifts"] = changed(said, np.linspace(-2000, 9000, len(said)))
    every["hum of 50 Hz"] = changed(said, hum(len(said), 50, 1500))
    every["hum of 60 Hz and an offset"] = changed(said, hum(len(said), 60, 3000) + 700)
    every["rumble of 7 Hz"] = changed(said, hum(len(said), 7, 4000))
    every["clipped"] = changed(said, factor=40)
    every["zeros"] = np.zeros(5 * 16000, np.int16)
    every["lowest"] = np.full(5 * 16000, -32768, np.int16)
    every["highest"] = np.full(5 * 16000, 32767, np.int16)
    every["a fan on an offset"] = changed(load_clip(FAN), 1000)
    clip = load_clip(YES)
    for rate in (8000, 44100):
        times = np.arange(0, len(clip) - 1, 16000 / rate)
        other = np.interp(times, np.arange(len(clip)), clip).astype(np.int16)
        soundfile.write(folder / f"{rate}.wav", other, rate)
        every[f"{rate} Hz"] = between_silence(load_clip(folder / f"{rate}.wav"))
    return every


def test_words_are_detected_despite_an_offset(bundle: Bundle) -> None:
    for offset in OFFSETS:
        heard = host_device.play(Device(bundle), changed(words(), offset)).heard
        assert [word.label for word in heard] == ["yes", "no"], offset


@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("board", BOARDS)
def test_every_board_writes_the_hosts_lines(board: str, bundle: Bundle, tmp_path: Path) -> None:
    every = streams(tmp_path)
    elf = build(board, Device(bundle)).elf
    with emulator(board) as device, ThreadPoolExecutor(PARALLEL) as pool:
        texts = list(pool.map(lambda pcm: device.play(elf, pcm).text, every.values()))
    for (name, pcm), text in zip(every.items(), texts, strict=True):
        host = host_device.play(Device(bundle), pcm).text
        assert text.partition("\n")[2] == host.partition("\n")[2], name
    assert sum("Heard" in text for text in texts) > len(OFFSETS)


@pytest.mark.renode
@pytest.mark.slow
@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("board", ["nano33ble", "sparkfun_edge"])
def test_level_matches_the_sound(board: str, bundle: Bundle) -> None:
    """The tones repeat within the second that the board measures."""
    quiet = np.zeros(3 * 16000, np.int16)
    tone = hum(len(quiet), 500, 1.0)
    tones = [changed(quiet, tone * 700 - 1500), changed(quiet, tone * 40000)]
    elf = build(board, Device(bundle)).elf
    with Renode(find_board(board)) as device:
        boards = [device.play(elf, pcm, [(2.5, "level")]).text for pcm in tones]
    for pcm, text in zip(tones, boards, strict=True):
        level = parse_line(text.splitlines()[-1])
        assert isinstance(level, Level), text
        magnitude = np.abs(pcm.astype(int))
        assert level.peak == pytest.approx(magnitude.max(), abs=1)
        assert level.rms == pytest.approx(pcm.std(), abs=1)
        assert level.offset == pytest.approx(pcm.mean(), abs=1)
        assert level.clipped_percent == pytest.approx(100 * (magnitude >= 32767).mean(), abs=0.1)
