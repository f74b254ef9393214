# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/ are built and run, and their output is compared with the pipeline's."""

from __future__ import annotations

import csv
import os
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.dataset import Split
from kws.audio.long_recordings import open_recordings
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.host.build.programs import COMPILER, QEMU
from kws.host.export.exporters import export
from tests.host.rooms import between_silence
from tests.paths import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute with spoken words."""
    names = ("yes_slt", "no_awb", "left_slt", "yes_rob", "no_michael", "go_travis")
    clips = [
        between_silence(load_clip(ROOT / "kws" / "assets" / "matrix" / f"{name}.flac"))
        for name in names
    ]
    path = tmp_path_factory.mktemp("examples") / "words.wav"
    write_clip(path, np.concatenate(clips))
    return path


@pytest.fixture(scope="session")
def expected(recording: Path) -> list[str]:
    """The pipeline's lines for the recording."""
    lines = lines_of(Device(load_bundle(default_bundle_path())), recording)
    assert len(lines) >= 3
    return lines


def test_python_stream_writes_the_lines_of_a_device(recording: Path) -> None:
    """With one model: without a second look."""
    script = EXAMPLES / "python_stream" / "stream.py"
    device = Device(load_bundle(default_bundle_path())).without_second_looks()
    expected = lines_of(device, recording)
    assert len(expected) >= 3
    done = subprocess.run(
        [sys.executable, str(script), str(recording)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == expected


def test_python_stream_gives_a_bundle_its_features(recording: Path, tmp_path: Path) -> None:
    bundle = load_bundle(default_bundle_path()).without_second_look()
    bundle = replace(
        bundle,
        frontend=replace(bundle.frontend, keep_noise=True),
        recognizer=RecognizerSettings(200, 60, 300, 1),
    )
    written = write_bundle(bundle, tmp_path / "keeps")
    expected = lines_of(Device(written), recording)
    assert len(expected) >= 3
    script = EXAMPLES / "python_stream" / "stream.py"
    command = [sys.executable, *map(str, (script, recording, tmp_path / "keeps"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == expected


def test_the_recording_of_the_readme_is_detected() -> None:
    folder = EXAMPLES / "python_stream"
    (command,) = (
        line.split()
        for line in (folder / "README.md").read_text().splitlines()
        if line.startswith("python stream.py")
    )
    done = subprocess.run(
        [sys.executable, *command[1:]], capture_output=True, text=True, check=True, cwd=folder
    )
    assert done.stdout.startswith("Heard yes (")


@pytest.mark.parametrize("script", ["python_stream/stream.py", "wake_word/robot.py"])
@pytest.mark.parametrize(("arguments", "says"), [([], "usage: "), (["no.wav"], "no.wav: ")])
def test_a_missing_recording_gives_a_one_line_error(
    script: str, arguments: list[str], says: str
) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *arguments], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_robot_obeys_commands_only_after_its_wake_word(tmp_path: Path) -> None:
    matrix = ROOT / "kws" / "assets" / "matrix"
    path = tmp_path / "words.wav"
    said = [matrix / f"{word}_slt.flac" for word in ("left", "yes", "left", "right")]
    write_clip(path, np.concatenate([between_silence(load_clip(file)) for file in said]))
    text = quiet([sys.executable, EXAMPLES / "wake_word" / "robot.py", path])
    does = [line for line in text.splitlines() if "robot" in line]
    assert does == ["the robot turns left"]
    assets = ROOT / "kws" / "assets"
    pair = with_commands(load_bundle(default_bundle_path()), load_bundle(assets / "ten_words"))
    assert [line for line in text.splitlines() if "robot" not in line] == lines_of(pair, path)


def test_lines_of_games_become_talk_without_keywords(tmp_path: Path) -> None:
    share = tmp_path / "share"
    lines = share / "scummvm" / "drascula" / "en"
    lines.mkdir(parents=True)
    tone = 128 + 100 * np.sin(np.arange(11025) * 2 * np.pi * 441 / 11025)
    for name in ("1", "10"):  # the second one contains a yes
        (lines / f"{name}.ALS").write_bytes(tone.astype(np.uint8).tobytes())
    fish = share / "games" / "fillets-ng"
    (fish / "script" / "keys").mkdir(parents=True)
    (fish / "sound" / "keys" / "nl").mkdir(parents=True)
    said = {"a": "Waar is die dan?", "b": "Nou, ik weet het niet."}
    (fish / "script" / "keys" / "dialogs_nl.lua").write_text(
        "\n".join(
            f'dialogId("{name}", "font_big", "English")\ndialogStr("{text}")\n'
            for name, text in said.items()
        ),
        encoding="utf-8",
    )
    for name in (*said, "without_a_text"):
        noise = np.random.default_rng(0).normal(0, 0.1, 22050)
        soundfile.write(fish / "sound" / "keys" / "nl" / f"{name}.ogg", noise, 22050)
    script = EXAMPLES / "game_talk" / "talk.py"
    out = tmp_path / "talk"
    assert quiet([sys.executable, script, out, share]) == f"2 lines in {out}\n"
    of_drascula, of_fish = open_recordings([out], Split.TRAIN, "speech")
    assert (of_drascula.path.name, of_drascula.transcript) == ("1.wav", "")
    assert (of_fish.source, of_fish.transcript) == ("fish_nl", said["a"])
    pcm = load_clip(of_drascula.path)
    assert len(pcm) == pytest.approx(16000, abs=100)
    spectrum = np.abs(np.fft.rfft(pcm.astype(float), 16000))
    assert spectrum.argmax() == 441
    assert np.abs(pcm).max() == pytest.approx(32768 * 100 / 128, rel=0.02)

    for wrong in ([], [out, tmp_path / "nothing"]):
        done = subprocess.run(
            [sys.executable, script, *wrong], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert done.stderr.count("\n") == 1


def test_packages_become_noise_music_and_talk_with_licences(tmp_path: Path) -> None:
    root = tmp_path / "root"
    rng = np.random.default_rng(0)

    def sound(name: str, seconds: float, level: float = 0.1) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, rng.normal(0, level, round(seconds * 16000)), 16000)

    sky = "usr/share/games/endless-sky/sounds"
    sound(f"{sky}/alarm.wav", 1)
    sound(f"{sky}/laser.wav", 2)
    sound(f"{sky}/heavy rocket hit.wav", 1)  # share-alike
    sound(f"{sky}/ambient/wind.wav", 8)
    sound("usr/share/naev/dat/snd/music/ambient1.ogg", 7)
    sound("usr/share/naev/dat/snd/music/ambient4.ogg", 7)  # share-alike
    voice = "usr/share/festival/voices/russian/msu_ru_nsh_clunits"
    said = {"ru_1": "Ст+оит дом.", "ru_2": "Дом стоит, но пуст.", "ru_3": "Вот он."}
    for name in (*said, "without_a_text"):
        sound(f"{voice}/wav/{name}.wav", 1)
    (root / voice / "etc").mkdir()
    (root / voice / "etc" / "txt.done.data").write_text(
        "".join(f'( {name} "{text}" )\n' for name, text in said.items()), encoding="utf-8"
    )
    tone = (128 + 100 * np.sin(np.arange(11025) * 2 * np.pi * 441 / 11025)).astype(np.uint8)
    effect = struct.pack("<HHI", 3, 11025, len(tone) + 32) + bytes(16) + tone.tobytes() + bytes(16)
    wad = root / "usr/share/games/doom/freedoom2.wad"
    wad.parent.mkdir(parents=True)
    wad.write_bytes(archive({"DSTONE": effect, "D_TUNE": b"MThd tune", "MAP01": b"a map"}))

    out = tmp_path / "sounds"
    script = EXAMPLES / "clean_sounds" / "sounds.py"
    environment = {**os.environ, "PATH": with_a_player(tmp_path / "bin", root)}
    text = subprocess.run(
        [sys.executable, script, out, "--root", root],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    assert sorted(text.splitlines()) == [
        f"1 recordings in {out / 'talk'}",
        f"2 recordings in {out / 'music'}",
        f"4 recordings in {out / 'noise'}",
    ]

    (talk,) = open_recordings([out / "talk"], Split.TRAIN, "speech")
    assert (talk.source, talk.transcript) == ("festvox_ru", "Стоит дом.")
    licences = {
        row["original"].rsplit("/", 1)[1]: row
        for kind in ("noise", "music", "talk")
        for row in csv.DictReader((out / kind / "licences.csv").open(encoding="utf-8"))
    }
    assert {name: row["licence"] for name, row in licences.items()} == {
        "alarm.wav": "public domain",
        "laser.wav": "public domain",
        "wind.wav": "public domain",
        "freedoom2.wad: DSTONE": "BSD-3-Clause",
        "freedoom2.wad: D_TUNE": "BSD-3-Clause",
        "ambient1.ogg": "CC-BY-3.0",
        "ru_1.wav": "BSD-like",
    }
    assert load_clip(out / "noise" / licences["wind.wav"]["file"]).shape == (8 * 16000,)
    tone_file = load_clip(out / "noise" / licences["freedoom2.wad: DSTONE"]["file"])
    assert len(tone_file) == pytest.approx(16000, abs=100)
    assert np.abs(np.fft.rfft(tone_file.astype(float), 16000)).argmax() == 441
    tune = load_clip(out / "music" / licences["freedoom2.wad: D_TUNE"]["file"])
    assert len(tune) == pytest.approx(7 * 16000, abs=100)
    assert np.median(tune) == pytest.approx(1000, abs=20)

    without = subprocess.run(
        [sys.executable, script, out, "--root", tmp_path / "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert without.returncode == 1
    assert without.stderr.count("\n") == 1


def test_clones_become_talk_with_their_commit(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    clone = tmp_path / "clones" / "dataset-voice-kerstin"
    (clone / "verified").mkdir(parents=True)
    said = {"de_1": "Das Haus steht.", "de_2": "So steht das Haus."}
    for name in said:
        noise = np.random.default_rng(0).normal(0, 0.1, 48000)
        soundfile.write(clone / "verified" / f"{name}.flac", noise, 48000)
    lines = [f"{name}|{text}\n" for name, text in said.items()]
    (clone / "verified" / "metadata.csv").write_text("".join(lines))
    git = ["git", "-C", str(clone), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Recordings"]):
        quiet([*git, *command])
    out = tmp_path / "sounds"
    script = EXAMPLES / "clean_sounds" / "sounds.py"
    quiet([sys.executable, script, out, "--root", tmp_path, "--clones", clone.parent])
    (talk,) = open_recordings([out / "talk"], Split.TRAIN, "speech")
    assert (talk.transcript, len(load_clip(talk.path))) == ("Das Haus steht.", 16000)
    (row,) = csv.DictReader((out / "talk" / "licences.csv").open(encoding="utf-8"))
    assert row["version"] == quiet([*git, "rev-parse", "HEAD"]).strip()
    assert (row["source"], row["licence"]) == ("rhasspy/dataset-voice-kerstin", "CC0-1.0")


def archive(lumps: dict[str, bytes]) -> bytes:
    """A WAD file: header, lumps, directory."""
    data, directory = b"", b""
    for name, lump in lumps.items():
        directory += struct.pack("<II8s", 12 + len(data), len(lump), name.encode())
        data += lump
    return struct.pack("<4sII", b"IWAD", len(lumps), 12 + len(data)) + data + directory


def with_a_player(folder: Path, root: Path) -> str:
    """A PATH with a fluidsynth that checks its command and plays a constant for 7 seconds."""
    font = root / "usr/share/sounds/sf2/FluidR3_GM.sf2"
    font.parent.mkdir(parents=True)
    font.write_bytes(b"RIFF")
    folder.mkdir()
    player = folder / "fluidsynth"
    player.write_text(
        f"#!{sys.executable}\n"
        "import pathlib, struct, sys\n"
        "*options, font, tune = sys.argv[1:]\n"
        "assert options[-4:] == ['-T', 'raw', '-F', '-'], options\n"
        "rate = int(options[options.index('-r') + 1])\n"
        f"assert font == {str(font)!r}, font\n"
        "assert pathlib.Path(tune).read_bytes() == b'MThd tune', tune\n"
        "sys.stdout.buffer.write(struct.pack('<hh', 500, 1500) * rate * 7)\n"
    )
    player.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_own_firmware_writes_the_lines_of_a_device(recording: Path, tmp_path: Path) -> None:
    for tool in (COMPILER, QEMU):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder = Path(shutil.copytree(EXAMPLES / "firmware_makefile", tmp_path / "firmware"))
    (folder / "recording.pcm").write_bytes(load_clip(recording).tobytes())
    bundle = load_bundle(default_bundle_path())
    export("cmake", bundle, folder / "kws_yes_no")
    text = quiet(["make", "-s", "-C", folder, "run"])
    heard = [line for line in text.splitlines() if line.startswith("Heard")]
    assert heard == lines_of(Device(bundle), recording)


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in bundle as a CMake project."""
    folder = tmp_path_factory.mktemp("export") / "kws_yes_no"
    export("cmake", load_bundle(default_bundle_path()), folder)
    return folder


@pytest.mark.slow
def test_rust_writes_the_words_of_a_device(
    recording: Path, expected: list[str], exported: Path, tmp_path: Path
) -> None:
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not installed")
    crate = tmp_path / "rust"
    shutil.copytree(EXAMPLES / "rust", crate, ignore=shutil.ignore_patterns("target", "*.lock"))

    def run(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        env = {name: value for name, value in os.environ.items() if "KWS" not in name}
        return subprocess.run(
            [cargo, arguments[0], "--offline", *arguments[1:]],
            cwd=crate, env={**env, "CARGO_TARGET_DIR": str(tmp_path / "target"), **variables},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    for wrong, says in (({}, "set KWS_EXPORT"), ({"KWS_EXPORT": "none"}, "no folder none/src")):
        done = run("build", **wrong)
        assert done.returncode != 0
        assert f"kws: {says}" in done.stderr

    right = {"KWS_EXPORT": str(exported)}
    tests = run("test", **right)
    assert tests.returncode == 0, tests.stdout + tests.stderr
    for test in ("too_little_memory_is_an_error", "thresholds_are_set_and_kept"):
        assert f"test {test} ... ok" in tests.stdout

    def hear(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return run("run", "-q", "--example", "hear", "--", *arguments, **right)

    assert hear(recording).stdout.splitlines() == words_of(expected)
    deaf = hear(recording, "yes=255").stdout.splitlines()
    assert {line.split()[0] for line in deaf} == {"no"}
    for arguments, says in (
        ((recording, "maybe=7"), "maybe=7: the model has no such word"),
        ((recording, "yes=256"), "yes=256: a threshold is 0 to 255"),
        ((crate / "Cargo.toml",), "give a WAV file"),
    ):
        done = hear(*arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert says in done.stderr


MICROPYTHON = """\
import array, gc, kws, sys

def error(function, *arguments):
    try:
        print(function(*arguments))
    except Exception as exception:
        print(type(exception).__name__, exception)

spotter = kws.Spotter()
print(spotter.labels(), spotter.threshold("yes"))
error(spotter.set_threshold, "maybe", 7)
for wrong in (-1, 256, 1 << 32):
    error(spotter.set_threshold, "yes", wrong)
for wrong in (b"odd", array.array("f", [0.5]), memoryview(bytes(5))[1:]):
    error(spotter.push, wrong)

samples = array.array("h", open(sys.argv[1], "rb").read()[44:])
spotter.set_threshold("yes", 255)
print(sorted({hit[0] for hit in spotter.push(samples)}))
spotter.reset()
print(spotter.threshold("yes"))
spotter.set_threshold("yes", YES)
others = [kws.Spotter() for _ in range(3)]  # the collector keeps them apart
hits = []
for start in range(0, len(samples), 777):
    piece = memoryview(samples)[start : start + 777]
    hits += spotter.push(piece)
    gc.collect()
for word, score, time_ms in hits:
    print(word, score, "@" + str(time_ms))
"""


@pytest.mark.slow
def test_micropython_writes_the_words_of_a_device(
    recording: Path, expected: list[str], exported: Path, tmp_path: Path
) -> None:
    """KWS_MICROPYTHON: a checkout of MicroPython; its submodules are not needed."""
    if "KWS_MICROPYTHON" not in os.environ:
        pytest.skip("KWS_MICROPYTHON does not name a checkout of MicroPython")
    modules = EXAMPLES / "micropython"
    port = Path(os.environ["KWS_MICROPYTHON"]).resolve() / "ports" / "unix"
    build: list[str | Path] = [
        *("make", "-s", "-C", port, f"-j{os.cpu_count()}", f"BUILD={tmp_path / 'build'}"),
        *("FROZEN_MANIFEST=", "MICROPY_PY_BTREE=0", "MICROPY_PY_FFI=0", "MICROPY_PY_SSL=0"),
        f"USER_C_MODULES={modules}",
    ]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "set KWS_EXPORT" in done.stderr
    quiet([*build, f"KWS_EXPORT={exported}"])
    program = tmp_path / "build" / "micropython"
    assert quiet([program, modules / "hear.py", recording]).splitlines() == words_of(expected)

    script = tmp_path / "script.py"
    look = load_bundle(default_bundle_path()).second_look
    assert look
    threshold = look.settings.thresholds["yes"]
    script.write_text(MICROPYTHON.replace("YES", str(threshold)))
    no_word = "ValueError the model has no such word; see labels()"
    no_samples = "ValueError give samples of 16 bits: bytes, or an array of 'h'"
    assert quiet([program, script, recording]).splitlines() == [
        f"['silence', 'unknown', 'yes', 'no'] {threshold}",
        no_word,
        *["ValueError a threshold is 0 to 255"] * 3,
        *[no_samples] * 3,
        "['no']",
        "255",
        *words_of(expected),
    ]
    small: list[str | Path] = [program, "-X", "heapsize=10k", "-c", "import kws; kws.Spotter()"]
    done = subprocess.run(small, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "MemoryError" in done.stdout


def words_of(lines: list[str]) -> list[str]:
    """A device's lines as the programs print them: word, score, time in ms."""
    return [re.sub(r"Heard (.*) \((\d+)\) (@\d+)ms", r"\1 \2 \3", line) for line in lines]


def lines_of(device: Device, recording: Path) -> list[str]:
    """The pipeline's lines."""
    return device.pipeline().feed(load_clip(recording)).decode().splitlines()


def quiet(command: list[str | Path]) -> str:
    """The output of a program that must succeed."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
