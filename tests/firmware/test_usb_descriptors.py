"""The USB port's descriptors, read by an independent parser (usb-protocol)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kws.host.build.boards import firmware_folder

SOURCES = firmware_folder() / "src"

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="no host compiler")
standard = pytest.importorskip("usb_protocol.types.descriptors.standard")
cdc = pytest.importorskip("usb_protocol.types.descriptors.cdc")

_DUMP = """
#include <cstdio>
#include "boards/nrf52840/usb/usb_descriptors.h"
using namespace kws::board;
static void Print(const uint8_t* data, size_t size) {
  for (size_t i = 0; i < size; ++i) std::printf("%02x", data[i]);
  std::printf("\\n");
}
int main() {
  Print(kUsbDeviceDescriptor, kUsbDeviceBytes);
  Print(kUsbConfigurationDescriptor, kUsbConfigurationBytes);
  for (int index = 0; index < 256; ++index) {
    uint8_t text[kUsbMaxStringBytes];
    Print(text, UsbStringDescriptor(index, 0xfedcba9876543210, text));
  }
}
"""


BOARDS = {  # by board: ids, names
    "nano33ble": (0x2341, 0x805A, "Arduino", "Nano 33 BLE"),
    "xiao_nrf52840_sense": (0x2886, 0x8045, "Seeed", "XIAO nRF52840 Sense"),
}


@pytest.fixture(scope="module", params=BOARDS)
def board(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def dump(board: str, tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Device, configuration, strings 0 to 255."""
    folder: Path = tmp_path_factory.mktemp("usb")
    (folder / "dump.cc").write_text(_DUMP)
    sources = [folder / "dump.cc", SOURCES / "boards/nrf52840/usb/usb_descriptors.cc"]
    table = f'-DKWS_BOARD_TABLE="boards/nrf52840/tables/{board}.h"'
    command = ["g++", "-std=c++17", f"-I{SOURCES}", table, "-fsanitize=address,undefined"]
    subprocess.run([*command, *sources, "-o", folder / "dump"], check=True)
    lines = subprocess.run([folder / "dump"], check=True, capture_output=True, text=True).stdout
    return [bytes.fromhex(line) for line in lines.splitlines()]


def _split(configuration: bytes) -> list[bytes]:
    parts = []
    while configuration:
        size = configuration[0]
        assert 2 <= size <= len(configuration)
        parts.append(configuration[:size])
        configuration = configuration[size:]
    return parts


def test_device_has_the_boards_ids_and_names(board: str, dump: list[bytes]) -> None:
    device = standard.DeviceDescriptor.parse(dump[0])
    assert device.bLength == len(dump[0]) == 18
    vendor, product, *expected = BOARDS[board]
    assert (device.idVendor, device.idProduct) == (vendor, product)
    assert device.bcdUSB == 2.0
    assert device.bNumConfigurations == 1
    assert device.bMaxPacketSize0 == 64
    # "Miscellaneous" with an association: USB's ECN on interface association, section 2.
    assert (device.bDeviceClass, device.bDeviceSubclass, device.bDeviceProtocol) == (0xEF, 2, 1)
    names = [
        standard.StringDescriptor.parse(dump[2 + index]).bString
        for index in (device.iManufacturer, device.iProduct, device.iSerialNumber)
    ]
    assert names == [*expected, "FEDCBA9876543210"]


def test_strings_are_in_one_language(dump: list[bytes]) -> None:
    languages = standard.StringLanguageDescriptor.parse(dump[2])
    assert list(languages.wLANGID) == [0x0409]
    for string in dump[2:6]:
        assert string[0] == len(string)
    assert all(string == b"" for string in dump[6:])


def test_configuration_has_the_size_of_its_parts(dump: list[bytes]) -> None:
    configuration = standard.ConfigurationDescriptor.parse(dump[1])
    assert configuration.wTotalLength == len(dump[1])
    assert configuration.bNumInterfaces == 2
    assert configuration.bConfigurationValue == 1
    assert configuration.bmAttributes == 0x80  # powered by the bus, no remote wake-up
    assert configuration.bMaxPower == 50  # 100 mA
    kinds = [part[1] for part in _split(dump[1])]
    assert kinds == [2, 11, 4, 0x24, 0x24, 0x24, 0x24, 5, 4, 5, 5]


def test_association_names_both_interfaces(dump: list[bytes]) -> None:
    association = standard.InterfaceAssociationDescriptor.parse(_split(dump[1])[1])
    assert (association.bFirstInterface, association.bInterfaceCount) == (0, 2)
    assert (association.bFunctionClass, association.bFunctionSubClass) == (2, 2)


def test_interfaces_and_their_endpoints(dump: list[bytes]) -> None:
    parts = _split(dump[1])
    interfaces: list[tuple[Any, list[Any]]] = []
    for part in parts:
        if part[1] == 4:
            interfaces.append((standard.InterfaceDescriptor.parse(part), []))
        elif part[1] == 5:
            interfaces[-1][1].append(standard.EndpointDescriptor.parse(part))
    control, data = interfaces
    assert [i.bInterfaceNumber for i, _ in interfaces] == [0, 1]
    assert all(i.bNumEndpoints == len(endpoints) for i, endpoints in interfaces)
    assert (control[0].bInterfaceClass, control[0].bInterfaceSubclass) == (2, 2)
    assert data[0].bInterfaceClass == 10
    assert [e.bEndpointAddress for e in control[1]] == [0x81]
    assert [e.bmAttributes for e in control[1]] == [3]  # interrupt
    assert {e.bEndpointAddress: (e.bmAttributes, e.wMaxPacketSize) for e in data[1]} == {
        0x02: (2, 64),
        0x82: (2, 64),
    }


def test_class_descriptors(dump: list[bytes]) -> None:
    header, calls, acm, union = (part for part in _split(dump[1]) if part[1] == 0x24)
    assert cdc.HeaderDescriptor.parse(header).bcdCDC == 1.1
    assert cdc.CallManagementFunctionalDescriptor.parse(calls).bDataInterface == 1
    # Line coding and control line state (2), break (4): PSTN 1.2 section 5.3.2.
    assert cdc.ACMFunctionalDescriptor.parse(acm).bmCapabilities == 6
    joined = cdc.UnionFunctionalDescriptor.parse(union)
    assert joined.bControlInterface == 0
    assert joined.bSubordinateInterface0 == 1
