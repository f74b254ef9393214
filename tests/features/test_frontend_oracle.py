# SPDX-License-Identifier: Apache-2.0
"""The core's features compared with TFLM's: tests/data, its preprocessor and its goldens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from kws import _core
from kws.audio.sound_files import load_clip
from tests.features.tflm_frontend import preprocessor_model, tflm_features
from tests.oracle_data import features, sound_files

Pcm = npt.NDArray[np.int16]

SECOND = _core.SAMPLE_RATE


def to_pcm(x: npt.NDArray[np.floating]) -> Pcm:
    clipped: Pcm = np.clip(np.rint(x), -32768, 32767).astype(np.int16)
    return clipped


def wave(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """A one-second sine of random frequency, amplitude 1."""
    frequency = rng.uniform(0, SECOND / 2)
    sine: npt.NDArray[np.float64] = np.sin(2 * np.pi * frequency * np.arange(SECOND) / SECOND)
    return sine


def bursts(rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """A mask in which one of five blocks of 5 ms has sound."""
    return (rng.random(SECOND // 80) < 0.2).repeat(80)


# A second of each kind, from a random generator and a level (1 to 32768).
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
    # Sometimes -32768 where the window's weight is 1: a corner case of the reference's scaling.
    "lone minima": lambda rng, level: np.where(
        rng.random(SECOND) < 0.01, -32768.0, rng.normal(0, level, SECOND)
    ),
}


@pytest.mark.parametrize("sound", sound_files())
def test_features_equal_tflms(sound: str) -> None:
    pcm = load_clip(sound_files()[sound])
    np.testing.assert_array_equal(_core.Frontend().process(pcm), features()[sound])


def test_features_vary() -> None:
    values = np.unique(np.concatenate(list(features().values())))
    assert len(values) > 100


@pytest.mark.parametrize("sound", ["hiss", "yes_slt"])
def test_the_committed_features_equal_tflms(sound: str) -> None:
    pcm = load_clip(sound_files()[sound])
    np.testing.assert_array_equal(tflm_features(pcm), features()[sound])


@pytest.mark.parametrize("sound", SOUNDS)
def test_artificial_sound_is_bit_identical_to_the_oracle(sound: str) -> None:
    rng = np.random.default_rng(list(SOUNDS).index(sound))
    clips = np.stack([to_pcm(SOUNDS[sound](rng, 2.0 ** rng.uniform(0, 15))) for _ in range(15)])
    for pcm, frames in zip(clips, _core.features(clips), strict=True):
        np.testing.assert_array_equal(frames, tflm_features(pcm))


def test_speech_at_all_levels_is_bit_identical_to_the_oracle() -> None:
    rng = np.random.default_rng(100)
    for sound in ("yes_slt", "no_awb", "left_slt", "vowels"):
        pcm = load_clip(sound_files()[sound]).astype(np.float64)
        for level in rng.uniform(0, 17, 8):  # up to four times full scale
            scaled = to_pcm(pcm * (2.0**level / np.abs(pcm).max()))
            np.testing.assert_array_equal(
                _core.Frontend().process(scaled), tflm_features(scaled), f"{sound}, {level}"
            )


def test_the_noise_estimate_continues_in_a_stream() -> None:
    """A minute in chunks of odd sizes, as on a device."""
    rng = np.random.default_rng(200)
    loudness = 2.0 ** rng.uniform(0, 14, 60).repeat(SECOND)
    pcm = to_pcm(rng.normal(0, loudness))
    frontend = _core.Frontend()
    chunks = np.split(pcm, np.sort(rng.integers(0, len(pcm), 500)))
    frames = np.concatenate([frontend.process(chunk) for chunk in chunks])
    np.testing.assert_array_equal(frames, tflm_features(pcm))


def test_clips_do_not_influence_each_other() -> None:
    clips = to_pcm(np.random.default_rng(300).normal(0, 1000, (8, SECOND)))
    together = _core.features(clips)
    assert together.shape == (8, 49, _core.CHANNELS)
    for pcm, frames in zip(clips, together, strict=True):
        np.testing.assert_array_equal(_core.features(pcm[np.newaxis])[0], frames)


@pytest.mark.parametrize("name", [
    "no_1000ms", "no_30ms", "noise_1000ms", "silence_1000ms", "yes_1000ms", "yes_30ms",
])  # fmt: skip
def test_features_equal_micro_speechs_goldens(tflm_data: Path, name: str) -> None:
    golden = np.loadtxt(tflm_data / "golden" / f"{name}.features.txt", dtype=np.int8, ndmin=2)
    pcm = load_clip(tflm_data / "wav" / f"{name}.wav")
    np.testing.assert_array_equal(tflm_features(pcm), golden)
    np.testing.assert_array_equal(_core.features(pcm[np.newaxis])[0], golden)


def test_the_preprocessor_is_micro_speechs(tflm_data: Path) -> None:
    """All ops, constants and options are equal."""
    from flatbuffers import flexbuffers
    from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

    def operators(file: bytes) -> Iterator[object]:
        model = schema.ModelT.InitFromPackedBuf(file, 0)
        (graph,) = model.subgraphs
        for operator in graph.operators:
            code = model.operatorCodes[operator.opcodeIndex]
            yield code.builtinCode, code.customCode
            for index in [*operator.inputs, *operator.outputs]:
                tensor = graph.tensors[index]
                constant = model.buffers[tensor.buffer].data
                yield tensor.type, list(tensor.shape), bytes(() if constant is None else constant)
            options = operator.customOptions
            yield None if options is None else flexbuffers.Loads(bytes(options))

    theirs = (tflm_data / "audio_preprocessor_int8.tflite").read_bytes()
    assert list(operators(preprocessor_model())) == list(operators(theirs))
