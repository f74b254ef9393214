# SPDX-License-Identifier: Apache-2.0
"""Lines from the serial port are parsed; damaged output is detected."""

from __future__ import annotations

import pytest

from kws._core import LINE_FORMATS
from kws.host.serial.lines import Boot, Heard, Listening, Then, Waiting, parse, parse_line


def test_reads_boot_line_and_detections() -> None:
    serial = parse(
        b"kws 0.1.0 on qemu, model yes_no 09e5e2a9, arena 5796 of 5800 bytes\n"
        b"Heard yes (201) @4056ms\nHeard turn on (255) @20ms\n"
    )
    assert serial.boot == Boot("0.1.0", "qemu", "yes_no", "09e5e2a9", 5796, 5800)
    assert serial.heard == (Heard("yes", 201, 4056), Heard("turn on", 255, 20))
    assert serial.faults == ()


def test_reads_faults() -> None:
    assert parse(b"error: model is damaged; convert it again\n").faults == (
        "model is damaged; convert it again",
    )


def test_incomplete_lines_and_noise_are_not_detections() -> None:
    serial = parse(b"Heard yes (201) @40\xff\xfe\nHeard yes (201)\nI Heard no (201) @1ms\n")
    assert serial.heard == ()
    assert serial.boot is None


BOOT = b"kws 0.1.0 on qemu, model yes_no 09e5e2a9, arena 5796 of 5800 bytes\n"


def test_a_second_start_is_a_flaw_even_within_a_line() -> None:
    assert parse(BOOT + b"Heard yes (201) @4056ms\n").flaws == ()
    assert parse(BOOT + b"Heard ye" + BOOT).flaws == ("it started 2 times",)


def test_a_reset_of_the_pipeline_for_samples_is_not_a_flaw() -> None:
    begin = LINE_FORMATS["pcm_begin"].format(1, 0).encode() + b"\n"
    assert parse(BOOT + begin + BOOT).flaws == ()
    assert parse(BOOT + begin + BOOT + BOOT).flaws == ("it started 2 times",)


@pytest.mark.parametrize("byte", [b"\0", b"\x1b", b"\x0b", b"\x85", b"\xff"])
def test_a_byte_that_is_not_text_is_a_flaw_with_its_line(byte: bytes) -> None:
    (flaw,) = parse(BOOT + b"stats: 47 ho" + byte + b"ps\n").flaws
    assert flaw.startswith("a line is damaged: 'stats: 47 ho\\")
    assert flaw.endswith("ps'")


def test_other_letters_and_carriage_returns_are_not_flaws() -> None:
    assert parse("Heard größer (201) @4056ms\r\nHeard नमस्ते (9) @1ms\n".encode()).flaws == ()


def test_carriage_returns_are_allowed() -> None:
    assert parse(b"Heard yes (201) @4056ms\r\n").heard == (Heard("yes", 201, 4056),)


def test_reads_the_lines_of_two_bundles() -> None:
    serial = parse(
        b"kws 0.1.0 on qemu, model yes_no 09e5e2a9, arena 5796 of 5800 bytes\n"
        b"then model ten_words 1a2b3c4d for 5000 ms, arena 5800 of 5800 bytes\n"
        b"Heard yes (201) @4056ms\nListening for commands @4056ms\n"
        b"Waiting for the wake word @9056ms\nListening for commands @x\n"
    )
    assert serial.events == (Heard("yes", 201, 4056), Listening(4056), Waiting(9056))
    assert serial.heard == (Heard("yes", 201, 4056),)
    assert serial.boot is not None
    assert serial.boot.model == "yes_no"
    assert parse_line(serial.text.splitlines()[1]) == Then(
        "ten_words", "1a2b3c4d", 5000, 5800, 5800
    )
