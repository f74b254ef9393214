# SPDX-License-Identifier: Apache-2.0
"""`kws deploy --probe` with pyOCD's session, target and loader, and simulated flash."""

from __future__ import annotations

import builtins
import struct
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kws.errors import BoardError, ToolError
from kws.host.deploy import deployment
from kws.host.deploy.b_l475e_iot01a import BL475eIot01a
from kws.host.deploy.image import Image, make_image
from kws.host.deploy.loaders import probe
from kws.host.deploy.nano33ble import Nano33Ble
from kws.host.deploy.nrf52840_dk import Nrf52840Dk
from kws.host.deploy.real_board import Bench, RealBoard
from kws.host.deploy.sparkfun_edge import SparkFunEdge
from kws.host.serial.ports import Port
from tests.command_line import Run
from tests.host.deploy.nano33ble_programs import QUICK, bench_of, image_of, program_of
from tests.host.deploy.programs import built_at_once
from tests.host.deploy.simulated_nano33 import BOOTLOADER, ORIGIN, PAGE, Board

pytest.importorskip("pyocd", reason="pyocd is not installed")

from pyocd.core import exceptions
from pyocd.core.helpers import ConnectHelper
from pyocd.core.session import Session
from pyocd.flash.flash import Flash
from pyocd.probe.debug_probe import DebugProbe

TARGET = Nano33Ble()
EDGE = SparkFunEdge()
ST = BL475eIot01a()


class StubProbe(DebugProbe):  # type: ignore[misc]
    """A probe that is plugged in but sends nothing."""

    def __init__(self, unique_id: str = "E6614103") -> None:
        super().__init__()
        self._id = unique_id
        self.fails: Exception | None = None

    @property
    def vendor_name(self) -> str:
        return "Raspberry Pi"

    @property
    def product_name(self) -> str:
        return "Debug Probe"

    @property
    def unique_id(self) -> str:
        return self._id

    @property
    def capabilities(self) -> set[Any]:
        return set()

    def create_associated_board(self) -> None:
        return None

    def open(self) -> None:
        if self.fails:
            raise self.fails

    def close(self) -> None:
        pass

    @property
    def is_open(self) -> bool:
        return False


class SimulatedFlash(Flash):  # type: ignore[misc]
    """Replaces pyOCD's flash algorithm; refuses operations outside the firmware's flash."""

    def __init__(self, target: Any, chip: Chip) -> None:
        super().__init__(target, chip.region.algo)
        self._chip = chip
        self.region = chip.region

    @property
    def is_double_buffering_supported(self) -> bool:
        return False

    def init(self, *_: object, **__: object) -> None:
        pass

    def uninit(self) -> None:
        pass

    def cleanup(self) -> None:
        pass

    def prepare_target(self) -> None:
        pass

    def erase_all(self) -> None:
        raise AssertionError("the whole chip was to be erased")

    def erase_sector(self, address: int) -> None:
        assert address in self._chip.free, f"sector 0x{address:x} was to be erased"
        size = self.region.sector_size
        assert address % size == 0
        self._chip.erased.append(address)
        at = address - self._chip.base
        self._chip.flash[at : at + size] = b"\xff" * size

    def program_page(self, address: int, data: Any) -> None:
        assert address in self._chip.free, f"0x{address:x} was to be written"
        at = address - self._chip.base
        old = self._chip.flash[at : at + len(data)]
        assert set(old) == {0xFF}, "written without being erased"
        self._chip.flash[at : at + len(data)] = bytes(data)


