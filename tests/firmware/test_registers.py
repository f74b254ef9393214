"""Register constants in the ports' headers agree with the vendor's SVD file.

In a header, `constexpr uint32_t kName = 0x4001d518;  // PDM.GAINL[1] ...` names a register and
`1u << 0;  // PDM.MODE.OPERATION=Mono` a field, which must contain all bits of the value. If the
vendor lists the field's values, the comment must name one of them, and the value must equal it.

pyOCD has the SVD files, except the RP2040's: KWS_RP2040_SVD is the path of RP2040.svd, which is in
the repository raspberrypi/pico-sdk under src/rp2040/hardware_regs.
"""

from __future__ import annotations

import functools
import io
import itertools
import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.build.boards import find_board, firmware_folder
from kws.host.build.firmware import build

BOARDS = firmware_folder() / "src" / "boards"
HEADERS = {  # by chip, which names its SVD file
    "nrf52840": sorted((BOARDS / "nrf52840").rglob("nrf52840*.h")),
    "apollo3": [BOARDS / "sparkfun_edge" / "apollo3.h"],
    "STM32L4x5": [BOARDS / "b_l475e_iot01a" / "stm32l475.h"],
    "RP2040": [BOARDS / "rpi_pico" / "rp2040.h"],
}

# Registers of newer chips, which pyOCD's file lacks: nrfx, bsp/stable/mdk/nrf52840.svd.
NEWER = {"nrf52840": {"APPROTECT.DISABLE": 0x40000558}}

_CONSTANT = re.compile(
    r"constexpr uint32_t (k\w+) =\s*([^;]+); *"
    r"// ([A-Z]\w*(?:\.\w+(?:\[\d+\])?)+)(?:=(\w+))?(?=[ ;:,]|$)",
    re.M,
)
_INTERRUPT = re.compile(r"constexpr uint32_t (k\w+Interrupt) = (\d+); *// ([A-Z]\w*)$", re.M)


@dataclass(frozen=True)
class Constant:
    chip: str
    file: str
    name: str
    value: int
    vendor_name: str
    value_name: str | None = None


def _evaluate(text: str) -> int:
    number = r"(?:0x[0-9a-f]+|\d+)u?"
    assert re.fullmatch(rf"{number}(?: << {number})?", text), f"cannot read {text!r}"
    value, _, shift = text.replace("u", "").partition(" << ")
    return int(value, 0) << int(shift or "0", 0)


def constants() -> list[Constant]:
    return [
        Constant(chip, header.name, match[1], _evaluate(match[2]), *match.groups()[2:])
        for chip, headers in HEADERS.items()
        for header in headers
        for pattern in (_CONSTANT, _INTERRUPT)
        for match in pattern.finditer(header.read_text())
    ]


@dataclass(frozen=True)
class Chip:
    registers: dict[str, int]
    """Address by name, such as `UARTE0.PSEL.TXD` or `TIMER0.CC[2]`."""

    fields: dict[str, tuple[int, int]]
    """Lowest and highest bit by name, such as `UARTE0.PSEL.TXD.PORT`."""

    values: dict[str, dict[str, int]]
    """Values by name, for fields with listed values."""

    interrupts: dict[str, int]
    """Number by peripheral (the first, if it has several) and by the interrupt's name."""


def _number(node: ElementTree.Element, tag: str, default: str = "0") -> int:
    return int(node.findtext(tag) or default, 0)


def _elements(node: ElementTree.Element) -> list[tuple[str, int]]:
    """Names and offsets of a register or cluster; several if it is an array."""
    name, offset = str(node.findtext("name")), _number(node, "addressOffset")
    count = _number(node, "dim", "1")
    if "[%s]" not in name:
        return [(name, offset)]
    step = _number(node, "dimIncrement")
    return [(name.replace("%s", str(i)), offset + i * step) for i in range(count)]


def _bits(field: ElementTree.Element) -> tuple[int, int]:
    if match := re.fullmatch(r"\[(\d+):(\d+)\]", field.findtext("bitRange") or ""):
        return int(match[2]), int(match[1])
    if field.find("bitOffset") is not None:
        low = _number(field, "bitOffset")
        return low, low + _number(field, "bitWidth", "1") - 1
    return _number(field, "lsb"), _number(field, "msb")


def _svd(chip: str) -> bytes:
    if chip == "RP2040":
        if "KWS_RP2040_SVD" not in os.environ:
            pytest.skip("KWS_RP2040_SVD does not name RP2040.svd of raspberrypi/pico-sdk")
        return Path(os.environ["KWS_RP2040_SVD"]).read_bytes()
    svd_module = pytest.importorskip(
        "pyocd.debug.svd", reason="pyocd, which has the SVD, is missing"
    )
    archive = Path(str(svd_module.__file__)).parent / "svd_data.zip"
    with zipfile.ZipFile(archive) as file:
        return file.read(f"{chip}.svd")


