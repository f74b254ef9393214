# SPDX-License-Identifier: Apache-2.0
"""Programs for TensorFlow Lite Micro compile against the export and compute the same results as
TFLM.

KWS_TFLM_ARDUINO is a checkout of the library for Arduino. Its sketches are built with it and with
the export; both have to print the same lines. That compiles all of TFLM, which takes minutes.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.host.build.programs import COMPILER
from kws.host.export.exporters import export
from tests.host.export.building import CLIPS, STRICT, run_binary
from tests.paths import ROOT
from tests.small_models import dense_model

SOURCES = Path(__file__).with_name("tflm")
PEDANTIC = ("-pedantic-errors", *STRICT)
TFLM = "KWS_TFLM_ARDUINO"


def objects_of(sources: list[Path], folder: Path, *flags: str) -> list[Path]:
    """Compile each file; two at once."""

    def compiled(numbered: tuple[int, Path]) -> Path:
        number, source = numbered
        out = folder / f"{number}_{source.name}.o"
        compiler = "gcc" if source.suffix == ".c" else "g++"
        run_binary(compiler, *flags, "-c", source, "-o", out)
        return out

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(compiled, enumerate(sources)))


@pytest.fixture(scope="module")
def library(yes_no: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled export: `src`, and libtflm.a next to it."""
    out = tmp_path_factory.mktemp("tflm") / "kws_tflm"
    export("tflm", yes_no, out)
    objects = out.parent / "objects"
    objects.mkdir()
    sources = sorted((out / "src").rglob("*.cpp"))
    layer = [path for path in sources if "tensorflow" in path.parts]
    core = [path for path in sources if "tensorflow" not in path.parts]
    include = f"-I{out / 'src'}"
    files = objects_of(layer, objects, "-std=c++11", *PEDANTIC, include)
    files += objects_of(core, objects, "-std=c++11", "-O1", include)
    run_binary("ar", "rc", out / "libtflm.a", *files)
    return out


@pytest.fixture(scope="module")
def infer(library: Path) -> Path:
    program = library / "infer"
    source = SOURCES / "infer.cc"
    flags = ("-std=c++11", *PEDANTIC, f"-I{library / 'src'}")
    run_binary("g++", *flags, source, library / "libtflm.a", "-o", program)
    return program


def test_a_model_computes_what_it_computes_elsewhere(
    infer: Path, yes_no: Bundle, tmp_path: Path
) -> None:
    model = tmp_path / "model.tflite"
    model.write_bytes(yes_no.model)
    own = _core.Interpreter(yes_no.model)
    (facts,) = own.inputs
    rows = np.random.default_rng(7).integers(-128, 128, (5, *facts.shape[1:]), np.int8)
    lines = (
        run_binary(infer, model, "200000", given=rows.tobytes())
        .decode()
        .replace("\r", "")
        .split("\n")
    )

    assert lines[:2] == ["version 3", "MicroMutableOpResolver<4> is full"]
    shape = " ".join(map(str, facts.shape))
    assert lines[2] == f"input 9 {facts.scale:g} {facts.zero_point} {shape} = {rows[0].size}"
    expected = [" ".join(map(str, np.ravel(own.invoke(row[None])[0]))) for row in rows]
    assert [line.strip() for line in lines[4:9]] == expected
    # The tensors' descriptions need memory in addition to kws's interpreter.
    used = int(re.fullmatch(r"arena: (\d+) bytes used", lines[9])[1])  # type: ignore[index]
    assert own.arena_used_bytes < used <= own.arena_used_bytes + 256
    ticks = dict(line.split(",") for line in lines[11:] if line)
    assert int(ticks.pop("total")) == sum(map(int, ticks.values()))
    assert set(ticks) <= set(own.ops)


def test_errors_are_printed(infer: Path, yes_no: Bundle, tmp_path: Path) -> None:
    def failing(model: bytes, arena: int) -> str:
        file = tmp_path / "model.tflite"
        file.write_bytes(model)
        done = subprocess.run([infer, file, str(arena)], capture_output=True, check=False)
        assert done.returncode == 1, done.stderr
        return done.stdout.decode().replace("\r", "")

    text = failing(dense_model(dtype="uint8"), 100_000)
    assert "op 0, FULLY_CONNECTED: " in text
    for arena in (0, 8, 100, 1000):
        text = failing(yes_no.model, arena)
        assert "arena is too small" in text
        assert f"no inference with {arena} bytes" in text
    assert failing(b"not a model" * 100, 100_000).startswith("version 0\n")


