# SPDX-License-Identifier: Apache-2.0
"""The Python interface detects what a device detects, in sound of any type, rate and division."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soxr

import kws
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.making import make_bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import AudioError, BundleError, UsageError
from kws.features.spectrogram import batch_spectrograms
from kws.host.emulate import host_device
from tests.paths import ROOT
from tests.small_models import LABELS, dense_model
from tests.sound_server import DEVICE, SoundServer

CLIPS = ROOT / "kws" / "assets" / "matrix"


@pytest.fixture(scope="module")
def pcm() -> Pcm:
    """Two words with a pause; both are also heard at 8 kHz."""
    yes, no = (load_clip(CLIPS / name) for name in ("yes_rob.flac", "no_awb.flac"))
    return np.concatenate([yes, np.zeros(16000, np.int16), no])


def test_hits_are_those_of_the_device(pcm: Pcm) -> None:
    device = Device(load_bundle(default_bundle_path()))
    expected = host_device.play(device, host_device.with_room(device, pcm)).heard
    hits = list(kws.load().stream(pcm))
    assert [hit.word for hit in hits] == ["yes", "no"]
    assert hits == [kws.Hit(one.label, one.time_ms / 1000, one.score) for one in expected]


@pytest.mark.parametrize("parts", [1, 7, 500])
@pytest.mark.parametrize("as_float", [False, True])
def test_type_and_division_of_the_sound_make_no_difference(
    pcm: Pcm, parts: int, as_float: bool
) -> None:
    sound = pcm / 32768 if as_float else pcm
    model = kws.load("yes_no")
    assert list(model.stream(np.array_split(sound, parts))) == list(model.stream(pcm))


@pytest.mark.parametrize("rate", [8000, 44100, 48000])
def test_other_rates_and_channels_are_converted(pcm: Pcm, rate: int) -> None:
    mono = soxr.resample(pcm / np.float32(32768), 16000, rate)
    stereo = np.stack([mono, mono], axis=1)
    hits = list(kws.load().stream(np.array_split(stereo, 31), rate))
    assert [hit.word for hit in hits] == ["yes", "no"]
    for hit, expected in zip(hits, kws.load().stream(pcm), strict=True):
        assert hit.time_s == pytest.approx(expected.time_s, abs=0.13)  # the same inference


def test_a_hit_comes_before_the_sound_ends(pcm: Pcm) -> None:
    fed = 0

    def live() -> Iterator[Pcm]:
        nonlocal fed
        for block in np.array_split(pcm, 100):
            fed += len(block)
            yield block

    hit = next(kws.load().stream(live()))
    assert hit.time_s * 16000 <= fed < hit.time_s * 16000 + len(pcm) / 100 + 1


def test_scores_are_those_of_the_core(pcm: Pcm) -> None:
    _, times, scores = Device(load_bundle(default_bundle_path())).pipeline().trace(pcm)
    found = kws.load().scores(np.array_split(pcm, 9))
    assert found.labels == ("silence", "unknown", "yes", "no")
    np.testing.assert_array_equal(found.times_s, times / 1000)
    np.testing.assert_array_equal(found.values, scores.astype(int) + 128)
    assert found.values.dtype == np.uint8
    assert kws.load().scores(pcm[:100]).values.shape == (0, 4)


def test_a_wake_word_hands_over_to_commands(pcm: Pcm) -> None:
    model = kws.load("yes_no", then="ten_words", listen_s=3)
    assert model.words[:3] == ("yes", "no", "yes")
    assert next(model.stream(pcm)).word == "yes"
    with pytest.raises(UsageError, match="a single bundle"):
        model.scores(pcm)


def test_a_spectrogram_is_what_models_see(pcm: Pcm, tmp_path: Path) -> None:
    assert kws.spectrogram(pcm[:16000]).shape == (49, 40)
    assert kws.spectrogram(pcm[:16000] / 32768).tolist() == kws.spectrogram(pcm[:16000]).tolist()
    kept = make_bundle(dense_model(), LABELS, name="kept", keep_noise=True)
    write_bundle(kept, tmp_path / "kept")
    for model, keep_noise in (("yes_no", False), (tmp_path / "kept", True)):
        expected = batch_spectrograms(pcm[np.newaxis, :16000], keep_noise=keep_noise)[0]
        np.testing.assert_array_equal(kws.spectrogram(pcm[:16000], model=model), expected)
    assert (kws.spectrogram(pcm[:16000]) != expected).any()
    with pytest.raises(AudioError, match="shorter than one frame"):
        kws.spectrogram(pcm[:100])


@pytest.mark.parametrize(
    ("sound", "rate", "reason"),
    [
        (np.zeros(16000, np.uint8), 16000, "samples are uint8"),
        (np.zeros(16000, np.int32), 16000, "samples are int32"),
        (np.full(16000, 12000.0), 16000, "floats must be from -1 to 1"),
        (np.zeros((2, 2, 2)), 16000, "3 dimensions"),
        (np.zeros(16000, np.int16), 16, "1000 to 768000"),
    ],
)
def test_sound_that_would_be_misheard_is_refused(sound: Pcm, rate: int, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        list(kws.load().stream(sound, rate))


def test_nan_and_unknown_models_are_refused() -> None:
    with pytest.raises(AudioError, match="NaN"):
        list(kws.load().stream(np.full(1600, np.nan)))
    with pytest.raises(BundleError, match="no such bundle"):
        kws.load("yes_mo")


def test_importing_kws_imports_nothing_else() -> None:
    code = "import kws, sys; print([m for m in sys.modules if m.startswith(('kws.', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_exists() -> None:
    for name in dir(kws):
        assert getattr(kws, name) is not None
    with pytest.raises(AttributeError, match="lode"):
        _ = kws.lode  # type: ignore[attr-defined]


def test_the_example_of_the_page_prints_what_the_page_shows() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    code, output = re.findall(r"^```(?:python)?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[:2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == output


def test_a_data_set_is_evaluated(speech_commands: Path) -> None:
    pytest.importorskip("scipy")
    result = kws.evaluate(kws.load("yes_no"), speech_commands)
    assert result.clips is not None
    assert 0.9 < result.clips.matrix.accuracy < 1
    with pytest.raises(UsageError, match="a single bundle"):
        kws.evaluate(kws.load("yes_no", then="tiny"), speech_commands)


def test_talk_gives_false_alarms_per_hour(pcm: Pcm, tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    for word in ("yes", "no", "other"):
        write_clip(tmp_path / "data" / word / "anna_nohash_0.wav", pcm[:16000])
    write_clip(tmp_path / "data" / "_background_noise_" / "room.wav", np.zeros(32000, np.int16))
    said = np.concatenate([pcm, np.zeros(16000, np.int16)])
    write_clip(tmp_path / "talk" / "radio.wav", said)  # a yes and a no, which are false alarms here
    data, talk = tmp_path / "data", [tmp_path / "talk"]
    result = kws.evaluate(kws.load("yes_no"), data, split="all", negatives=talk)
    assert result.stream is not None
    alarms = result.stream.total.false_alarms
    assert [alarm.report.label for alarm in alarms] == ["yes", "no"]


def test_a_microphone_is_a_stream(pcm: Pcm, sound_server: SoundServer) -> None:
    code = (
        "import kws\n"
        f"for hit in kws.load().stream(kws.microphone({DEVICE!r})):\n"
        "    print(hit.word, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=sound_server.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        try:
            assert program.stdout
            assert program.stderr
            assert "listening to" in program.stderr.readline()
            time.sleep(1)  # no word is reported in the first second
            sound_server.play(np.concatenate([pcm, np.zeros(16000, np.int16)]))
            assert [program.stdout.readline().strip() for _ in range(2)] == ["yes", "no"]
        finally:
            program.kill()
