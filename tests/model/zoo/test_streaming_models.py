# SPDX-License-Identifier: Apache-2.0
"""A model for whole windows and its streaming version return the same scores on every target."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from kws.bundle.bundle import Bundle
from kws.bundle.changes import Changes, change_bundle
from kws.bundle.device import Device
from kws.bundle.making import make_bundle
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle
from kws.convert.quantize import quantize
from kws.errors import ModelError, UsageError
from kws.features.spectrogram import after_silence, to_float
from kws.host.build.firmware import build
from kws.host.emulate import host_device
from kws.host.emulate.qemu import Qemu
from kws.model.evaluate.judge.conversion_loss import litert_scores
from kws.model.evaluate.score.clip_scores import core_scores
from kws.model.zoo import build_model
from tests.model.zoo.untrained import fit_normalizations, noise
from tests.noise import changing_noise
from tests.runtime.families import mixed_net
from tests.runtime.oracles import assert_same
from tests.small_models import dense_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Statistics for quantized inputs"),
]

LABELS = ("silence", "unknown", "yes", "no")


@pytest.fixture(scope="module")
def clips() -> NDArray[np.int8]:
    """Noise with a louder part, different in each clip."""
    clips = noise(24)
    rng = np.random.default_rng(4)
    for clip in clips:
        start, low = rng.integers(0, 35), rng.integers(0, 30)
        clip[start : start + 14, low : low + 10] = rng.integers(20, 127)
    return clips


@pytest.fixture(scope="module")
def model(clips: NDArray[np.int8]) -> Any:
    """Mixednet with a dense layer that has varying outputs."""
    model = fit_normalizations(build_model("mixednet", len(LABELS), seed=2), clips)
    weights = model.layers[-1].get_weights()[0]
    logits = model(to_float(clips), training=False).numpy()
    model.layers[-1].set_weights([4 * weights, -4 * logits.mean(axis=0)])
    return model


@pytest.fixture(scope="module")
def data(model: Any, clips: NDArray[np.int8]) -> bytes:
    return quantize(model, after_silence(clips, 48))


@pytest.fixture(scope="module")
def bundle(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle with many reports."""
    talkative = RecognizerSettings(200, 70, 0, 3)
    made = make_bundle(data, LABELS, name="mixed", recognizer=talkative)
    return write_bundle(made, tmp_path_factory.mktemp("stream") / "bundle")


def softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    scores: NDArray[np.float32] = powers / powers.sum(axis=1, keepdims=True)
    return scores


def in_pairs(frames: NDArray[np.int8]) -> NDArray[np.int8]:
    """int8[n, 40] as int8[ceil(n / 2), 2, 40]: a frame of zeros comes first if n is odd."""
    padded = np.pad(frames, ((len(frames) % 2, 0), (0, 0)), constant_values=-128)
    return padded.reshape(-1, 2, 40)


def test_float_stream_ends_with_the_scores_of_the_whole_clip(
    model: Any, clips: NDArray[np.int8]
) -> None:
    from kws.convert.streaming import streaming_model

    whole = model(to_float(clips[:3]), training=False).numpy()
    for clip, expected in zip(clips[:3], whole, strict=True):
        streaming = streaming_model(model)
        for pair in in_pairs(clip):
            last = streaming(to_float(pair[None]), training=False).numpy()
        np.testing.assert_allclose(last[0], expected, atol=1e-4)


@pytest.mark.parametrize("window", [49, 50])
def test_frames_before_the_window_count_as_in_a_stream(
    model: Any, clips: NDArray[np.int8], window: int
) -> None:
    from kws.convert.streaming import frames_before, streaming_model

    before = frames_before(model, window, 50)
    assert before == (50 if window == 49 else 49)
    assert frames_before(model, window, 0) == 0
    assert frames_before(build_model("tiny_conv", len(LABELS), seed=0), window, 50) == 0
    long = np.concatenate([clips[1], clips[2], clips[3]])[-before - window :]
    streaming = streaming_model(model)
    for pair in in_pairs(long):
        last = streaming(to_float(pair[None]), training=False).numpy()
    whole = model(to_float(long[None]), training=False).numpy()
    np.testing.assert_allclose(whole, last, atol=1e-4)
    alone = model(to_float(long[None, before:]), training=False).numpy()
    assert np.abs(whole - alone).max() > 0.01


