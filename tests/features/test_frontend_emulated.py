# SPDX-License-Identifier: Apache-2.0
"""The frontend on the emulated Cortex-M4F is bit-exact, with and without DSP instructions."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from kws import _core
from kws.host.build.programs import COMPILER
from kws.host.emulate.qemu import Qemu
from tests.paths import ROOT

FIRMWARE = ROOT / "kws" / "firmware"
FLAGS = (
    *("-std=c++17", "-O2", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    *("-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections"),
    *("-nostartfiles", "-Wl,--gc-sections", "--specs=nano.specs", "--specs=nosys.specs"),
)


def sounds() -> npt.NDArray[np.int16]:
    """Nine seconds: noise from faint to clipped, silence, full scale, impulses, a sine."""
    rng = np.random.default_rng(0)
    second = _core.SAMPLE_RATE
    parts = [rng.normal(0, 2.0**k, second) for k in (0, 4, 8, 12, 17)]
    parts += [
        np.zeros(second),
        np.where(rng.random(second) < 0.5, -32768, 32767),
        np.where(rng.random(second) < 0.01, -32768, rng.normal(0, 300, second)),
        20000 * np.sin(2 * np.pi * 437 / second * np.arange(second)),
    ]
    clipped: npt.NDArray[np.int16] = np.concatenate(parts).clip(-32768, 32767).astype(np.int16)
    return clipped


@pytest.mark.parametrize("keep_noise", [False, True])
@pytest.mark.parametrize("version", ["dsp", "portable"])
@pytest.mark.usefixtures("board_tools")
def test_the_emulated_board_is_bit_identical_to_the_host(
    tmp_path: Path, version: str, keep_noise: bool
) -> None:
    source, board = FIRMWARE / "src", FIRMWARE / "src" / "boards" / "qemu"
    files = [
        FIRMWARE / "test" / "core" / "frontend" / "frontend_emulated_main.cc",
        *sorted((source / "kws" / "frontend").rglob("*.cc")),
        *(source / "boards" / "audio_ring.cc", source / "boards" / "cortex_m.cc"),
        *(board / "board.cc", board / "vectors.cc"),
    ]
    includes = [f"-I{folder}" for folder in (source, FIRMWARE / "test")]
    chosen = ['-DKWS_BOARD="qemu"', f"-DKWS_KEEP_NOISE={keep_noise:d}"]
    if version == "portable":
        chosen.append("-DKWS_FRONTEND_PORTABLE")
    elf = tmp_path / "frontend.elf"
    subprocess.run(
        [COMPILER, *FLAGS, *chosen, *includes, *files, "-T", board / "qemu.ld", "-o", elf],
        check=True,
    )
    pcm = sounds()
    with Qemu() as emulator:
        image = struct.pack("<I", len(pcm)) + pcm.astype("<i2").tobytes()
        lines = emulator.run(elf, image, timeout_s=120).text.splitlines()
    assert lines[-1] == "arithmetic is right"
    on_board = np.array([list(bytes.fromhex(line)) for line in lines[:-1]], np.uint8).view(np.int8)
    np.testing.assert_array_equal(on_board, _core.Frontend(keep_noise=keep_noise).process(pcm))
