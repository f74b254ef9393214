# SPDX-License-Identifier: Apache-2.0
"""Ambiq's bootloader: messages, headers, and `kws deploy --loader ambiq`."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kws.host.build.firmware_cache import OPTIONS
from kws.host.deploy.loaders import ambiq
from kws.host.deploy.real_board import find_real_board
from kws.host.deploy.sparkfun_edge import SparkFunEdgeAsSold
from kws.host.serial import ports
from tests.command_line import Run
from tests.host.deploy.programs import built_at_once
from tests.host.deploy.sparkfun_edge.ambiq_programs import (
    BOARD,
    LONGEST,
    Edge,
    program_of,
)
from tests.host.deploy.sparkfun_edge.simulated_ambiq import (
    FLASH_SIZE,
    ORIGIN,
    message,
)

pytestmark = pytest.mark.usefixtures("no_hanging")


@given(
    kind=st.integers(0, 8),
    words=st.lists(st.integers(0, 0xFFFFFFFF), max_size=3),
    data=st.binary(max_size=50),
    stray=st.binary(max_size=2),
)
def test_messages_equal_the_loaders(kind: int, words: list[int], data: bytes, stray: bytes) -> None:
    payload = b"".join(struct.pack("<I", word) for word in words) + data
    whole = ambiq.encode(kind, payload)
    assert whole == message(kind, *words, data=data)
    assert ambiq.decode(stray + whole) == (kind, payload)
    assert ambiq.decode(whole[:-1]) is None


def test_the_status_of_a_real_board() -> None:
    """As a SparkFun Edge sent it at 115200 bit/s, with the stray byte before it (Stack Overflow,
    question 56607789; the log lacks the last byte)."""
    words = "03000000 a0ff0400 02000000 07000000 01000000 ffa32dff ff5f0500 01000000 0300f449"
    status = bytes.fromhex("06f0a531 01005800 " + words) + b"\xff" * 44
    answer = ambiq.decode(b"\x80" + status)
    assert answer == (ambiq.STATUS, status[8:])
    assert struct.unpack_from("<I", answer[1], 4) == (0x4FFA0,)
    assert message(1, *struct.unpack("<20I", status[8:])) == status


def test_the_header_of_an_image() -> None:
    """Words from a log of SparkFun's script, for a program of 7424 bytes (forum, topic 37955)."""
    blob = ambiq.pack_image(0xC000, bytes(7424))
    words = struct.unpack_from("<32I", blob)
    assert (words[0], words[2]) == (0xCB001D80, 0x10008080)
    assert words[28:] == (0xC000, 0, 0xFFFFFFFF, 0xFFFFFFFF)
    assert words[1] == zlib.crc32(blob[8:])
    assert not any(words[3:28])
    assert len(blob) == 128 + 7424


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    return built_at_once(monkeypatch, tmp_path, ORIGIN, program_of(4096))


def test_command_writes_the_firmware(
    kws: Run, board: Edge, built: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "list_ports", board.lister)
    monkeypatch.setattr(ports, "open_soon", board.open_port)
    monkeypatch.setenv(OPTIONS, "96mhz")
    board.loader.starting = 0.0  # the command waits in real time, not in board time
    code, out, err = kws("deploy", "--board", "sparkfun_edge", "--loader", "ambiq")
    assert (code, err) == (0, "kws: hold the board's button 14 until kws writes\n")
    assert out.startswith(f"{board.device}: 4096 bytes written and checked; it runs: kws 0.1.0")
    assert built == ["96mhz,asb"]
    assert board.loader.problems == []


def test_other_loaders_are_refused(kws: Run) -> None:
    code, _, err = kws("deploy", "--board", "sparkfun_edge", "--loader", "uf2")
    assert (code, err.count("\n")) == (2, 1)
    assert "sparkfun_edge has no bootloader 'uf2'; --loader can be ambiq" in err
    code, _, err = kws("deploy", "--board", "nano33ble", "--loader", "ambiq")
    assert code == 2
    assert "omit --loader" in err


def test_the_table_of_boards_lists_the_loader() -> None:
    assert isinstance(find_real_board("sparkfun_edge", "ambiq"), SparkFunEdgeAsSold)
    assert BOARD.memory.flash.stop - ORIGIN == LONGEST
    assert FLASH_SIZE == 0x100000
