"""`kws build --pin`: the generated header, and errors in one line."""

from __future__ import annotations

import pytest

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import UsageError
from kws.host.build.boards import boards, find_board, firmware_folder
from kws.host.build.pins import MAX_PINS, pins_header
from tests.command_line import Run

NANO = find_board("nano33ble")


def test_the_header_has_a_row_per_pin(yes_no: Bundle) -> None:
    text = pins_header(NANO, Device(yes_no), ["yes=D2", "no=A0", "yes=A0"])
    assert '    {"yes", 43},  // D2\n    {"no", 4},  // A0\n    {"yes", 4},  // A0\n' in text


@pytest.mark.parametrize(
    ("pin", "message"),
    [
        ("D2", "--pin D2: write a keyword, = and a pin, such as yes=D2"),
        ("maybe=D2", "has no keyword 'maybe'; it has yes, no"),
        ("unknown=D2", "has no keyword 'unknown'; it has yes, no"),
        ("yes=D99", "--pin yes=D99: nano33ble has no pin 'D99'; it has D2, D3, "),
        ("yes=", "nano33ble has no pin ''; it has D2"),
    ],
)
def test_a_wrong_name_is_one_clear_line(pin: str, message: str, yes_no: Bundle) -> None:
    with pytest.raises(UsageError) as error:
        pins_header(NANO, Device(yes_no), ["yes=D2", pin])
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_too_many_pins_are_refused(yes_no: Bundle) -> None:
    pins_header(NANO, Device(yes_no), ["yes=D2"] * MAX_PINS)
    with pytest.raises(UsageError, match=f"the limit is {MAX_PINS}"):
        pins_header(NANO, Device(yes_no), ["yes=D2"] * (MAX_PINS + 1))


def test_the_limit_equals_the_firmwares() -> None:
    header = (firmware_folder() / "src" / "app" / "pin_pulses.h").read_text()
    assert f"kMaxPins = {MAX_PINS};" in header


def test_pins_with_another_use_are_not_offered() -> None:
    """Pins of the microphone, LEDs and serial port are not offered."""
    taken = {
        "nano33ble": {17, 25, 26, 35, 42, 24, 16, 6, 13, 41},
        "sparkfun_edge": {11, 29, 37, 44, 46, 47, 48, 49},
        "b_l475e_iot01a": {5, 22, 23, 30, 41, 71, 73},
        "rpi_pico": {0, 1, 23, 24, 25, 26, 27, 28, 29},
    }
    for board in boards():
        assert len(set(board.pins.values())) == len(board.pins)
        assert not set(board.pins.values()) & taken.get(board.name, set())


def test_pins_of_a_board_without_pins_are_refused(kws: Run, yes_no: Bundle) -> None:
    code, out, err = kws("build", "--board", "qemu", "--model", yes_no.path, "--pin", "yes=D2")
    assert (code, out) == (2, "")
    assert "--pin yes=D2: qemu has no pins" in err
