# SPDX-License-Identifier: Apache-2.0
"""`kws wake`, from a phrase to a bundle: inputs, errors and resumed runs."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kws._core import SAMPLE_RATE
from kws.audio.dataset import Clip, DataSet, Split, open_dataset
from kws.audio.mined_recordings import MinedClip, add_clip
from kws.audio.pcm import around_voice
from kws.audio.sound_files import load_clip, write_clip
from kws.audio.surroundings import Surroundings
from kws.audio.tts.spoken_length import window_for
from kws.bundle.bundle import LOOK_METRICS
from kws.bundle.licences import ASK, licences_of
from kws.bundle.reading import load_bundle
from kws.cli.main import app
from kws.errors import AudioError, DataError, KwsError, UsageError
from kws.labels import label_of
from kws.model.evaluate.score.plans import PACES
from kws.model.evaluate.score.streams import Kind
from kws.model.train.distillation import Teacher
from kws.model.train.speech_embedding import PACKAGE, is_available
from kws.model.train.speech_teacher import SpeechTeacher
from kws.model.wake import wake_word
from kws.model.wake.recorded_clips import import_recordings
from kws.model.wake.wake_settings import WakeSettings
from kws.model.wake.wake_word import (
    FIRST,
    MINED,
    SECOND,
    STREAMING,
    THIRD,
    WakeResult,
    auxiliary_words,
    estimated_seconds,
    make_wake_word,
)
from kws.model.weights.run_files import SECOND_LOOK, read_settings

needs_speech_teacher = pytest.mark.skipif(not is_available(), reason=f"{PACKAGE} is missing")
needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")

SMALL = WakeSettings(("marvin",), voices=6, takes=2, alike=2, sentences=0, epochs=1)
GERMAN = replace(SMALL, accents=("de",))


def beep(seconds: float, at: float, length: float = 0.4) -> np.ndarray:
    """Near silence with a tone: int16[n]."""
    rng = np.random.default_rng(1)
    pcm = rng.normal(0, 3, int(seconds * SAMPLE_RATE))
    time = np.arange(int(length * SAMPLE_RATE)) / SAMPLE_RATE
    first = int(at * SAMPLE_RATE)
    pcm[first : first + len(time)] += 8000 * np.sin(2 * np.pi * 400 * time)
    return np.rint(pcm).astype(np.int16)


@pytest.mark.parametrize(
    ("phrase", "label"),
    [("Hey Marvin", "hey_marvin"), ("  up ", "up"), ("turn   it_on", "turn_it_on")],
)
def test_label_of_a_phrase(phrase: str, label: str) -> None:
    assert label_of(phrase) == label


def test_empty_phrase() -> None:
    with pytest.raises(UsageError, match="pass the wake word, such as"):
        label_of(" _ ")


@pytest.mark.parametrize(
    ("words", "says"),
    [(("unknown",), "every model has"), (("a" * 33,), "33 bytes"), (("你好",), "--language")],
)
def test_invalid_keywords_are_refused_before_any_work(words: tuple[str, ...], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        WakeSettings(words)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (WakeSettings(("größer",)), "grosser"),
        (WakeSettings(("你好",), accents=("cmn",)), "model"),
        (WakeSettings(("hey_marvin", "stop")), "hey_marvin"),
        (WakeSettings(("größer",), name="bigger"), "bigger"),
    ],
)
def test_a_bundles_name_is_valid_in_cpp(settings: WakeSettings, name: str) -> None:
    assert settings.bundle_name == name


@pytest.mark.tensorflow
def test_a_phrase_that_is_not_a_label_has_a_remedy(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["wake", "ac/dc", "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, UsageError)
    assert "name it with --name" in str(result.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("seconds", "at"), [(3.0, 2.2), (3.0, 0.1), (1.0, 0.3), (0.6, 0.1)])
def test_the_chosen_second_contains_the_voice(seconds: float, at: float) -> None:
    pcm = beep(seconds, at)
    second = around_voice(pcm, 16000)
    assert second.shape == (SAMPLE_RATE,)
    loud = np.abs(pcm.astype(int)) > 1000
    assert np.count_nonzero(np.abs(second.astype(int)) > 1000) == np.count_nonzero(loud)


def test_recordings_in_folders_of_words(tmp_path: Path) -> None:
    for word in ("marvin", "martin"):
        for name in ("anna_1", "anna_2", "bob_1"):
            write_clip(tmp_path / "in" / word / f"{name}.wav", beep(2, 1))
    data = tmp_path / "data"
    assert import_recordings(tmp_path / "in", ["marvin"], data) == 3
    dataset = open_dataset(data)
    assert dataset.words == ("martin", "marvin")
    assert {clip.speaker for clip in dataset.clips} == {"anna", "bob"}
    assert all(len(load_clip(clip.path)) == SAMPLE_RATE for clip in dataset.clips)


def test_recordings_of_one_keyword_in_the_folder_itself(tmp_path: Path) -> None:
    write_clip(tmp_path / "in" / "anna_1.wav", beep(2, 1))
    assert import_recordings(tmp_path / "in", ["marvin"], tmp_path / "data") == 1
    assert (tmp_path / "data" / "marvin" / "anna_nohash_0.wav").is_file()
    # The second time, no recording is added.
    assert import_recordings(tmp_path / "in", ["marvin"], tmp_path / "data") == 1
    assert len(open_dataset(tmp_path / "data").clips) == 1


def test_missing_recordings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        import_recordings(tmp_path / "none", ["marvin"], tmp_path / "data")
    (tmp_path / "in").mkdir()
    with pytest.raises(DataError, match="no recordings of 'marvin'"):
        import_recordings(tmp_path / "in", ["marvin"], tmp_path / "data")
    (tmp_path / "in" / "anna_1.wav").write_bytes(b"no sound")
    with pytest.raises(AudioError, match="anna_1"):
        import_recordings(tmp_path / "in", ["marvin"], tmp_path / "data")


def test_auxiliary_words_are_the_most_frequent_words() -> None:
    counts = {"yes": 300, "no": 200, "marvin": 150, "cat": 100, "dog": 99}
    clips = tuple(
        Clip(Path(f"{word}/s{i}.wav"), word, f"s{i}", Split.TRAIN)
        for word, count in counts.items()
        for i in range(count)
    )
    people = DataSet(Path(), clips, (), has_lists=True)
    assert auxiliary_words(people, ("marvin",)) == ("cat", "no", "yes")
    many = [replace(c, word=f"word{i:02}") for i in range(20) for c in clips[:100]]
    assert len(auxiliary_words(replace(people, clips=tuple(many)), ("marvin",))) == 15
    unheard = tuple(replace(clip, split=Split.TEST) for clip in clips)
    assert auxiliary_words(replace(people, clips=unheard), ("marvin",)) == ()


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, WakeResult, list[str]]:
    """A finished run: its folder, its result and the lines it printed."""
    folder = tmp_path_factory.mktemp("first")
    out = folder / "marvin"
    write_clip(folder / "in" / "anna_1.wav", beep(2, 1))
    lines: list[str] = []
    return out, make_wake_word(SMALL, out, recordings=folder / "in", say=lines.append), lines


@pytest.fixture
def own_teachers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were no package with the speech embedding."""
    monkeypatch.setattr(wake_word, "is_available", lambda: False)


