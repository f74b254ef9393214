# SPDX-License-Identifier: Apache-2.0
"""Exports compile as their users compile them, and detect the same words as the device."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import wave
from dataclasses import replace
from pathlib import Path

import pytest

from kws import __version__
from kws.audio.pcm import Pcm
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.changes import Changes
from kws.bundle.library import identifier
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.convert.incremental.bundle import incremental_of_bundle
from kws.errors import UsageError
from kws.host.build.programs import COMPILER
from kws.host.export.exporters import EXPORTERS, export
from tests.command_line import Run
from tests.host.export.building import STRICT, detections, lines, run
from tests.paths import ROOT
from tests.small_models import LABELS, dense_model

STUBS = Path(__file__).with_name("arduino_stubs")


def code_of(page: str, language: str) -> str:
    """The block of code in a language of a page of the documentation."""
    text = (ROOT / "docs" / page).read_text()
    (block,) = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    return str(block)


def test_cmake_programs_hear_what_the_device_hears(
    sound: Pcm, heard: list[tuple[str, int, int]], tmp_path: Path, kws: Run
) -> None:
    project, build, file = tmp_path / "kws_yes_no", tmp_path / "build", tmp_path / "sound.wav"
    code, text, error = kws("export", "cmake", "--out", project)
    assert code == 0, error
    assert f"next: cmake -S {project} -B build" in text
    with wave.open(str(file), "wb") as output:
        output.setnchannels(1)
        output.setsampwidth(2)
        output.setframerate(16000)
        output.writeframes(sound.tobytes())
    settings = {
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_STANDARD": "11",
        "CMAKE_CXX_EXTENSIONS": "OFF",
        "CMAKE_CXX_FLAGS": "-Wall -Wextra -Werror",
        "CMAKE_C_FLAGS": " ".join(STRICT),
    }
    defines = [f"-D{name}={value}" for name, value in settings.items()]
    run("cmake", "-S", project, "-B", build, *defines)
    run("cmake", "--build", build, "-j", str(os.cpu_count()))
    expected = lines(heard)
    for program in ("hear_yes_no", "hear_yes_no_c"):
        assert run(build / program, file) == expected
        missing = subprocess.run([build / program], capture_output=True, text=True, check=False)
        assert (missing.returncode, missing.stdout) == (1, "")
        assert missing.stderr == "give a WAV file: 16 kHz, mono, 16 bits\n"

    for compiler, language in ((["g++", "-std=c++11"], "cpp"), (["gcc", "-std=c11"], "c")):
        source = tmp_path / f"main.{language}"
        source.write_text(code_of("library.md", language))
        run(*compiler, *STRICT, "-c", f"-I{project / 'src'}", source, "-o", tmp_path / "main.o")
        run("g++", tmp_path / "main.o", build / "libkws_yes_no.a", "-o", tmp_path / "main")
        assert run(tmp_path / "main", sound=sound.tobytes()) == expected


def test_a_library_has_the_second_look(sound: Pcm, yes_no: Bundle, tmp_path: Path) -> None:
    ten_words = load_bundle(default_bundle_path().with_name("ten_words"))
    eager = replace(yes_no.recognizer, thresholds={"yes": 60, "no": 60}, gate_db=0.0)
    whole = replace(yes_no, recognizer=eager, path=None)
    step = Changes(inference_stride=6)
    small, _ = incremental_of_bundle(default_bundle_path(), tmp_path / "small", step)
    # The second look of a streaming model has an arena of its own.
    for name, bundle in (("whole", whole), ("small", replace(small, recognizer=eager, path=None))):
        looked = bundle.verified_by(ten_words)
        assert looked.second_look
        settings = replace(looked.second_look.settings, proposal=60)
        looked = replace(looked, second_look=replace(looked.second_look, settings=settings))
        project = tmp_path / f"project_{name}"
        export("cmake", looked, project)
        run("cmake", "-S", project, "-B", project / "build", "-DCMAKE_CXX_STANDARD=11")
        run("cmake", "--build", project / "build", "-j", str(os.cpu_count()))
        source, program = tmp_path / "main.c", tmp_path / f"hear_{name}"
        source.write_text(code_of("library.md", "c"))
        run("gcc", "-std=c11", "-c", f"-I{project / 'src'}", source, "-o", tmp_path / "main.o")
        run("g++", tmp_path / "main.o", project / "build" / "libkws_yes_no.a", "-o", program)
        expected = detections(looked, sound)
        assert [word for word, *_ in expected] == ["yes", "no"]
        assert expected != detections(bundle, sound), "the second model's scores"
        assert run(program, sound=sound.tobytes()) == lines(expected)


def test_the_arduino_sketch_hears_what_the_device_hears(
    sound: Pcm, heard: list[tuple[str, int, int]], tmp_path: Path, yes_no: Bundle
) -> None:
    """Against stub headers with the boards' functions, as C++11 like Adafruit's nRF52 core."""
    library = tmp_path / "kws_yes_no"
    export("arduino", yes_no, library)
    sketch = library / "examples" / "PrintWords" / "PrintWords.ino"
    source = tmp_path / "sketch.cc"
    source.write_text(f'#include "Arduino.h"\n{sketch.read_text()}')
    flags = ("-std=gnu++11", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror")
    program = tmp_path / "sketch"
    core = (STUBS / "main.cc", STUBS / "PDM.cc")
    sources = (library / "src").rglob("*.cpp")
    run("g++", *flags, f"-I{STUBS}", f"-I{library / 'src'}", source, *core, *sources,
        "-o", program)  # fmt: skip
    expected = "".join(f"{word} {score}\n" for word, score, _ in heard)
    assert run(program, sound=sound.tobytes()) == expected


def test_the_arduino_library_compiles_for_a_cortex_m4(
    board_tools: None, yes_no: Bundle, tmp_path: Path
) -> None:
    library = tmp_path / "kws_yes_no"
    export("arduino", yes_no, library)
    flags = ("-std=gnu++11", "-mcpu=cortex-m4", "-mthumb", "-fno-exceptions", "-fno-rtti")
    # In C++11, the whole library compiles without warnings under its users' strictest flags.
    sources = sorted((library / "src").rglob("*.cpp"))
    assert len(sources) > 50
    for first in range(0, len(sources), 20):
        part = sources[first : first + 20]
        run(COMPILER, *flags, *STRICT, "-fsyntax-only", f"-I{library / 'src'}", *part)


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_core_compiles_without_a_warning(compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = ROOT / "kws" / "firmware" / "src"
    flags = ("-std=c++11", "-pedantic-errors", "-fno-exceptions", "-fno-rtti", *STRICT)
    for file in sorted(source.glob("kws/**/*.cc")):
        run(compiler, *flags, "-fsyntax-only", f"-I{source}", file)


@pytest.mark.parametrize("kind", ["esphome", "tflm"])
def test_other_frontends_cannot_keep_the_noise(kind: str, tmp_path: Path) -> None:
    bundle = make_bundle(dense_model(), LABELS, name="a", keep_noise=True)
    with pytest.raises(UsageError, match=f"^a: .* {kind} .* --set keep_noise=false$"):
        export(kind, bundle, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", EXPORTERS)
def test_an_export_carries_the_licences(kind: str, yes_no: Bundle, tmp_path: Path) -> None:
    export(kind, yes_no, tmp_path / "out")
    text = (tmp_path / "out" / "LICENCES.md").read_text()
    assert ("| kws/ | Apache-2.0 | yes |" in text) == (tmp_path / "out" / "src").is_dir()
    assert "| CC-BY-4.0 |" in text
    assert yes_no.data in text
    assert (tmp_path / "out" / "MODEL.md").read_text() == (
        default_bundle_path() / "README.md"
    ).read_text()


def test_arduinos_rules(yes_no: Bundle, tmp_path: Path) -> None:
    library = tmp_path / "kws_yes_no"
    export("arduino", yes_no, library)
    lines = (library / "library.properties").read_text().splitlines()
    values = dict(line.split("=", 1) for line in lines)
    assert values["name"] == library.name
    assert not values["name"].lower().startswith("arduino")
    assert re.fullmatch(r"\d+\.\d+\.\d+", values["version"])
    assert values["category"] == "Signal Input/Output"
    assert values["architectures"] == "*"
    assert values["includes"] == "kws_yes_no.h"
    assert (library / "src" / values["includes"]).is_file()
    assert values["sentence"] == "Hears: yes, no."
    for key in ("author", "maintainer", "paragraph", "url"):
        assert values[key]
    for line in (library / "keywords.txt").read_text().splitlines():
        assert re.fullmatch(r"\w+\tKEYWORD[12]", line)
    files = [path for path in library.rglob("*") if not path.is_dir()]
    assert not [path for path in files if path.is_symlink()]
    # Arduino CLI before 0.35 ignores them.
    assert not [path for path in files if path.suffix == ".cc"]
    for sketch in library.rglob("*.ino"):
        assert sketch.stem == sketch.parent.name, "the editor opens no other sketch"


def test_platformios_manifest(yes_no: Bundle, tmp_path: Path) -> None:
    export("platformio", yes_no, tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "library.json").read_text())
    assert manifest["name"] == "kws_yes_no"
    assert (tmp_path / "out" / manifest["build"]["srcDir"] / manifest["headers"]).is_file()


@pytest.mark.parametrize("kind", EXPORTERS)
def test_other_folders_are_not_replaced(kind: str, yes_no: Bundle, tmp_path: Path) -> None:
    # A user's project that also contains the files of an export.
    for name in ("CMakeLists.txt", "library.properties", "library.json"):
        (tmp_path / name).write_text("years of work")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(UsageError, match="is not from kws export"):
        export(kind, yes_no, tmp_path)
    with pytest.raises(UsageError, match="is a file"):
        export(kind, yes_no, tmp_path / "library.json")
    assert sorted(tmp_path.iterdir()) == before

    out = tmp_path / "new"
    export(kind, make_bundle(dense_model(), (*LABELS[:2], "old", "older"), name="old"), out)
    assert [path for path in out.rglob("*") if "old" in path.name]
    export(kind, yes_no, out)
    left = [path for path in out.rglob("*") if "old" in path.name]
    assert not left, "an earlier export is replaced"
    own = out / "src" / "own.cc"
    own.parent.mkdir(exist_ok=True)
    own.write_text("")
    with pytest.raises(UsageError, match=r"own\.cc is not from kws export"):
        export(kind, yes_no, out)
    assert own.exists()


def test_a_name_becomes_an_identifier() -> None:
    for name, expected in (("hey-you.2", "hey_you_2"), ("2nd", "2nd"), ("yes", "yes")):
        assert identifier(make_bundle(dense_model(), LABELS, name=name)) == expected


@pytest.mark.parametrize("name", ["switch", "2nd", "hey-you.2"])
def test_any_name_compiles(name: str, tmp_path: Path) -> None:
    """Also a keyword of C++."""
    bundle = make_bundle(dense_model(), LABELS, name=name)
    export("arduino", bundle, tmp_path / "out")
    folder = tmp_path / "out" / "src"
    flags = ("-std=c++11", *STRICT, "-fsyntax-only", f"-I{folder}")
    run("g++", *flags, folder / f"kws_{identifier(bundle)}.cpp")


MAIN = """\
#include <cstdio>
#include <cstring>

