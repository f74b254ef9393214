# SPDX-License-Identifier: Apache-2.0
"""The Arduino library is built by arduino-builder, which compiles for version 1 of the IDE.

It finds the libraries by the sketch's includes, adds prototypes to the sketch, and decides which
files it compiles. The platform is the PC, so that the program can run.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.host.export.exporters import export
from tests.host.export.building import run

STUBS = Path(__file__).with_name("arduino_stubs")
BUILDER = "arduino-builder"
SYSTEM = Path("/usr/share/arduino-builder")  # with the settings of Debian's arduino-ctags

BOARDS = """\
pc.name=PC
pc.build.core=pc
pc.build.board=PC
"""

# Core and sketch are compiled as by boards' cores.
PLATFORM = """\
name=PC
version=1.0.0
compiler.cpp.flags=-std=gnu++11 -O1 -Wall -Wextra -Wshadow -Werror
preproc.flags=-w -x c++ -E -CC
recipe.preproc.macros=g++ {compiler.cpp.flags} {preproc.flags} {includes} "{source_file}" \
-o "{preprocessed_file_path}"
recipe.cpp.o.pattern=g++ -c {compiler.cpp.flags} {includes} "{source_file}" -o "{object_file}"
recipe.ar.pattern=ar rcs "{archive_file_path}" "{object_file}"
recipe.c.combine.pattern=g++ {object_files} "{archive_file_path}" \
-o "{build.path}/{build.project_name}.elf"
"""

PDM_PROPERTIES = """\
name=PDM
version=1.0.0
author=kws
maintainer=kws
sentence=A microphone that hears its standard input.
paragraph=
category=Signal Input/Output
url=
architectures=pc
"""


def _write_platform(folder: Path) -> None:
    """The platform kws:pc, with a core and the library PDM."""
    core, microphone = folder / "cores" / "pc", folder / "libraries" / "PDM"
    for path in (core, microphone / "src"):
        path.mkdir(parents=True)
    (folder / "boards.txt").write_text(BOARDS)
    (folder / "platform.txt").write_text(PLATFORM)
    shutil.copy(STUBS / "Arduino.h", core)
    shutil.copy(STUBS / "main.cc", core / "main.cpp")
    (microphone / "library.properties").write_text(PDM_PROPERTIES)
    shutil.copy(STUBS / "PDM.h", microphone / "src")
    shutil.copy(STUBS / "PDM.cc", microphone / "src" / "PDM.cpp")


@pytest.mark.slow
def test_the_sketch_hears_what_the_device_hears(
    yes_no: Bundle, sound: Pcm, heard: list[tuple[str, int, int]], tmp_path: Path
) -> None:
    if shutil.which(BUILDER) is None:
        pytest.skip(f"{BUILDER} is not installed")
    hardware, libraries, build = (tmp_path / name for name in ("hardware", "libraries", "build"))
    _write_platform(hardware / "kws" / "pc")
    build.mkdir()
    library = libraries / "kws_yes_no"
    export("arduino", yes_no, library)
    # A second library must not be compiled: no header of it is included.
    other = libraries / "other"
    other.mkdir()
    (other / "other.h").write_text("")
    (other / "other.cpp").write_text("#error\n")

    folders: list[str | Path] = ["-hardware", SYSTEM, "-hardware", hardware, "-tools", SYSTEM]
    sketch = library / "examples" / "PrintWords" / "PrintWords.ino"
    text = run(BUILDER, *folders, "-libraries", libraries, "-fqbn", "kws:pc:pc", "-verbose",
               "-build-path", build, sketch)  # fmt: skip
    for used in (library, hardware / "kws" / "pc" / "libraries" / "PDM"):
        assert f"Using library {used.name} at version" in text
        assert f"in folder: {used}" in text
    assert "Using library other" not in text
    preprocessed = (build / "sketch" / "PrintWords.ino.cpp").read_text()
    assert "\nvoid setup();\n" in preprocessed, "the builder added prototypes"

    expected = "".join(f"{word} {score}\n" for word, score, _ in heard)
    assert run(build / "PrintWords.ino.elf", sound=sound.tobytes()) == expected
