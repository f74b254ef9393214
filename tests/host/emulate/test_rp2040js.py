# SPDX-License-Identifier: Apache-2.0
"""The Raspberry Pi Pico's firmware in rp2040js: it writes the host's lines."""

from __future__ import annotations

import binascii
import dataclasses
import json
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.writing import write_bundle
from kws.errors import BoardError, ToolError
from kws.host.build import uf2
from kws.host.build.boards import find_board
from kws.host.build.elf_sections import content_of, symbols
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.faults import check_faults
from kws.host.emulate.recordings import default_matrix, load_matrix
from kws.host.emulate.rp2040js import Rp2040js, find_rp2040js
from tests.command_line import Run

BOARD = "rpi_pico"
RARELY, OFTEN = 12, 2
"""Intervals in hops: the Pico is mostly idle; it does not keep up with the built-in model."""

# The Pico copies models to RAM and has too little of it for a second look.

pytestmark = pytest.mark.usefixtures("board_tools")


@pytest.fixture(scope="module")
def pico() -> Iterator[Rp2040js]:
    with Rp2040js(find_board(BOARD)) as device:
        yield device


def with_interval(hops: int, bundle: Bundle, place: Path) -> Device:
    alone = bundle.without_second_look()
    return Device(write_bundle(dataclasses.replace(alone, inference_stride=hops), place))


@pytest.fixture(scope="module")
def light(tiny: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Device:
    """A device that leaves most of the time idle, which is quick to emulate."""
    return with_interval(RARELY, tiny, tmp_path_factory.mktemp("bundles") / "light")


def recording(name: str, bundle: Bundle) -> Pcm:
    every = load_matrix(default_matrix(), bundle.labels)
    return next(r.pcm for r in every if r.expected[0].name == name)


def crc32_msb_first(data: bytes) -> int:
    """As raspberrypi/pico-sdk computes it: zlib's CRC over bytes with their bits reversed."""
    crc = ~binascii.crc32(bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)) & 0xFFFFFFFF
    return int(f"{crc:032b}"[::-1], 2)


def test_the_image_begins_with_a_second_stage_that_the_boot_rom_accepts(
    yes_no: Bundle, tmp_path: Path
) -> None:
    board = find_board(BOARD)
    built = build(BOARD, Device(yes_no), tmp_path / "firmware")
    image = built.image.read_bytes()
    assert struct.unpack_from("<I", image, 252) == (crc32_msb_first(image[:252]),)
    assert built.size.ram <= board.ram
    assert built.size.ram > built.size.flash, "code and constants are copied to RAM"
    blocks = (built.folder / "firmware.uf2").read_bytes()
    heads = [struct.unpack_from("<8I", blocks, at) for at in range(0, len(blocks), uf2.BLOCK)]
    assert {head[7] for head in heads} == {0xE48BFF56}
    # The boot ROM erases by numbers.
    assert [head[3] for head in heads] == [0x10000000 + 256 * i for i in range(len(heads))]
    data = b"".join(blocks[at + 32 : at + 288] for at in range(0, len(blocks), uf2.BLOCK))
    assert data[: len(image)] == image


@pytest.mark.parametrize("name", ["yes_no", "tiny"])
def test_a_second_look_does_not_fit(name: str, kws: Run) -> None:
    code, _, err = kws("build", "--board", BOARD, "--model", name)
    assert code == 1
    assert f"{name} does not fit {BOARD}: it needs " in err
    assert "bytes more than the 270336 of RAM" in err
    assert err.endswith("; leave out its second look with --no-verify\n")


@pytest.mark.rp2040js
@pytest.mark.long
@pytest.mark.parametrize("name", ["yes by rob", "yes by annie", "down by awb"])
def test_board_writes_the_hosts_lines(
    name: str, pico: Rp2040js, bundle: Bundle, tmp_path: Path
) -> None:
    device = Device(bundle).without_second_looks()
    pcm = recording(name, bundle)
    lights = tmp_path / "lights.json"
    board = pico.play(build(BOARD, device).elf, pcm, lights=lights)
    host = host_device.play(device, pcm)
    assert board.boot is not None
    assert board.boot.board == BOARD
    assert board.text.partition("\n")[2] == host.text.partition("\n")[2]
    assert bool(host.heard) == (name != "down by awb")
    times = [at for at, on in json.loads(lights.read_text()) if on]
    settle_ms = find_board(BOARD).dropped_samples // 16
    heard = [settle_ms + event.time_ms for event in host.heard]
    assert settle_ms + 20 < times[0] < settle_ms + 120, "the first hop, after the copy to RAM"
    # A keyword lights the LED after the inference, which takes 57 ms.
    assert all(any(0 < at - time < 500 for at in times) for time in heard)


@pytest.mark.rp2040js
@pytest.mark.long
def test_a_board_that_does_not_keep_up_reports_it(
    pico: Rp2040js, bundle: Bundle, tmp_path: Path
) -> None:
    device = with_interval(OFTEN, bundle, tmp_path / "often")
    board = pico.play(build(BOARD, device).elf, recording("yes by slt", bundle))
    assert any("does not keep up" in fault for fault in board.faults)


@pytest.mark.rp2040js
@pytest.mark.slow
def test_deliberate_faults_are_reported(light: Device) -> None:
    rows = check_faults(BOARD, light)
    assert len(rows) >= 9
    assert [row for row in rows if not row.ok] == []


@pytest.mark.rp2040js
@pytest.mark.slow
def test_the_watchdog_resets_a_board_that_hangs(
    pico: Rp2040js, light: Device, tmp_path: Path
) -> None:
    good = build(BOARD, light).elf
    name = next(name for name in symbols(good) if name.startswith("_ZN3kws8Pipeline10ProcessHop"))
    content = bytearray(good.read_bytes())
    start = content_of(good, name).start - 1  # the address of Thumb code is odd
    content[start : start + 2] = b"\xfe\xe7"  # b .
    elf = tmp_path / "hangs.elf"
    elf.write_bytes(content)
    board = pico.play(elf, quiet_room(16000), seconds=4.6)
    assert any("watchdog reset the board" in fault for fault in board.faults)


@pytest.mark.rp2040js
def test_a_wrong_crc_is_refused(pico: Rp2040js, light: Device, tmp_path: Path) -> None:
    good = build(BOARD, light).elf
    content = bytearray(good.read_bytes())
    content[content_of(good, "kws_boot2_table").start + 4] ^= 1
    elf = tmp_path / "wrong.elf"
    elf.write_bytes(content)
    with pytest.raises(BoardError, match=r"boot ROM: the CRC .* is wrong"):
        pico.play(elf, None, seconds=0.1)


@pytest.mark.rp2040js
def test_a_file_that_is_not_firmware_gives_a_one_line_error(pico: Rp2040js, tmp_path: Path) -> None:
    (tmp_path / "x.elf").write_bytes(b"\x7fELF nonsense")
    with pytest.raises(BoardError) as caught:
        pico.play(tmp_path / "x.elf", None, seconds=0.1)
    assert "x.elf: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_missing_rp2040js_gives_a_one_line_error(
    kws: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("kws.__file__", str(tmp_path / "kws" / "__init__.py"))
    monkeypatch.delenv("NODE_PATH", raising=False)
    with pytest.raises(ToolError, match=r"rp2040js was not found.*npm install --prefix"):
        find_rp2040js()
