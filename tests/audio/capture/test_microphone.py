"""Finding microphones, and saying why there is none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kws.audio.capture import microphone
from kws.audio.capture.microphone import Device, devices_text, find_device
from kws.errors import AudioError
from tests.sound_server import DEVICE, SoundServer

DEVICES = [
    Device(0, "Intel PCH: ALC257 Analog (hw:0,0)", 44100, 2, default=False),
    Device(3, "USB Microphone: Audio (hw:1,0)", 48000, 1, default=False),
    Device(7, "default", 44100, 32, default=True),
]


def kws(server: SoundServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from kws.cli.main import main; main()", *arguments],
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("wanted", "index"),
    [(None, 7), ("0", 0), ("3", 3), ("default", 7), ("usb", 3), ("hw:0,0", 0)],
)
def test_a_device_is_its_number_its_name_or_a_part_of_it(wanted: str | None, index: int) -> None:
    assert find_device(wanted, DEVICES).index == index


def test_without_a_default_the_first_is_taken() -> None:
    assert find_device(None, DEVICES[:2]).index == 0


def test_a_wrong_name_says_what_to_do() -> None:
    with pytest.raises(AudioError, match=r"'hw:' could be any of 0 Intel .*, 3 USB .*number"):
        find_device("hw:", DEVICES)
    with pytest.raises(AudioError, match=r"no microphone 'webcam' is there.*--list-devices"):
        find_device("webcam", DEVICES)


def test_no_device_and_no_right_to_it_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(microphone, "_NODES", tmp_path)
    with pytest.raises(AudioError, match="no microphone was found; plug one in"):
        find_device(None, [])
    (tmp_path / "pcmC0D0c").touch()
    # Root may use everything, so the answer for others is put in its place.
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(AudioError, match=r"no permission .*pcmC0D0c.*group audio"):
        find_device(None, [])
    with pytest.raises(AudioError, match="no permission"):
        devices_text([])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Error opening InputStream: Device unavailable", -9985), "busy; close the program"),
        (("Error", -9999, (8, -16, "Device or resource busy")), "busy; close the program"),
        (("Error", -9999, (8, -13, "Permission denied")), "group audio"),
        (("Error", -9999, (8, -19, "No such device")), "not there; plug it in"),
        (("Error", -9999, (8, -5, "Input/output error")), "look whether the sound server runs"),
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
    error = microphone.portaudio().PortAudioError(*arguments)
    assert re.search(said, microphone._reason(error))


def test_the_microphones_are_listed(sound_server: SoundServer) -> None:
    text = kws(sound_server, "listen", "--list-devices")
    assert text.returncode == 0, text.stderr
    assert DEVICE in text.stdout
    assert "(default)" in text.stdout
    found = json.loads(kws(sound_server, "listen", "--list-devices", "--json").stdout)
    assert DEVICE in {device["name"] for device in found}
    assert sum(device["default"] for device in found) == 1


def test_a_machine_without_sound_says_so(tmp_path: Path) -> None:
    if list(Path("/dev/snd").glob("pcm*c")):
        pytest.skip("this machine has a microphone of its own")
    nowhere = SoundServer(tmp_path)  # never started
    (tmp_path / ".asoundrc").unlink()
    answer = kws(nowhere, "listen", "--list-devices")
    assert answer.returncode == 1
    assert answer.stderr == "kws: no microphone was found; plug one in\n"
    assert kws(nowhere, "listen", "--list-devices", "--json").stdout == "[]\n"