@pytest.fixture(scope="module")
def frontend(library: Path) -> Path:
    program = library / "frontend"
    include = f"-I{library / 'src'}"
    (main,) = objects_of([SOURCES / "frontend.c"], library, "-std=c99", *PEDANTIC, include)
    run_binary("g++", main, library / "libtflm.a", "-o", program)
    return program


@pytest.mark.parametrize(
    ("step", "frames", "digest"),
    [
        (20, 549, "a497b5346aedd88680af3267203caab57d242cb3e0f24e2b1d92c4beb1608185"),
        (10, 1098, "39d217fa3a76c391cbd345b3bc87385d1665324ca9d42c0f492a9195df130cd5"),
    ],
)
def test_the_frontend_is_tflms_in_c(frontend: Path, step: int, frames: int, digest: str) -> None:
    """The digests are of TFLM's library for Arduino, compiled for the host."""
    clips = ("yes_slt", "no_awb", "fan", "pink_noise", "five_mike")
    sound = np.concatenate([load_clip(CLIPS / f"{name}.flac") for name in clips])
    values: NDArray[np.uint16] = np.frombuffer(
        run_binary(frontend, str(step), given=sound.tobytes()), np.uint16
    )
    assert values.size == 40 * frames
    assert hashlib.sha256(values.tobytes()).hexdigest() == digest
    # Nearly the features of TFLM's audio preprocessor.
    steps = (256 * values.reshape(-1, 40).astype(int) + 333) // 666 - 128
    own = _core.Frontend(16 * step).process(sound)
    assert np.mean(np.minimum(steps, 127) != own[: len(steps)]) < 0.01


