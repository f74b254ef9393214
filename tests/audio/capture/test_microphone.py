# SPDX-License-Identifier: Apache-2.0
"""Finding microphones, and the reason if there is none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kws.audio.capture.inputs import Input, find_input, inputs_text, why_none
from kws.audio.capture.portaudio import portaudio, reason_of
from kws.errors import AudioError
from tests.command_line import run_process
from tests.sound_server import DEVICE, SoundServer

INPUTS = [
    Input(0, "Intel PCH: ALC257 Analog (hw:0,0)", 44100, 2, default=False),
    Input(3, "USB Microphone: Audio (hw:1,0)", 48000, 1, default=False),
    Input(7, "default", 44100, 32, default=True),
]


@pytest.mark.parametrize(
    ("wanted", "index"),
    [(None, 7), ("0", 0), ("3", 3), ("default", 7), ("usb", 3), ("hw:0,0", 0)],
)
def test_an_input_is_found_by_number_name_or_part_of_the_name(
    wanted: str | None, index: int
) -> None:
    assert find_input(wanted, INPUTS).index == index


def test_without_a_default_the_first_input_is_used() -> None:
    assert find_input(None, INPUTS[:2]).index == 0


def test_a_wrong_name_says_what_to_do() -> None:
    with pytest.raises(AudioError, match=r"'hw:' could be any of 0 Intel .*, 3 USB .*number"):
        find_input("hw:", INPUTS)
    with pytest.raises(AudioError, match=r"no microphone 'webcam'; .*--list-devices"):
        find_input("webcam", INPUTS)


def test_without_inputs_there_is_no_list() -> None:
    with pytest.raises(AudioError, match="microphone"):
        find_input(None, [])
    with pytest.raises(AudioError, match="microphone"):
        inputs_text([])


def test_no_sound_card_and_no_permission_have_different_remedies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert why_none(tmp_path) == "no microphone found; plug one in"
    assert why_none(tmp_path / "missing") == "no microphone found; plug one in"
    node = tmp_path / "pcmC0D0c"
    node.touch()
    assert why_none(tmp_path) == "no microphone found; plug one in"
    # Root may access every device, so this stubs the result for other users.
    monkeypatch.setattr("os.access", lambda *_: False)
    assert re.search(r"no permission .*pcmC0D0c.*group audio", why_none(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Error opening InputStream: Device unavailable", -9985), "busy; close the program"),
        (("Error", -9999, (8, -16, "Device or resource busy")), "busy; close the program"),
        (("Error", -9999, (8, -13, "Permission denied")), "group audio"),
        (("Error", -9999, (8, -19, "No such device")), "not found; plug it in"),
        (("Error", -9999, (8, -5, "Input/output error")), "check that the sound server is running"),
        (("Error", -9999, (8, -77, "File descriptor in bad state")), "bad state.*--device"),
        (
            ("Error opening InputStream: Invalid sample rate", -9997),
            "invalid sample rate.*--device",
        ),
        (("Only text",), "only text.*--device"),
        ((), "cannot be used"),
    ],
)
def test_each_error_of_portaudio_says_what_to_do(arguments: tuple[object, ...], said: str) -> None:
    error = portaudio().PortAudioError(*arguments)
    assert re.search(said, reason_of(error))


def test_the_microphones_are_listed(sound_server: SoundServer) -> None:
    text = run_process("listen", "--list-devices", env=sound_server.environment)
    assert text.returncode == 0, text.stderr
    assert DEVICE in text.stdout
    assert "(default)" in text.stdout
    listed = json.loads(
        run_process("listen", "--list-devices", "--json", env=sound_server.environment).stdout
    )
    assert DEVICE in {device["name"] for device in listed}
    assert sum(device["default"] for device in listed) == 1


def test_a_machine_without_sound_gives_a_one_line_error(tmp_path: Path) -> None:
    if list(Path("/dev/snd").glob("pcm*c")):
        pytest.skip("this machine has a microphone")
    nowhere = SoundServer(tmp_path)  # never started
    (tmp_path / ".asoundrc").unlink()
    answer = run_process("listen", "--list-devices", env=nowhere.environment)
    assert answer.returncode == 1
    assert answer.stderr == "kws: no microphone found; plug one in\n"
    assert (
        run_process("listen", "--list-devices", "--json", env=nowhere.environment).stdout == "[]\n"
    )