@pytest.mark.process
@needs_espeak
def test_a_phrase_becomes_a_bundle(first_run: tuple[Path, WakeResult, list[str]]) -> None:
    out, result, lines = first_run
    # The only speaker is used for training.
    assert (result.recordings, result.held_out) == (1, 0)
    assert result.bundle.labels == ("silence", "unknown", "marvin")
    assert load_bundle(out / "bundle").model == result.bundle.model
    assert any("martin" in line for line in lines)
    assert any("--data" in line for line in lines)
    # Other clips are refused before any is written.
    clips = _clips(out)
    for other, says in ((replace(SMALL, seed=1), "seed 0, not 1"), (GERMAN, "accents .*, not de;")):
        with pytest.raises(UsageError, match=f"holds a run with {says}"):
            make_wake_word(other, out)
    assert _clips(out) == clips


@pytest.mark.slow
@pytest.mark.process
@needs_espeak
def test_a_run_is_resumed(first_run: tuple[Path, WakeResult, list[str]], tmp_path: Path) -> None:
    """Finished steps are not repeated: no clip is spoken, no epoch is trained."""
    out = Path(shutil.copytree(first_run[0], tmp_path / "marvin"))
    people = out / "data" / "marvin" / "anna_nohash_0.wav"
    clips = _clips(out)
    lines: list[str] = []
    again = make_wake_word(SMALL, out, say=lines.append)
    assert again.bundle.model == first_run[1].bundle.model
    assert clips.items() - {(people, clips[people])} <= _clips(out).items()
    assert any(line.startswith("resuming after epoch 1 of 1") for line in lines)