class Chip:
    """A board's chip on the probe: its flash, and the operations on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, target: RealBoard) -> None:
        self.free = target.memory.flash
        self.base = self.free.start & ~0xFFFFF  # of the 1 MB flash
        self.flash = bytearray(b"\xb0\x07" * (0x100000 // 2))
        self.before = bytes(self.flash)
        self.erased: list[int] = []
        self.resets: list[str] = []
        self.locked = False
        self.cores = True
        self.bad_address: int | None = None
        self.probe = StubProbe()
        self.sessions: list[Any] = []
        monkeypatch.setattr(ConnectHelper, "get_all_connected_probes", lambda **_: [self.probe])
        chip = self

        def open_session(session: Any, init_board: bool = True) -> None:
            session.probe.open()
            chip.attach(session)

        monkeypatch.setattr(Session, "open", open_session)
        monkeypatch.setattr(Session, "close", lambda session: None)

    def attach(self, session: Any) -> None:
        self.sessions.append(session)
        target = session.target
        self.region = target.memory_map.get_boot_memory()
        self.region.flash = SimulatedFlash(target, self)
        if self.cores:
            target.cores[0] = SimpleNamespace(node_name="Application")
            target.selected_core = 0
        for name, value in {
            "read_memory_block8": self._read,
            "is_locked": lambda: self.locked,
            "reset_and_halt": lambda *_: self.resets.append("halt"),
            "reset": lambda *_: self.resets.append("run"),
        }.items():
            setattr(target, name, value)

    def _read(self, address: int, size: int) -> list[int]:
        data = bytearray(self.flash[address - self.base : address - self.base + size])
        if self.bad_address is not None and address <= self.bad_address < address + size:
            data[self.bad_address - address] ^= 1
        return list(data)


@pytest.fixture
def chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chip]:
    yield from chip_of(monkeypatch, TARGET)


@pytest.fixture
def edge_chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chip]:
    yield from chip_of(monkeypatch, EDGE)


@pytest.fixture
def st_chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chip]:
    yield from chip_of(monkeypatch, ST)


def chip_of(monkeypatch: pytest.MonkeyPatch, target: RealBoard) -> Iterator[Chip]:
    chip = Chip(monkeypatch, target)
    yield chip
    begin, end = chip.free.start - chip.base, chip.free.stop - chip.base
    assert bytes(chip.flash[:begin]) == chip.before[:begin]
    assert bytes(chip.flash[end:]) == chip.before[end:]


@pytest.mark.parametrize("size", [1024, PAGE, 61_441])
def test_writes_only_the_images_sectors(chip: Chip, size: int) -> None:
    done: list[int] = []
    image = image_of(size)
    probe.program(TARGET, image, Bench(list, QUICK, done.append))
    pages = range(ORIGIN, ORIGIN + len(image.data), PAGE)
    assert sorted(chip.erased) == list(pages)
    assert bytes(chip.flash[ORIGIN : ORIGIN + len(image.data)]) == image.data
    assert bytes(chip.flash[pages.stop :]) == chip.before[pages.stop :]
    assert chip.resets == ["halt", "run"]
    assert sum(done) == probe.steps(image)


@pytest.mark.parametrize("size", [1024, 8192, 20_481])
def test_the_edges_sectors_may_be_larger_than_blocks(edge_chip: Chip, size: int) -> None:
    """pyOCD's name for the chip; its memory map starts at 0xc000."""
    program = struct.pack("<II", 0x10002000, 0x10101) + bytes(range(256)) * (size // 256)
    image = make_image([(0x10000, program[:size])], EDGE.memory, "test")
    done: list[int] = []
    probe.program(EDGE, image, Bench(list, QUICK, done.append))
    (session,) = edge_chip.sessions
    assert session.target.part_number == "AMA3B1KK_KBR"
    assert (edge_chip.region.start, edge_chip.region.sector_size) == (0xC000, 8192)
    sectors = range(0x10000, 0x10000 + len(image.data), 8192)
    assert sorted(edge_chip.erased) == list(sectors)
    end = sectors[-1] + 8192
    assert bytes(edge_chip.flash[0x10000:][: len(image.data)]) == image.data
    assert bytes(edge_chip.flash[end:]) == edge_chip.before[end:]
    assert sum(done) == probe.steps(image)


@pytest.mark.parametrize("size", [1024, 2048, 20_481])
def test_st_link_writes_flash_at_its_address(st_chip: Chip, size: int) -> None:
    """pyOCD's name for the chip; pages are 2 KB, and the settings' bank is not written."""
    program = struct.pack("<II", 0x20002000, 0x08000101) + bytes(range(256)) * (size // 256)
    image = make_image([(0x08000000, program[:size])], ST.memory, "test")
    done: list[int] = []
    probe.program(ST, image, Bench(list, QUICK, done.append))
    (session,) = st_chip.sessions
    assert session.target.part_number == "STM32L475xG"
    assert (st_chip.region.start, st_chip.region.sector_size) == (0x08000000, 2048)
    pages = range(0x08000000, 0x08000000 + len(image.data), 2048)
    assert sorted(st_chip.erased) == list(pages)
    assert bytes(st_chip.flash[: len(image.data)]) == image.data
    assert (
        bytes(st_chip.flash[pages[-1] + 2048 - 0x08000000 :])
        == st_chip.before[pages[-1] + 2048 - 0x08000000 :]
    )
    assert sum(done) == probe.steps(image)


def test_the_session_never_unlocks_or_erases_all(chip: Chip) -> None:
    probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))
    (session,) = chip.sessions
    assert session.options.get("auto_unlock") is False
    assert session.options.get("chip_erase") == "sector"
    assert session.options.get("target_override") == "nrf52840"
    assert session.target.part_number == "NRF52840"


