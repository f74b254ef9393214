# SPDX-License-Identifier: Apache-2.0
"""Arduino Nano 33 BLE and BLE Sense, first and second revision: USB bootloader below 0x10000."""

from __future__ import annotations

from kws.host.deploy.image import ERASED, Image, Memory
from kws.host.deploy.loaders.samba import BLOCK, Samba
from kws.host.deploy.real_board import Bench, ProtocolError, RealBoard
from kws.host.serial import ports
from kws.host.serial.ports import Port, UsbId

# ArduinoCore-mbed, boards.txt, nano33ble.vid/pid; variants/ARDUINO_NANO33BLE/pins_arduino.h and the
# bootloader's CONFIG_USB_DEVICE_PID show which is which. Rev2 has the same entry there.
APPLICATION = UsbId(0x2341, 0x805A)
BOOTLOADER = UsbId(0x2341, 0x005A)

CHIP = "nRF52840-QIAA"


class Nano33Ble(RealBoard):
    """Started by a touch at 1200 bps, written with SAM-BA."""

    name = "nano33ble"
    title = "Arduino Nano 33 BLE"
    # boards.txt has two more ids without an explanation.
    application = frozenset({APPLICATION, UsbId(0x2341, 0x015A), UsbId(0x2341, 0x025A)})
    usb = application | {BOOTLOADER}
    # The bootloader occupies the first 64 KB of 1 MB of flash. Arduino's newer bootloader, which
    # makes room for a SoftDevice, moves itself to 0xE0000 (ArduinoCore-mbed, libraries/
    # Nano33BLE_System, Nano33_updateBLandSoftDevice.ino) with its settings in the 8 KB below, so
    # applications end there.
    memory = Memory(range(0x10000, 0xDE000), range(0x20000000, 0x20040000), BLOCK)
    find = (
        "plug it in with a USB cable that carries data; if it is plugged in, tap its reset button "
        "twice, quickly (its orange LED then pulses), and run this again"
    )
    recover = (
        "the bootloader is untouched: tap reset twice, quickly, until the orange LED pulses, "
        "and run kws deploy again"
    )
    over_serial = True
    probe = "nrf52840"

    def steps(self, image: Image) -> int:
        """Each block is written and verified; the first one is also blanked."""
        return 2 * image.count + 1

    def program(self, port: Port, image: Image, bench: Bench) -> None:
        """See `RealBoard.program`."""
        if port.usb != BOOTLOADER:
            port = self._start_bootloader(port, bench)
        with bench.open_port(port.device, bench.timing.appear) as link:
            board = Samba(link, CHIP, self.memory.flash, bench.timing.answer)
            (first, head), *rest = image.blocks()
            # The bootloader does not start an application if its first two words are blank
            # (function main). They stay blank until the rest is written: if power fails in between,
            # the board starts its bootloader, not half an application.
            blank = bytes([ERASED]) * image.block
            for address, block in [(first, blank), *rest, (first, head)]:
                board.write(address, block)
                bench.advance(1)
            for address, block in image.blocks():
                board.verify(address, block)
                bench.advance(1)
            board.reset()

    def _start_bootloader(self, port: Port, bench: Bench) -> Port:
        """Reset the board into its bootloader; returns its new port."""
        before = {p.device for p in bench.lister() if p.usb == BOOTLOADER}
        ports.touch(port.device)

        def wanted(candidate: Port) -> bool:
            if port.socket and candidate.socket:
                return candidate.usb == BOOTLOADER and candidate.socket == port.socket
            return candidate.usb == BOOTLOADER and candidate.device not in before

        started = ports.wait_for(bench.lister, wanted, bench.timing.appear)
        if started is None:
            raise ProtocolError(f"{port.device}: the board did not enter its bootloader")
        return started


class Nano33BleRev2(Nano33Ble):
    """The same board with another microphone; its firmware drops more samples at the start."""

    name = "nano33ble_rev2"
    title = "Arduino Nano 33 BLE Rev2"