@pytest.mark.parametrize("setting", ["size_ms", "num_channels", "enable_pcan", "strength"])
def test_other_frontends_are_refused(frontend: Path, setting: str) -> None:
    done = subprocess.run([frontend, "20", setting], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(rf"frontend: kws does not support this value of \w+\.{setting}", done.stderr)


def test_every_op_has_its_name_in_tflm() -> None:
    core = ROOT / "kws" / "firmware"
    ops = re.findall(r"KWS_OP\((\w+)\)", (core / "src/kws/runtime/kernels/op_list.inc").read_text())
    names = (core / "tflm/tensorflow/lite/micro/kernels/op_names.inc").read_text()
    schema = (core / "src/kws/runtime/model/schema.h").read_text()
    enum = schema.split("enum class BuiltinOp")[1].split("};")[0]
    rows = re.findall(r"TFLM_OP\((\w+), (\w+)\)", names)
    assert [name for _, name in rows] == ops
    for upper, name in rows:
        (code,) = re.findall(rf"\bk{name} = (\d+)", enum)
        assert _core.op_name(int(code)) == upper


def test_it_compiles_for_a_cortex_m4(board_tools: None, library: Path) -> None:
    flags = ("-std=gnu++11", "-mcpu=cortex-m4", "-mthumb", "-fno-exceptions", "-fno-rtti")
    sources = sorted((library / "src" / "tensorflow").rglob("*.cpp"))
    run_binary(COMPILER, *flags, *PEDANTIC, "-fsyntax-only", f"-I{library / 'src'}", *sources)


# Platform of the sketches: sound from stdin, words to stdout.
MICRO_SPEECH = """\
#include <cstdio>
#include <cstdlib>
#include "audio_provider.h"
#include "command_responder.h"
#include "main_functions.h"

static int16_t sound[16000 * 60];
static int total;
static int32_t now;

TfLiteStatus InitAudioRecording() {
  total = static_cast<int>(std::fread(sound, 2, 16000 * 60, stdin));
  return kTfLiteOk;
}
TfLiteStatus GetAudioSamples(int start_ms, int duration_ms, int* size, int16_t** samples) {
  *size = 16 * duration_ms;
  *samples = sound + 16 * start_ms;
  return 16 * start_ms + *size <= total ? kTfLiteOk : kTfLiteError;
}
int32_t LatestAudioTimestamp() {
  now += 20;
  if (16 * now > total) std::exit(0);
  return now;
}
void RespondToCommand(int32_t time, const char* word, uint8_t score, bool is_new) {
  if (is_new) std::printf("%s %d @%d\\n", word, score, static_cast<int>(time));
}
int main() {
  setup();
  for (;;) loop();
}
"""
HELLO_WORLD = """\
#include <cstdio>
#include <cstdlib>
#include "constants.h"
#include "main_functions.h"
#include "output_handler.h"

const int kInferencesPerCycle = 100;

void HandleOutput(float x, float y) {
  static int count = 0;
  std::printf("%.6f %.6f\\n", static_cast<double>(x), static_cast<double>(y));
  if (++count == kInferencesPerCycle) std::exit(0);
}
int main() {
  setup();
  for (;;) loop();
}
"""
BOARD = """\
#include <cstdio>
extern "C" void DebugLog(const char* text) { std::fputs(text, stderr); }
namespace tflite {
void InitializeTarget() {}
}
namespace peripherals {
unsigned MicrosecondsCounter() { return 0; }
}
"""


@pytest.fixture(scope="module")
def arduino() -> Path:
    if TFLM not in os.environ:
        pytest.skip(f"{TFLM} does not name a checkout of TFLM's library for Arduino")
    return Path(os.environ[TFLM]).resolve()


@pytest.fixture(scope="module")
def tflm(arduino: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path]:
    """TFLM for the host: compiler options, and the library."""
    folder = tmp_path_factory.mktemp("reference")
    source = arduino / "src"
    third = source / "third_party"
    (folder / "TensorFlowLite.h").write_text("")  # the real one supports only Arduino boards
    (folder / "board.cpp").write_text(BOARD)
    places = (folder, source, third / "flatbuffers/include", third / "gemmlowp", third / "ruy",
              third / "kissfft", third / "cmsis_nn", third / "cmsis_nn/Include",
              third / "cmsis/CMSIS/Core/Include")  # fmt: skip
    flags = ["-w", "-DCMSIS_NN", "-DNDEBUG", *(f"-I{place}" for place in places)]
    every = [*source.rglob("tensorflow/**/*.c*"), *third.rglob("*.c*")]
    files = [path for path in every if path.name not in {"system_setup.cpp", "debug_log.cpp"}]
    kernels = [path for path in files if path.parent.name == "cmsis_nn"]
    rest = [path for path in files if path not in kernels]
    objects = objects_of(kernels, folder, "-DARDUINO", *flags)
    objects += objects_of([*rest, folder / "board.cpp"], folder, *flags)
    run_binary("ar", "rc", folder / "libtflm.a", *objects)
    return flags, folder / "libtflm.a"


SKETCHES = {
    "hello_world": (HELLO_WORLD, ("model.cpp",)),
    "micro_speech": (
        MICRO_SPEECH,
        (
            "feature_provider.cpp",
            "micro_features_micro_features_generator.cpp",
            "micro_features_micro_model_settings.cpp",
            "micro_features_model.cpp",
            "recognize_commands.cpp",
        ),
    ),
}
"""Platform and sources by the sketch's name."""


@pytest.mark.slow
@pytest.mark.parametrize("sketch", SKETCHES)
def test_sketches_print_what_they_print_with_tflm(
    arduino: Path,
    tflm: tuple[list[str], Path],
    library: Path,
    tmp_path: Path,
    sketch: str,
) -> None:
    platform, own = SKETCHES[sketch]
    folder = arduino / "examples" / sketch
    main = tmp_path / "sketch.cc"
    main.write_text((folder / f"{sketch}.ino").read_text())
    (tmp_path / "platform.cc").write_text(platform)
    files = [main, tmp_path / "platform.cc", *(folder / name for name in own)]
    flags, reference = tflm
    with_tflm, with_kws = tmp_path / "with_tflm", tmp_path / "with_kws"
    run_binary("g++", "-std=gnu++14", f"-I{folder}", *flags, *files, reference, "-o", with_tflm)
    run_binary("g++", "-std=gnu++11", f"-I{folder}", f"-I{library / 'src'}", *files,
        library / "libtflm.a", "-o", with_kws)  # fmt: skip
    words = [load_clip(CLIPS / f"{name}.flac") for name in ("yes_slt", "no_awb", "yes_rob")]
    pause = np.random.default_rng(5).integers(-20, 20, 16000).astype(np.int16)
    sound = np.concatenate([part for word in words for part in (pause, word)] + [pause]).tobytes()
    lines = run_binary(with_kws, given=sound)
    assert lines == run_binary(with_tflm, given=sound)
    assert len(lines.splitlines()) >= 3
