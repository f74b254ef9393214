# SPDX-License-Identifier: Apache-2.0
"""The Arduino sketches with an I2S microphone detect the same words as the device.

They run on the PC, with stub headers for the cores' libraries.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.host.export.exporters import export
from tests.host.export.building import refusal, run
from tests.host.export.microphones import inmp441

STUBS = Path(__file__).with_name("arduino_stubs")
FLAGS = ("-std=gnu++11", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror")


@pytest.fixture(scope="module")
def library(yes_no: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library with its objects, in build/."""
    folder = tmp_path_factory.mktemp("libraries") / "kws_yes_no"
    export("arduino", yes_no, folder)
    build = folder.parent / "build"
    build.mkdir()
    sources = sorted((folder / "src").rglob("*.cpp"))
    run("g++", *FLAGS, f"-I{folder / 'src'}", "-r", "-nostdlib", *sources, "-o", build / "kws.o")
    return folder


def build(library: Path, text: str, folder: Path) -> Path:
    """The program of a sketch."""
    source = folder / "sketch.cc"
    source.write_text(f'#include "Arduino.h"\n{text}')
    run("g++", *FLAGS, f"-I{STUBS}", f"-I{library / 'src'}", source, STUBS / "polling_main.cc",
        library.parent / "build" / "kws.o", "-o", folder / "sketch")  # fmt: skip
    return folder / "sketch"


def sketch(library: Path, name: str) -> str:
    return (library / "examples" / name / f"{name}.ino").read_text()


@pytest.mark.parametrize("name", ["PrintWordsESP32", "PrintWordsPico"])
def test_the_sketch_hears_what_the_device_hears(
    name: str, library: Path, sound: Pcm, heard: list[tuple[str, int, int]], tmp_path: Path
) -> None:
    program = build(library, sketch(library, name), tmp_path)
    expected = "".join(f"{word} {score}\n" for word, score, _ in heard)
    assert run(program, sound=inmp441(sound)) == expected
    if name == "PrintWordsPico":
        lost = run(program, sound=inmp441(sound), env={"LOSE": "1"})
        assert lost == "samples were lost\n" + expected


@pytest.mark.parametrize(
    "change",
    [
        ("PrintWordsESP32", "kSampleRate,", "kSampleRate / 2,", "not 16 kHz"),
        ("PrintWordsESP32", "WIDTH_32BIT", "WIDTH_16BIT", "not 32 bits"),
        ("PrintWordsESP32", ", I2S_STD_SLOT_LEFT", "", "not left"),
        ("PrintWordsESP32", "kWs, -1, kSd", "kWs, kSd", "pins"),
        ("PrintWordsPico", "(INPUT)", "", "an output"),
        ("PrintWordsPico", "kSampleRate)", "kSampleRate / 2)", "not 16 kHz"),
        ("PrintWordsPico", "  microphone.setBitsPerSample(32);\n", "", "not 32 bits"),
        ("PrintWordsPico", "setBuffers(32, 256)", "setBuffers(16, 256)", "less than 0.2 s"),
        ("PrintWordsPico", "kSd = 28", "kSd = 27", "pins"),
    ],
)
def test_a_wrong_sketch_is_found(
    library: Path, sound: Pcm, tmp_path: Path, change: tuple[str, str, str, str]
) -> None:
    """The stub libraries reject arguments that the real ones reject or misread."""
    name, old, new, error = change
    text = sketch(library, name)
    assert old in text
    program = build(library, text.replace(old, new), tmp_path)
    assert error in refusal(program, inmp441(sound))