#include "kws/frontend.h"
#include "kws/interpreter.h"
#include "kws/kws_c.h"
#include "kws/recognizer.h"
#include "kws/spotter.h"
#include "kws/version.h"

int main() {
  const unsigned char damaged[16] = {};
  const kws::Model model(damaged, sizeof(damaged));
  std::puts(kws::StatusMessage(model.status()));
  std::puts(kws_version());
}
"""


@pytest.mark.slow
def test_the_core_is_found_after_installation_and_fetched(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    run("cmake", "-S", ROOT, "-B", tmp_path / "b", "-DCMAKE_BUILD_TYPE=Debug")
    run("cmake", "--build", tmp_path / "b", "-j", str(os.cpu_count()))
    run("cmake", "--install", tmp_path / "b", "--prefix", installed)
    fetch = (
        "include(FetchContent)\n"
        f"FetchContent_Declare(kws SOURCE_DIR {ROOT})\n"
        "FetchContent_MakeAvailable(kws)\n"
    )
    for name, how in (("found", "find_package(kws 0.1 REQUIRED)\n"), ("fetched", fetch)):
        project = tmp_path / name
        project.mkdir()
        (project / "main.cc").write_text(MAIN)
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.21)\nproject(own LANGUAGES CXX)\n"
            f"{how}add_executable(own main.cc)\n"
            "target_link_libraries(own PRIVATE kws::kws)\n"
        )
        build = project / "build"
        run("cmake", "-S", project, "-B", build, f"-DCMAKE_PREFIX_PATH={installed}")
        run("cmake", "--build", build, "-j", str(os.cpu_count()))
        lines = run(build / "own").splitlines()
        assert lines == ["model is not a version 3 .tflite; convert it again", __version__]


def test_all_versions_are_one() -> None:
    lists = (ROOT / "CMakeLists.txt").read_text()
    header = (ROOT / "kws/firmware/src/kws/version.h").read_text()
    parts = re.findall(r"kVersion\w+ = (\d+);", header)
    assert ".".join(parts) == __version__
    assert f"project(kws VERSION {__version__} " in lists


def test_the_librarys_symbols_are_its_own(tmp_path: Path, yes_no: Bundle) -> None:
    """To link with any other code, names are in the namespace `kws` or have its prefix."""
    library = tmp_path / "kws_yes_no"
    export("cmake", yes_no, library)
    sources = [path for path in (library / "src").rglob("*.cc") if "kernels" not in path.parts]
    run("g++", "-std=c++11", "-O0", "-r", "-nostdlib", f"-I{library / 'src'}", *sources,
        "-o", tmp_path / "all.o")  # fmt: skip
    symbols = run("nm", "-C", "--defined-only", "--extern-only", tmp_path / "all.o")
    strong = re.findall(r"^[0-9a-f]+ [TDRBC] (.*)$", symbols, re.MULTILINE)
    assert len(strong) > 50
    assert [name for name in strong if not name.startswith(("kws::", "kws_"))] == []