def test_a_locked_chip_is_not_erased(chip: Chip) -> None:
    chip.locked = True
    with pytest.raises(BoardError, match=r"locked \(APPROTECT\).*the bootloader too"):
        probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))
    assert chip.erased == []
    assert chip.resets == []


def test_a_locked_board_without_a_bootloader_has_another_remedy(chip: Chip) -> None:
    chip.locked = True
    with pytest.raises(BoardError, match=r"`pyocd reset --target nrf52840` unlocks") as caught:
        probe.program(Nrf52840Dk(), image_of(PAGE), Bench(list, QUICK))
    assert "--probe" not in str(caught.value)
    assert chip.erased == []


def test_a_missing_on_board_debugger_has_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ConnectHelper, "get_all_connected_probes", lambda **_: [])
    with pytest.raises(BoardError, match=r"USB plug of its debugger \(J2\)") as caught:
        probe.program(Nrf52840Dk(), image_of(PAGE), Bench(list, QUICK))
    assert "--probe" not in str(caught.value)


def test_a_chip_that_does_not_answer_is_an_error(chip: Chip) -> None:
    chip.cores = False
    with pytest.raises(BoardError, match="finds no processor"):
        probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))


def test_an_image_elsewhere_is_refused(chip: Chip) -> None:
    for address in (0, ORIGIN - PAGE, TARGET.memory.flash.stop):
        image = Image(address, bytes(PAGE), PAGE)
        with pytest.raises(BoardError, match="not a writable address"):
            probe.program(TARGET, image, Bench(list, QUICK))
    assert chip.erased == []


def test_flash_that_reads_back_wrong_is_an_error(chip: Chip) -> None:
    chip.bad_address = ORIGIN + PAGE + 5
    with pytest.raises(BoardError, match="flash at 0x11000 differs from the image"):
        probe.program(TARGET, image_of(3 * PAGE), Bench(list, QUICK))
    assert chip.resets == ["halt"]


@pytest.mark.parametrize("error", [exceptions.TransferError("No ACK\nmore"), OSError(5, "I/O")])
def test_a_probe_without_a_board_is_an_error(chip: Chip, error: Exception) -> None:
    chip.probe.fails = error
    with pytest.raises(BoardError, match="the debug probe E6614103 does not reach") as caught:
        probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))
    assert "\n" not in str(caught.value)


def test_several_probes_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    two = [StubProbe("one"), StubProbe("two")]
    monkeypatch.setattr(ConnectHelper, "get_all_connected_probes", lambda **_: two)
    with pytest.raises(BoardError, match=r"2 debug probes were found: .* one, two"):
        probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))


def test_no_real_probe_is_an_error() -> None:
    """pyOCD looks at this machine's USB ports."""
    if ConnectHelper.get_all_connected_probes(blocking=False, print_wait_message=False):
        pytest.skip("a debug probe is plugged in")
    with pytest.raises(BoardError, match="no debug probe was found; plug one in"):
        probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))


def test_missing_pyocd_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: Any, **settings: Any) -> Any:
        if name.startswith("pyocd"):
            raise ImportError(name)
        return real(name, *arguments, **settings)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ToolError, match=r"pyOCD is not installed: pip install 'kws\[probe\]'"):
        probe.program(TARGET, image_of(PAGE), Bench(list, QUICK))


def test_without_a_usb_cable_the_start_is_not_checked(chip: Chip) -> None:
    done = deployment.deploy_by_probe(TARGET, image_of(PAGE), None, Bench(list, QUICK))
    assert done.port == ""
    assert "run kws monitor" in deployment.text(done)


@pytest.mark.parametrize("board", [Board(), Board(starts_as=BOOTLOADER)])
def test_with_a_usb_cable_the_boot_line_is_read(
    chip: Chip, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reset disconnects the board; the port seen before the reset is stale."""
    with board:
        attach = chip.attach

        def restart() -> None:
            board.unplug()
            board.replug()

        def attach_and_restart(session: Any) -> None:
            attach(session)
            session.target.reset = restart

        monkeypatch.setattr(chip, "attach", attach_and_restart)
        done = deployment.deploy_by_probe(TARGET, image_of(PAGE), None, bench_of(board))
        assert done.boot is not None
        assert done.port == board.device


def test_command_writes_the_firmware(
    kws: Run, chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built_at_once(monkeypatch, tmp_path, ORIGIN, program_of(2 * PAGE))
    monkeypatch.setattr("kws.host.serial.ports.list_ports", list[Port])
    code, out, err = kws("deploy", "--board", "nano33ble", "--probe")
    assert (code, err) == (0, "")
    assert out.startswith("8192 bytes written and verified; plug in")
