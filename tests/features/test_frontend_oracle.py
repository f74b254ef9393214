"""The core's features against TFLM's: its goldens, and its preprocessor model as the oracle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from kws import _core
from kws.audio.sound_files import load_clip

Pcm = npt.NDArray[np.int16]
Features = npt.NDArray[np.int8]
Oracle = Callable[[Pcm], Features]

SECOND = _core.SAMPLE_RATE


@pytest.fixture(scope="module")
def oracle(tflm_data: Path) -> Oracle:
    """A clip's features as TFLM computes them."""
    pytest.importorskip("tflite_micro", reason="the oracle, PyPI's tflite-micro, is not installed")
    from tflite_micro.python.tflite_micro import runtime

    model = (tflm_data / "audio_preprocessor_int8.tflite").read_bytes()
    interpreter = runtime.Interpreter.from_bytes(model)

    def features(pcm: Pcm) -> Features:
        interpreter.reset()  # the noise estimate starts at zero
        frames = []
        for start in range(0, len(pcm) - _core.WINDOW_SAMPLES + 1, _core.STRIDE_SAMPLES):
            interpreter.set_input(pcm[np.newaxis, start : start + _core.WINDOW_SAMPLES], 0)
            interpreter.invoke()
            frames.append(interpreter.get_output(0).reshape(_core.CHANNELS).copy())
        return np.array(frames, np.int8)

    return features


def to_pcm(x: npt.NDArray[np.floating]) -> Pcm:
    clipped: Pcm = np.clip(np.rint(x), -32768, 32767).astype(np.int16)
    return clipped


def wave(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """A second of a sine of any frequency, amplitude 1."""
    frequency = rng.uniform(0, SECOND / 2)
    sine: npt.NDArray[np.float64] = np.sin(2 * np.pi * frequency * np.arange(SECOND) / SECOND)
    return sine


def bursts(rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Where one 5 ms in five sounds."""
    return (rng.random(SECOND // 80) < 0.2).repeat(80)


# A second of each, from a random generator and a level (1 to 32768).
SOUNDS: dict[str, Callable[[np.random.Generator, float], npt.NDArray[np.floating]]] = {
    "noise": lambda rng, level: rng.normal(0, level, SECOND),
    "clipped noise": lambda rng, level: rng.normal(0, 20 * level, SECOND),
    "bursts": lambda rng, level: rng.normal(0, level, SECOND) * bursts(rng),
    "sine": lambda rng, level: level * wave(rng),
    "square": lambda rng, level: level * np.sign(wave(rng)),
    "impulses": lambda rng, level: np.where(rng.random(SECOND) < 0.002, level, 0.0),
    "constant": lambda rng, level: np.full(SECOND, rng.choice([-32768, 32767, 0, 1, -1, level])),
    "full scale": lambda rng, level: np.where(rng.random(SECOND) < 0.5, -32768.0, 32767.0),
    "faint": lambda rng, level: rng.integers(-2, 3, SECOND).astype(np.float64),
    # Now and then -32768 where the window's weight is 1: a corner case of the reference's scaling.
    "lone minima": lambda rng, level: np.where(
        rng.random(SECOND) < 0.01, -32768.0, rng.normal(0, level, SECOND)
    ),
}


@pytest.mark.parametrize("name", [
    "no_1000ms", "no_30ms", "noise_1000ms", "silence_1000ms", "yes_1000ms", "yes_30ms",
])  # fmt: skip
def test_features_equal_the_goldens(tflm_data: Path, name: str) -> None:
    golden = np.loadtxt(tflm_data / "golden" / f"{name}.features.txt", dtype=np.int8, ndmin=2)
    pcm = load_clip(tflm_data / "wav" / f"{name}.wav")
    np.testing.assert_array_equal(_core.features(pcm[np.newaxis])[0], golden)


@pytest.mark.parametrize("sound", SOUNDS)
def test_artificial_sound_gives_the_oracles_bits(oracle: Oracle, sound: str) -> None:
    rng = np.random.default_rng(list(SOUNDS).index(sound))
    clips = np.stack([to_pcm(SOUNDS[sound](rng, 2.0 ** rng.uniform(0, 15))) for _ in range(15)])
    for pcm, features in zip(clips, _core.features(clips), strict=True):
        np.testing.assert_array_equal(features, oracle(pcm))


def test_speech_at_all_levels_gives_the_oracles_bits(oracle: Oracle, speech_commands: Path) -> None:
    rng = np.random.default_rng(100)
    files = sorted(speech_commands.glob("[a-z]*/*.flac"))
    assert files
    for path in rng.choice(np.array(files, dtype=object), 150):
        pcm = load_clip(path).astype(np.float64)
        peak = max(np.abs(pcm).max(), 1.0)
        pcm16 = to_pcm(pcm * (2.0 ** rng.uniform(0, 17) / peak))  # up to four times full scale
        np.testing.assert_array_equal(
            _core.features(pcm16[np.newaxis])[0], oracle(pcm16), err_msg=str(path)
        )


def test_the_noise_estimate_runs_on_in_a_stream(oracle: Oracle) -> None:
    """A stream in odd pieces, a minute long: what a device hears."""
    rng = np.random.default_rng(200)
    loudness = 2.0 ** rng.uniform(0, 14, 60).repeat(SECOND)
    pcm = to_pcm(rng.normal(0, loudness))
    frontend = _core.Frontend()
    pieces = np.split(pcm, np.sort(rng.integers(0, len(pcm), 500)))
    frames = np.concatenate([frontend.process(piece) for piece in pieces])
    np.testing.assert_array_equal(frames, oracle(pcm))


def test_clips_do_not_influence_each_other() -> None:
    clips = to_pcm(np.random.default_rng(300).normal(0, 1000, (8, SECOND)))
    together = _core.features(clips)
    assert together.shape == (8, 49, _core.CHANNELS)
    for pcm, features in zip(clips, together, strict=True):
        np.testing.assert_array_equal(_core.features(pcm[np.newaxis])[0], features)