def test_int8_stream_equals_the_float_clip_within_quantization(
    model: Any, data: bytes, clips: NDArray[np.int8]
) -> None:
    # A second of silence first, in calls of two frames; the float model sees one of the first two.
    heard = after_silence(clips, 48)
    exact = softmax(model(to_float(heard), training=False).numpy())
    assert len(set(exact.argmax(axis=1))) > 2, "the scores do not depend on the input"
    core = core_scores(data, clips)
    error = np.abs((core.astype(np.float32) + 128) / 256 - exact)
    assert error.mean() < 0.03
    assert (core.argmax(axis=1) == exact.argmax(axis=1)).mean() > 0.9
    litert = litert_scores(data, clips)
    # LiteRT rounds the dense layer's sums once, the core twice; one logit step is several
    # score steps here.
    assert np.abs(litert.astype(int) - core).max() <= 6
    assert (litert == core).all(axis=1).mean() > 0.9


def test_the_process_for_other_backends_converts_the_same_window(
    model: Any, data: bytes, clips: NDArray[np.int8], tmp_path: Path
) -> None:
    """The clips are longer than the window."""
    np.savez(tmp_path / "weights.npz", *[np.asarray(weights) for weights in model.weights])
    np.save(tmp_path / "clips.npy", after_silence(clips, 48))
    module = "kws.model.train.conversion_process"
    command = [sys.executable, "-m", module, "mixednet", str(len(LABELS)), "49", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    again = (tmp_path / "model.tflite").read_bytes()
    np.testing.assert_array_equal(core_scores(again, clips), core_scores(data, clips))


def test_stream_is_bit_identical_to_tflm(data: bytes, clips: NDArray[np.int8]) -> None:
    interpreter = _core.Interpreter(data)
    assert interpreter.inputs[0].shape == (1, 2, 40, 1)
    assert {"VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"} <= set(interpreter.ops)
    pairs = [pair[None, ..., None] for clip in clips[:2] for pair in in_pairs(clip)]
    assert_same(data, [[pair] for pair in pairs], litert=False)


def test_pipeline_gives_the_model_each_frame_once(bundle: Bundle) -> None:
    assert bundle.inference_stride == 2
    pcm = changing_noise(4)
    text, times, scores = Device(bundle).pipeline().trace(pcm)
    frames = np.asarray(_core.Frontend().process(pcm))
    interpreter = _core.Interpreter(bundle.model)
    # One call ends with frame 49, so the first call has only one frame.
    pairs = in_pairs(frames[: len(frames) - 1 + len(frames) % 2])
    hear_silence(interpreter, calls=25, frames=2)
    expected = [np.array(interpreter.invoke(pair)[0]).ravel() for pair in pairs]
    # A frame needs half of the next hop.
    assert list(times) == [20 * (2 * call + 2) for call in range(len(pairs))]
    np.testing.assert_array_equal(scores, expected)
    assert text.count(b"Heard") > 2


def test_three_frames_at_a_time_run_every_third_hop() -> None:
    bundle = make_bundle(mixed_net(), LABELS, name="three")
    assert bundle.inference_stride == 3
    pcm = changing_noise(3)
    _, times, scores = Device(bundle).pipeline().trace(pcm)
    frames = _core.Frontend().process(pcm)
    interpreter = _core.Interpreter(bundle.model)
    # One call ends with frame 49, which needs hop 50. So the first call has only one frame.
    frames = np.concatenate([np.full((2, 40), -128, np.int8), frames])
    hear_silence(interpreter, calls=17, frames=3)
    expected = []
    for start in range(0, len(frames) - 2, 3):
        answer = interpreter.invoke(np.ascontiguousarray(frames[start : start + 3]))
        expected.append(np.array(answer[0]).ravel())
    assert list(times) == [20 * hop for hop in range(2, 151, 3)]
    np.testing.assert_array_equal(scores, expected)


def hear_silence(interpreter: Any, *, calls: int, frames: int) -> None:
    """Feed a window of silence, as a device does before the first sample."""
    for _ in range(calls):
        interpreter.invoke(np.full((frames, 40), -128, np.int8))


def test_other_strides_are_refused(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="streams, 2 new frames at a time, so it must be 2"):
        make_bundle(bundle.model, LABELS, name="x", inference_stride=4)
    assert bundle.path is not None
    with pytest.raises(ModelError, match="number of frames that the model takes at a time"):
        change_bundle(bundle.path, tmp_path / "x", Changes(inference_stride=4))


def test_few_frames_without_state_are_refused() -> None:
    with pytest.raises(ModelError, match="fewer for models that keep variables"):
        make_bundle(dense_model(elements=120), LABELS, name="x")


@pytest.mark.usefixtures("board_tools")
def test_emulated_board_writes_the_hosts_lines(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path))
    pcm = changing_noise(8)
    elf = build("qemu", Device(bundle)).elf
    with Qemu() as emulator:
        board = emulator.play(elf, pcm)
    host = host_device.play(Device(bundle), pcm)
    assert board.text.partition("\n")[2] == host.text.partition("\n")[2]
    assert len(board.heard) > 3
