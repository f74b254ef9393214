# SPDX-License-Identifier: Apache-2.0
"""Text-to-speech data sets: complete words, each voice in one set, reproducible runs."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from kws.audio.background_noises import make_noises
from kws.audio.dataset import Split, load_backgrounds, load_pcm, open_dataset
from kws.audio.tts import voices as tts_voices
from kws.audio.tts.engines.speech import Draws, Voice
from kws.audio.tts.placement import place, trim
from kws.audio.tts.sound_alikes import choose_distractors, same_sound, sound_alikes
from kws.audio.tts.synth import SynthReport, synthesize
from kws.audio.tts.synth_settings import SynthSettings
from kws.audio.tts.voices import find_voices, speak
from kws.errors import DataError, KwsError, ToolError, UsageError

pytestmark = pytest.mark.process

needs_espeak = pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")
needs_flite = pytest.mark.skipif(not shutil.which("flite"), reason="flite is missing")

PROGRAMS = ("flite", "espeak")
SMALL = SynthSettings(
    ("yes", "no"), unknown=("up", "stop"), voices=12, people=0, takes=2, engines=PROGRAMS
)


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SynthReport]:
    if not shutil.which("espeak-ng"):
        pytest.skip("espeak-ng is missing")
    folder = tmp_path_factory.mktemp("synth") / "data"
    return folder, synthesize(SMALL, folder)


def test_report_and_files_agree(spoken: tuple[Path, SynthReport]) -> None:
    folder, report = spoken
    dataset = open_dataset(folder)
    assert report == SynthReport(("yes", "no", "up", "stop"), 12, 0, 72, 0, 0)
    assert Counter(clip.word for clip in dataset.clips) == {
        "yes": 24,
        "no": 24,
        "up": 12,
        "stop": 12,
    }
    assert len({clip.speaker for clip in dataset.clips}) == 12
    assert not [p for p in folder.rglob("*") if p.name.startswith(".")]


def test_no_voice_is_in_two_sets_and_all_sets_have_some(spoken: tuple[Path, SynthReport]) -> None:
    dataset = open_dataset(spoken[0])
    assert dataset.has_lists
    dataset.check(["yes", "no"])
    groups = {split: {clip.speaker.split("-")[-1] for clip in dataset.of(split)} for split in Split}
    assert not groups[Split.TRAIN] & groups[Split.TEST]
    assert not groups[Split.TRAIN] & groups[Split.VALIDATION]


def test_every_clip_is_a_second_with_a_whole_word_in_it(spoken: tuple[Path, SynthReport]) -> None:
    pcm = load_pcm(open_dataset(spoken[0]).clips, samples=16001)
    assert not pcm[:, 16000].any()  # none is longer than a second
    loud = np.abs(pcm.astype(np.int32)).max(axis=1)
    assert loud.min() > 1000
    assert loud.max() < 32767
    blocks = (pcm[:, :16000].astype(np.float64) ** 2).reshape(len(pcm), 50, 320).mean(axis=2)
    # The first and last 20 ms are 12 dB below the peak: nothing is cut.
    assert (blocks[:, [0, -1]] < blocks.max(axis=1, keepdims=True) / 16).all()


def test_takes_differ(spoken: tuple[Path, SynthReport]) -> None:
    pcm = load_pcm(open_dataset(spoken[0]).clips)
    assert len({row.tobytes() for row in pcm}) == len(pcm)
    onsets = [int(np.argmax(np.abs(row.astype(np.int32)) > 800)) for row in pcm]
    assert max(onsets) - min(onsets) > 4000


def test_backgrounds_are_there(spoken: tuple[Path, SynthReport]) -> None:
    noises = load_backgrounds(open_dataset(spoken[0]))
    assert len(noises) == 6
    assert {len(noise) for noise in noises} == {60 * 16000}


def test_second_run_makes_only_missing_clips(
    spoken: tuple[Path, SynthReport], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(spoken[0], folder)
    lost = sorted((folder / "yes").iterdir())[3]
    content = lost.read_bytes()
    lost.unlink()
    (folder / "testing_list.txt").unlink()
    report = synthesize(SMALL, folder)
    assert (report.made, report.kept) == (1, 71)
    assert lost.read_bytes() == content
    assert (folder / "testing_list.txt").read_text() == (spoken[0] / "testing_list.txt").read_text()


def test_recordings_of_people_in_the_folder_stay_in_one_set(
    spoken: tuple[Path, SynthReport], tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(spoken[0], folder)
    source = next((folder / "yes").iterdir())
    for person in range(20):
        for word in ("yes", "no"):
            shutil.copy(source, folder / word / f"person{person}_nohash_0.wav")
    synthesize(SMALL, folder)
    assert open_dataset(folder).shared_speakers() == {}


@needs_espeak
@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        (SynthSettings(()), UsageError, "no words"),
        (SynthSettings(("yes!",)), UsageError, "begin with a letter"),
        (SynthSettings(("a" * 33,)), UsageError, "33 bytes"),
        (SynthSettings(("../up",)), UsageError, "cannot be a word"),
        (SynthSettings(("-v",)), UsageError, "cannot be a word"),
        (SynthSettings(("yes", "yes")), UsageError, "twice"),
        (SynthSettings(("unknown",)), UsageError, "every model has"),
        (SynthSettings(("no",), unknown=("know",)), DataError, "sounds exactly like"),
        (SynthSettings(("no", "know"), unknown=()), DataError, "sounds exactly like"),
        (SynthSettings(("yes",), voices=2), UsageError, "too few for training"),
        (SynthSettings(("yes",), accents=("xx",)), UsageError, "no accent 'xx'"),
        (
            SynthSettings(("pneumonoultramicroscopicsilico",), unknown=(), voices=3),
            DataError,
            "does not fit into 1 s",
        ),
    ],
)
def test_impossible_requests_give_one_line_errors(
    tmp_path: Path, settings: SynthSettings, error: type[KwsError], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        synthesize(settings, tmp_path / "data")
    assert "\n" not in str(caught.value)


def test_unpronounceable_word_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(*_: object) -> npt.NDArray[np.float32]:
        return np.zeros(4000, np.float32)

    voices = [Voice("espeak", "en", name) for name in "abc"]
    monkeypatch.setattr("kws.audio.tts.synth.speak", mute)
    monkeypatch.setattr("kws.audio.tts.synth.find_voices", lambda *_: voices)
    with pytest.raises(DataError, match="'hush' cannot be spoken by espeak-en-"):
        synthesize(SynthSettings(("hush",), unknown=()), tmp_path)


def test_without_any_synthesizer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="no voice of flite or espeak for these accents"):
        synthesize(SMALL, tmp_path / "data")
    monkeypatch.setattr(
        tts_voices, "ENGINES", {name: tts_voices.ENGINES[name] for name in PROGRAMS}
    )
    with pytest.raises(ToolError, match="neither espeak-ng nor flite was found; install one"):
        synthesize(replace(SMALL, engines=()), tmp_path / "data")


@pytest.mark.parametrize("program", ["espeak-ng", "flite"])
def test_one_synthesizer_is_enough(
    program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = shutil.which(program)
    if not real:
        pytest.skip(f"{program} is missing")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / program).symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    settings = SynthSettings(("yes",), unknown=("up",), voices=4, people=0, takes=1)
    report = synthesize(settings, tmp_path / "data")
    assert report.made == 8
    open_dataset(tmp_path / "data").check(["yes"])


def test_synthesizer_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "espeak-ng"
    program.write_text("#!/bin/sh\necho 'no voice data' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(ToolError, match="espeak-ng failed: no voice data"):
        find_voices(10, engines=PROGRAMS)


@needs_espeak
def test_full_disk(full_disk: Path) -> None:
    with pytest.raises(KwsError, match="free some disk space or choose another place"):
        synthesize(SMALL, full_disk / "data")
    assert not list((full_disk / "data").rglob("*.wav"))


@needs_espeak
def test_read_only_folder(read_only: Path) -> None:
    with pytest.raises(KwsError, match="cannot be written"):
        synthesize(SMALL, read_only / "data")


@pytest.mark.parametrize(
    "voice",
    [
        pytest.param(Voice("espeak", "en-us", "m3"), marks=needs_espeak),
        pytest.param(Voice("flite", "", "slt"), marks=needs_flite),
    ],
)
def test_the_rate_takes_effect(voice: Voice) -> None:
    slow, quick = (len(trim(speak(voice, "seven", Draws(rate, 50)))) for rate in (120, 220))
    assert slow > 1.3 * quick


@needs_espeak
def test_other_languages() -> None:
    voices = find_voices(20, ("de",), PROGRAMS)
    assert {voice.accent for voice in voices} == {"de"}
    assert len(trim(speak(voices[0], "zwölf", Draws(170, 50)))) > 3000


@needs_flite
def test_flite_sizes_move_the_formants_and_not_the_duration() -> None:
    tall, small = (
        speak(Voice("flite", size, "rms"), "yes", Draws(170, 50)) for size in ("tall", "small")
    )
    assert abs(len(tall) / len(small) - 1) < 0.1

    def centre(sound: npt.NDArray[np.float32]) -> float:
        level = np.abs(np.fft.rfft(sound))
        return float((level * np.fft.rfftfreq(len(sound), 1 / 16000)).sum() / level.sum())

    assert centre(small) > 1.05 * centre(tall)


@needs_espeak
def test_first_voices_are_the_most_varied() -> None:
    voices = find_voices(200, engines=PROGRAMS)
    assert len({voice.group for voice in voices[:56]}) == 56
    assert len({voice.accent for voice in voices}) >= 8
    assert len({voice.name for voice in voices}) == 200


@needs_espeak
def test_distractors_are_near_but_not_the_same() -> None:
    words = choose_distractors(["yes", "no"])
    assert len(words) == 10
    assert {"yet", "low"} <= set(words)
    assert not {"know", "note", "snow"} & set(words)  # each contains the sound of "no"
    assert same_sound(words, ["yes", "no"]) is None


@needs_espeak
def test_voices_of_an_earlier_run_are_in_the_split_of_their_vocal_tract(tmp_path: Path) -> None:
    words = SynthSettings(("yes",), unknown=(), people=0, takes=1, engines=PROGRAMS)
    synthesize(replace(words, voices=70), tmp_path / "data")
    synthesize(replace(words, voices=10), tmp_path / "data")
    tracts: dict[str, set[Split]] = {}
    clips = open_dataset(tmp_path / "data").clips
    for clip in clips:
        tracts.setdefault(clip.speaker.rpartition("-")[2], set()).add(clip.split)
    assert len(clips) == 70
    assert all(len(splits) == 1 for splits in tracts.values())
    assert len({clip.speaker.rpartition("-")[2] for clip in clips}) < 70


@needs_espeak
def test_a_few_people_are_all_in_training(spoken: tuple[Path, SynthReport], tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(spoken[0], folder)
    source = next((folder / "yes").iterdir())
    sets = []
    for count in (1, 9, 60):
        for person in range(count):
            shutil.copy(source, folder / "yes" / f"person{person}_nohash_0.wav")
        synthesize(SMALL, folder)
        clips = open_dataset(folder).clips
        sets.append({clip.split for clip in clips if clip.speaker.startswith("person")})
    assert sets == [{Split.TRAIN}, {Split.TRAIN}, set(Split)]


@needs_espeak
def test_distractors_suit_many_keywords() -> None:
    keywords = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
    words = choose_distractors(keywords, alike=2)
    assert len(words) == 20
    assert not set(words) & set(keywords)


@needs_espeak
def test_parts_of_a_keyword_of_two_words_are_among_its_distractors() -> None:
    assert {"turn", "on"} <= set(sound_alikes(("turn_on",), 1))
    assert "on" not in sound_alikes(("turn_on", "on"), 1)


@needs_espeak
def test_sound_alikes_of_a_phrase_are_its_words_the_reverse_and_one_word_changed() -> None:
    words = sound_alikes(("hey_marvin",), 4)
    assert words[:3] == ("hey", "marvin", "marvin_hey")
    assert len(words) == 7
    assert {"hey_marble"} <= set(words[3:])
    assert all(word.startswith("hey_") or word.endswith("_marvin") for word in words[3:])
    assert any(word.startswith("hey_") for word in words[3:])
    assert any(word.endswith("_marvin") for word in words[3:])
    assert "on_turn" not in sound_alikes(("turn_on", "on"), 2)


@needs_espeak
@pytest.mark.parametrize(
    ("phrase", "slurred"),
    [
        ("hey_marvin", {"he_marvin", "high_marvin", "say_marvin", "hey_martin"}),
        ("think_engine", {"thing_engine", "ink_engine", "thick_engine"}),
        ("good_morning_computer", {"goat_morning_computer", "good_darling_computer"}),
    ],
)
def test_slurred_forms_of_a_phrase_are_not_unknown(phrase: str, slurred: set[str]) -> None:
    assert not slurred & set(sound_alikes((phrase,), 40))


@needs_espeak
def test_sound_alikes_are_spoken_and_their_keywords_are_not(tmp_path: Path) -> None:
    settings = replace(SMALL, words=(), unknown=None, recorded_keywords=("no",), alike=2)
    settings = replace(settings, voices=4, unknown_takes=2)
    report = synthesize(settings, tmp_path / "data")
    assert report.words == sound_alikes(("no",), 2)
    assert report.made == 16
    assert sorted(open_dataset(tmp_path / "data").words) == sorted(report.words)
    with pytest.raises(UsageError, match="'no' is given twice"):
        synthesize(replace(settings, words=("no",)), tmp_path / "data")


def test_sound_alikes_need_espeak(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="which provides pronunciations, was not found"):
        sound_alikes(("no",))


def test_distractors_without_espeak(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    words = choose_distractors(["yes", "no"], count=10)
    assert len(set(words)) == 10
    assert not {"yes", "no"} & set(words)


def test_trim_finds_the_word() -> None:
    sound = np.zeros(16000, np.float32)
    sound[5000:9000] = 0.3 * np.sin(np.arange(4000) * 0.1)
    assert 4000 <= len(trim(sound)) <= 5000
    assert len(trim(np.zeros(16000, np.float32))) == 0
    assert len(trim(np.zeros(0, np.float32))) == 0


def test_placed_word_is_whole() -> None:
    word = np.sin(np.arange(16000) * 0.3).astype(np.float32)
    clip = place(word, np.random.default_rng(0))
    assert clip.shape == (16000,)
    assert clip.dtype == np.int16


def test_noises_are_seeded_and_different() -> None:
    one, same, other = (make_noises(2, seed) for seed in (1, 1, 2))
    for name, noise in one.items():
        np.testing.assert_array_equal(noise, same[name])
        assert (noise != other[name]).any()
        assert 0.05 < np.sqrt(np.mean((noise / 32768) ** 2)) < 0.11