@functools.cache
def describe(chip: str) -> Chip:
    root = ElementTree.parse(io.BytesIO(_svd(chip))).getroot()
    registers: dict[str, int] = {}
    fields: dict[str, tuple[int, int]] = {}
    values: dict[str, dict[str, int]] = {}
    interrupts: dict[str, int] = {}

    def add(node: ElementTree.Element, prefix: str, base: int) -> None:
        for child in (*node.findall("register"), *node.findall("cluster")):
            for name, offset in _elements(child):
                path = f"{prefix}.{name}"
                if child.tag == "cluster":
                    add(child, path, base + offset)
                    continue
                registers[path] = base + offset
                for field in child.iter("field"):
                    full_name = f"{path}.{field.findtext('name')}"
                    fields[full_name] = _bits(field)
                    values[full_name] = {
                        str(value.findtext("name")): _number(value, "value")
                        for value in field.iter("enumeratedValue")
                    }

    peripherals = {str(node.findtext("name")): node for node in root.iter("peripheral")}
    for name, node in peripherals.items():
        described = peripherals[node.get("derivedFrom", name)]
        content = node.find("registers") or described.find("registers")
        if content is not None:  # else it has only interrupts
            add(content, name, _number(node, "baseAddress"))
        for interrupt in node.findall("interrupt"):
            interrupts.setdefault(name, _number(interrupt, "value"))
    for interrupt in root.iter("interrupt"):
        interrupts.setdefault(str(interrupt.findtext("name")), _number(interrupt, "value"))
    registers |= NEWER.get(chip, {})
    return Chip(registers, fields, values, interrupts)


def test_headers_are_read() -> None:
    read = constants()
    assert {
        "kPdmStart",
        "kUartBaud",
        "kPdmGain0dB",
        "kPdmInterrupt",
        "kUsbdEnable",
        "kAdcSlot0",
        "kDfsdmSinc4",
        "kPioDivisor256th",
    } <= {c.name for c in read}
    # A constant that looks like a register's address must name it, or it would not be compared.
    for header in itertools.chain(*HEADERS.values()):
        for name, value in re.findall(
            r"constexpr uint32_t (k\w+) =\s*(0x[45]\w{7});(?! *// [A-Z]\w*\.)", header.read_text()
        ):
            assert "Errata" in name, f"{header.name}: {name} {value} names no register"


@pytest.mark.parametrize("constant", constants(), ids=lambda c: f"{c.file}:{c.name}")
def test_constant_equals_the_vendors(constant: Constant) -> None:
    chip = describe(constant.chip)
    name = constant.vendor_name
    if name in chip.registers:
        assert constant.value == chip.registers[name]
    elif name in chip.interrupts:
        assert constant.value == chip.interrupts[name]
    else:
        if name not in chip.fields:
            name = re.sub(r"^(\w+\.\w+)\.", r"\1[0].", name)  # an array
        low, high = chip.fields[name]
        mask = (1 << (high + 1)) - (1 << low)
        assert constant.value & mask == constant.value
        assert constant.value != 0
        listed = chip.values[name]
        # A field may be a number with a name for one special value.
        if len(listed) > 1 or constant.value >> low in listed.values():
            assert constant.value_name in listed
            assert constant.value >> low == listed[constant.value_name]
        else:
            assert constant.value_name is None


_NRF52840 = {
    "KwsPowerClockInterrupt": "POWER",
    "KwsUartInterrupt": "UARTE0",
    "KwsTimerInterrupt": "TIMER0",
    "KwsPdmInterrupt": "PDM",
}
_WITH_USB = {**_NRF52840, "KwsUsbdInterrupt": "USBD"}

VECTORS = {  # by board: chip, end address of its RAM, handlers by peripheral
    "nano33ble": ("nrf52840", 0x20040000, _WITH_USB),
    "xiao_nrf52840_sense": ("nrf52840", 0x20040000, _WITH_USB),
    "nrf52840_dk": ("nrf52840", 0x20040000, _NRF52840),
    "sparkfun_edge": (
        "apollo3",
        0x10060000,
        {
            "KwsTimerInterrupt": "CTIMER",
            "KwsUartInterrupt": "UART0",
            "KwsAdcInterrupt": "ADC",
        },
    ),
    "b_l475e_iot01a": (
        "STM32L4x5",
        0x20018000,
        {
            "KwsMicDmaInterrupt": "DMA1_Channel4",
            "KwsTimerInterrupt": "TIM2",
            "KwsSendDmaInterrupt": "DMA2_Channel6",
        },
    ),
    "rpi_pico": (
        "RP2040",
        0x20042000,
        {
            "KwsTimerInterrupt": "TIMER_IRQ_0",
            "KwsDmaInterrupt": "DMA_IRQ_0",
            "KwsUartInterrupt": "UART0_IRQ",
        },
    ),
}

IN_RAM = {"rpi_pico": 0x20002000}
"""Where the table is copied to, if the firmware runs in RAM."""


@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize("board", VECTORS)
def test_vectors_are_where_the_chip_looks(board: str, yes_no: Bundle) -> None:
    chip, ram_end, handlers = VECTORS[board]
    with build(board, Device(yes_no)).elf.open("rb") as stream:
        elf = ELFFile(stream)
        table, names = elf.get_section_by_name(".vectors"), elf.get_section_by_name(".symtab")
        assert table is not None
        assert isinstance(names, SymbolTableSection)
        functions = {
            symbol["st_value"]: symbol.name
            for symbol in names.iter_symbols()
            if symbol["st_info"]["type"] == "STT_FUNC"
        }
        data = table.data()
        assert table["sh_addr"] == IN_RAM.get(board, find_board(board).flash_start)
        size = 1 << (len(data) - 1).bit_length()
        assert table["sh_addr"] % size == 0, "VTOR requires alignment to its size"
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
    assert words[0] % 8 == 0
    assert ram_end - 0x60000 < words[0] <= ram_end
    assert functions[words[1]] == "KwsReset"
    numbers = {name: describe(chip).interrupts[device] for name, device in handlers.items()}
    placed = {functions[word]: i for i, word in enumerate(words[16:]) if word in functions}
    placed.pop("KwsFaultEntry")
    assert placed == numbers