def _clips(out: Path) -> dict[Path, int]:
    """When each clip of a run was written, in ns."""
    return {path: path.stat().st_mtime_ns for path in (out / "data").rglob("*_nohash_*.wav")}


@pytest.mark.process
@needs_espeak
@needs_speech_teacher
def test_the_speech_embedding_is_the_teacher(
    first_run: tuple[Path, WakeResult, list[str]],
) -> None:
    out, result, lines = first_run
    teacher = SpeechTeacher(Teacher(out / FIRST))
    assert read_settings(out / THIRD)["teacher"] == teacher.fingerprint
    assert not (out / SECOND).exists(), "there was no talk"
    assert any("the speech embedding listens" in line for line in lines)
    # A product's maker learns about it.
    assert f"Teacher: the speech embedding of {PACKAGE}" in result.bundle.data
    unsettled = [item.part for item in licences_of(result.bundle) if item.sale == ASK]
    assert "speech embedding" in unsettled


@pytest.mark.parametrize(
    ("settings", "installed", "says"),
    [
        (replace(SMALL, sellable=True), True, "unsettled whether the result may be sold"),
        (SMALL, False, f"misses more people; pip install {PACKAGE}"),
    ],
)
@needs_espeak
def test_without_the_speech_embedding_the_reason_is_said(
    settings: WakeSettings,
    installed: bool,
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(*_: object) -> None:
        raise DataError("far enough")

    monkeypatch.setattr(wake_word, "is_available", lambda: installed)
    monkeypatch.setattr(wake_word, "synthesize", stop)
    lines: list[str] = []
    with pytest.raises(DataError, match="far enough"):
        make_wake_word(settings, tmp_path / "out", say=lines.append)
    assert any(says in line for line in lines)


@pytest.mark.slow
@pytest.mark.usefixtures("own_teachers")
@needs_espeak
def test_a_streaming_model_is_trained_on_the_clips_of_another_run(tmp_path: Path) -> None:
    out, lines = tmp_path / "marvin", list[str]()
    make_wake_word(SMALL, out)
    streaming = make_wake_word(replace(SMALL, streaming=True), out, say=lines.append)
    assert [line for line in lines if line.startswith("resuming after epoch")] == [
        "resuming after epoch 1 of 1"
    ]
    assert streaming.bundle.input_frames == 2
    assert load_bundle(out / "bundle").model == streaming.bundle.model
    assert read_settings(out / STREAMING)["teacher"] == Teacher(out / FIRST).fingerprint


@pytest.mark.slow
@needs_espeak
@pytest.mark.parametrize("streaming", [False, True])
def test_a_second_look_is_added_to_a_finished_run(
    first_run: tuple[Path, WakeResult, list[str]], tmp_path: Path, streaming: bool
) -> None:
    out = Path(shutil.copytree(first_run[0], tmp_path / "marvin"))
    result = make_wake_word(replace(SMALL, verify=True, streaming=streaming), out)
    bundle = load_bundle(out / "bundle")
    assert bundle.streams == streaming
    assert bundle.model == result.bundle.model
    if not streaming:
        assert bundle.model == first_run[1].bundle.model
    look = bundle.second_look
    assert look is not None
    assert look.model != first_run[1].bundle.model, "of another seed"
    assert look.settings.stride == (0 if streaming else 18)
    assert bundle.inference_stride == (2 if streaming else 9)
    assert result.calibration is not None
    assert result.calibration.look == look.settings, "the figures are those of both models"
    assert bundle.metrics.keys() >= {"calibration", LOOK_METRICS}


def test_a_second_look_takes_time() -> None:
    for searches in (False, True):
        once = estimated_seconds(SMALL, searches=searches)
        assert estimated_seconds(replace(SMALL, verify=True), searches=searches) > once


def _run_with_talk(folder: Path) -> tuple[Path, Path]:
    """The folder of a run with a mined recording, and a folder of talk."""
    out, talk = folder / "marvin", folder / "talk"
    for name in ("radio", "market", "lecture", "news"):
        write_clip(talk / f"{name}.wav", beep(60, 30))
    # Mined recordings are only for training, so validation and test have only the radio.
    add_clip(
        out / MINED,
        MinedClip("mined/a.wav", Split.TRAIN, "a", "radio", 1, "marvin", 230),
        beep(3, 1),
    )
    return out, talk


@pytest.mark.slow
@needs_espeak
@needs_speech_teacher
def test_talk_is_held_back_from_the_speech_teacher(tmp_path: Path) -> None:
    out, talk = _run_with_talk(tmp_path)
    result = make_wake_word(SMALL, out, ambient=Surroundings((talk,)))
    assert [folder.name for folder in (out / SECOND).iterdir()] == ["seed0"]
    teacher = SpeechTeacher(Teacher(out / SECOND))
    assert read_settings(out / THIRD)["teacher"] == teacher.fingerprint
    assert result.calibration is not None
    assert result.calibration.by_kind[Kind.TALK].hours * 3600 > len(PACES) * (4 * 6 + 40)


@pytest.mark.slow
@pytest.mark.usefixtures("own_teachers")
@needs_espeak
def test_talk_and_mined_talk_are_used_for_training_and_calibration(tmp_path: Path) -> None:
    out, talk = _run_with_talk(tmp_path)
    # The largest seed; those of the teachers and of the second look derive from it.
    settings = replace(SMALL, seed=2**31, verify=True)
    result = make_wake_word(settings, out, ambient=Surroundings((talk,)))
    teachers = sorted(folder.name for folder in (out / SECOND).iterdir())
    assert teachers == ["seed0", "seed1", "seed2"]
    for teacher in teachers:
        assert "calibration" not in load_bundle(out / SECOND / teacher / "bundle").metrics
    for folder in (THIRD, SECOND_LOOK):
        assert read_settings(out / folder)["teacher"] == Teacher(out / SECOND).fingerprint
    assert result.calibration is not None
    assert result.calibration.look is not None
    assert result.calibration.has_talk
    # A tenth of each recording is for validation. The last model is also trained on all of
    # `news` that training may use.
    assert result.calibration.by_kind[Kind.TALK].hours * 3600 > len(PACES) * (4 * 6 + 40)
    metrics = load_bundle(out / "bundle").metrics
    assert all("talk" in metrics[key] for key in ("calibration", LOOK_METRICS))
    assert "talk alone" in result.report.read_text(encoding="utf-8")

    # Finished steps are not repeated: the model still has the same teachers.
    lines: list[str] = []
    again = make_wake_word(settings, out, ambient=Surroundings((talk,)), say=lines.append)
    assert again.bundle.model == result.bundle.model
    done = [line for line in lines if line.startswith("resuming after epoch")]
    assert done == ["resuming after epoch 1 of 1", *["resuming after epoch 2 of 2"] * 2]
    teaching = [line for line in lines if "teacher 1" in line]
    assert [line.endswith("already finished") for line in teaching] == [True]


@pytest.mark.process
@needs_espeak
def test_invalid_words_are_refused(tmp_path: Path) -> None:
    for words, reason in (
        (("4you!",), "begin with a letter"),
        (("no", "know"), "sounds exactly like"),
    ):
        with pytest.raises((UsageError, DataError), match=reason):
            make_wake_word(replace(SMALL, words=words), tmp_path / "out")


@pytest.mark.tensorflow
@pytest.mark.parametrize("option", ["--negatives", "--noises", "--rooms"])
def test_missing_folders_are_named_before_any_work(tmp_path: Path, option: str) -> None:
    out = tmp_path / "out"
    args = ["wake", "marvin", "--out", str(out), option, str(tmp_path / "none")]
    result = CliRunner().invoke(app, args)
    assert isinstance(result.exception, DataError)
    assert "none: no such folder" in str(result.exception)
    assert not out.exists()


@pytest.mark.tensorflow
def test_a_missing_phrase_is_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["wake", "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, UsageError)
    assert "pass the wake word, such as" in str(result.exception)
    result = CliRunner().invoke(app, ["wake", "marvin", "--words", "up", "--out", str(tmp_path)])
    assert isinstance(result.exception, UsageError)
    assert "cannot be combined" in str(result.exception)


@pytest.mark.tensorflow
@pytest.mark.parametrize("options", [[], ["--streaming"], ["--verify"], ["--sellable"]])
def test_command_passes_its_options(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[WakeSettings] = []

    def stop(settings: WakeSettings, *_: object, **__: object) -> None:
        seen.append(settings)
        raise DataError("far enough")

    monkeypatch.setattr(wake_word, "make_wake_word", stop)
    args = ["wake", "marvin", "--out", str(tmp_path / "out"), "--window-ms", "700", *options]
    CliRunner().invoke(app, args)
    chosen: dict[str, Any] = {option[2:]: True for option in options}
    assert seen == [WakeSettings(("marvin",), window_ms=700, **chosen)]


@pytest.mark.slow
@needs_espeak
def test_a_longer_phrase_gets_a_longer_window(tmp_path: Path) -> None:
    assert window_for(["marvin"]) == 1000
    needed = window_for(["hey", "good_morning_computer"])
    assert 1200 <= needed <= 2400
    phrase = replace(SMALL, words=("good_morning_computer",), alike=0)
    lines: list[str] = []
    write_clip(tmp_path / "in" / "anna_1.wav", beep(3, 1, 1.1))
    result = make_wake_word(phrase, tmp_path / "out", recordings=tmp_path / "in", say=lines.append)
    assert f"the model sees {needed / 1000:g} s at a time" in lines
    assert result.bundle.frontend.frames == needed // 20 - 1
    clips = open_dataset(tmp_path / "out" / "data").clips
    assert {len(load_clip(clip.path)) for clip in clips} == {16 * needed}
    assert result.calibration is not None


@pytest.mark.slow
@needs_espeak
def test_the_window_can_be_chosen(tmp_path: Path) -> None:
    result = make_wake_word(replace(SMALL, window_ms=700), tmp_path / "out")
    assert result.bundle.frontend.frames == 34


@pytest.mark.parametrize("window_ms", [500, 3040])
def test_a_window_out_of_range_is_refused(window_ms: int) -> None:
    with pytest.raises(KwsError, match="window_ms"):
        replace(SMALL, window_ms=window_ms)
