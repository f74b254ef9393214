# SPDX-License-Identifier: Apache-2.0
"""Fine-tuning: a model starts with the base model's layers, and frozen layers do not change."""

from __future__ import annotations

import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from typer.testing import CliRunner

from kws.audio.dataset import DataSet
from kws.bundle.layout import FLOAT_FILE
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.cli.main import app
from kws.errors import BundleError, KwsError, ModelError, UsageError
from kws.features.spectrogram import to_float
from kws.model.samples.training_set import TrainingSet
from kws.model.train.distillation import Teacher
from kws.model.train.fine_tuning import keep_first_classes, start_from
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights import checkpoint
from kws.model.weights.float_weights import pack
from kws.model.weights.trained_model import load_trained, mean_of
from kws.model.zoo import build_model
from tests.model.conftest import SETTINGS, Run, kill_at

LABELS = ("silence", "unknown", "up", "high", "down")
SHORT = replace(SETTINGS, words=("up", "down"), epochs=2)


def weights(model: Any) -> list[np.ndarray]:
    return [np.asarray(variable).copy() for variable in model.weights]


def best(run: Path) -> list[npt.NDArray[np.float32]]:
    state = checkpoint.load(run / "checkpoint.npz")
    assert state is not None
    return [np.asarray(array, np.float32) for array in state.best]


def test_layers_and_rows_of_known_labels_are_the_base_models(run: Run) -> None:
    theirs = best(run.out)
    model = build_model("tiny_conv", len(LABELS), seed=9)
    fresh = weights(model)
    start_from(load_trained(run.out), model, LABELS, frozen=1)
    kernel, bias, head, head_bias = weights(model)
    np.testing.assert_array_equal(kernel, theirs[0])
    np.testing.assert_array_equal(bias, theirs[1])
    # The base model's labels are silence, unknown, low, high.
    np.testing.assert_array_equal(head[:, [0, 1, 3]], theirs[2][:, [0, 1, 3]])
    np.testing.assert_array_equal(head_bias[[0, 1, 3]], theirs[3][[0, 1, 3]])
    np.testing.assert_array_equal(head[:, [2, 4]], fresh[2][:, [2, 4]])
    assert [len(layer.trainable_weights) for layer in model.layers if layer.weights] == [0, 2]


def test_the_mean_of_two_rounds(run: Run, tones: DataSet, tmp_path: Path) -> None:
    first = load_trained(run.out)
    words = tuple(label for label in first.labels if label not in ("silence", "unknown"))
    again = replace(SETTINGS, words=words, epochs=1, frozen=0.0)
    train(TrainingJob(tones, tmp_path / "second", again, base_model=first))
    second = load_trained(tmp_path / "second" / "bundle")  # in half precision
    mean = mean_of([first, second])
    for array, one, other in zip(mean.weights, first.weights, second.weights, strict=True):
        expected = (np.asarray(one, np.float64) + np.asarray(other, np.float64)) / 2
        np.testing.assert_allclose(np.asarray(array, np.float64), expected, rtol=1e-6, atol=1e-7)
    assert mean.labels == first.labels
    assert len({first.fingerprint, second.fingerprint, mean.fingerprint}) == 3
    assert mean_of([first]) is first
    train(TrainingJob(tones, tmp_path / "mean", again, base_model=mean))

    fewer = replace(again, words=words[:1])
    train(TrainingJob(tones, tmp_path / "fewer", fewer, base_model=first))
    with pytest.raises(UsageError, match=r"fewer: cannot be averaged with .* must be the same"):
        mean_of([first, load_trained(tmp_path / "fewer")])
    with pytest.raises(UsageError, match="features must be the same"):
        mean_of([first, replace(second, keep_noise=not first.keep_noise)])


def test_first_classes_keep_their_scores() -> None:
    model = build_model("tcs_resnet", 5, seed=1)
    smaller = build_model("tcs_resnet", 3, seed=2)
    keep_first_classes(model, smaller)
    clips = np.random.default_rng(0).normal(size=(4, 49, 40, 1)).astype(np.float32)
    logits = [np.asarray(m.predict_on_batch(clips)) for m in (model, smaller)]
    np.testing.assert_allclose(logits[0][:, :3], logits[1], rtol=1e-5, atol=1e-5)


def test_auxiliary_words_leave_the_model_when_training_ends(tones: DataSet, tmp_path: Path) -> None:
    people = tuple(replace(clip, speaker=f"person-{clip.speaker}") for clip in tones.clips)
    extra = replace(tones, clips=people)
    settings = replace(SETTINGS, words=("low",), auxiliary=("up", "down"), epochs=4)
    result = train(TrainingJob(tones, tmp_path / "first", settings, extra=extra))
    assert result.bundle.labels == ("silence", "unknown", "low")
    bundled = load_trained(tmp_path / "first" / "bundle")
    whole = load_trained(tmp_path / "first")
    assert whole.labels == ("silence", "unknown", "low", "up", "down")
    heads = [np.asarray(model.weights[-2], np.float32) for model in (bundled, whole)]
    np.testing.assert_allclose(heads[0], heads[1][:, :3], atol=1e-2)
    # The second round uses all of them, and the first round's scores for all of them.
    again = replace(settings, frozen=0.0, epochs=1)
    teacher = Teacher(tmp_path / "first")
    training = TrainingSet(tones, settings.words, settings.samples, seed=0)
    scores = teacher.scores(training, 0, ("low", "up", "down"))
    spectrograms = training.copy(0).spectrograms
    logits = np.asarray(whole.build().predict_on_batch(to_float(spectrograms)))
    np.testing.assert_array_equal(scores.argsort(), logits.argsort())
    train(
        TrainingJob(
            tones, tmp_path / "second", again, extra=extra, base_model=whole, teacher=teacher
        )
    )
    assert len(load_trained(tmp_path / "second").labels) == 5
    # A bundle does not have them.
    with pytest.raises(UsageError, match="it must know silence, unknown, low, up, down"):
        train(
            TrainingJob(
                tones,
                tmp_path / "x",
                again,
                extra=extra,
                teacher=Teacher(tmp_path / "first/bundle"),
            )
        )


@pytest.mark.parametrize("name", ["tc_resnet8", "tcs_resnet", "crnn"])
@pytest.mark.parametrize(("frozen", "share"), [(0, 0), (0.5, 0.5), (1, 1)])
def test_share_of_frozen_layers(
    run: Run, tmp_path: Path, name: str, frozen: float, share: float
) -> None:
    known = build_model(name, 4, seed=1)
    bundle = replace(run.result.bundle, float_model=pack(name, weights(known)))
    write_bundle(bundle, tmp_path / "bundle")
    model = build_model(name, 3, seed=2)
    start_from(load_trained(tmp_path / "bundle"), model, ("silence", "unknown", "new"), frozen)
    layers = [layer for layer in model.layers if layer.weights]
    assert layers[-1].trainable
    stuck = [not layer.trainable for layer in layers[:-1]]
    assert stuck == sorted(stuck, reverse=True)
    assert sum(stuck) == round(share * len(stuck))
    for new, old in zip(weights(model)[:-2], weights(known)[:-2], strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-3, atol=1e-6)  # half precision


@pytest.mark.parametrize("name", ["tc_resnet8", "tcs_resnet", "ds_cnn_s"])
def test_convolutions_start_from_a_model_with_another_window(
    run: Run, tmp_path: Path, name: str
) -> None:
    known = build_model(name, 4, seed=1)
    bundle = replace(run.result.bundle, float_model=pack(name, weights(known)))
    write_bundle(bundle, tmp_path / "bundle")
    model = build_model(name, 3, seed=2, frames=84)
    start_from(load_trained(tmp_path / "bundle"), model, ("silence", "unknown", "new"), 0.0)
    assert model.input_shape == (None, 84, 40, 1)
    for new, old in zip(weights(model)[:-2], weights(known)[:-2], strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-3, atol=1e-6)  # half precision


def test_a_dense_layer_over_the_window_cannot_start_from_another_window(run: Run) -> None:
    model = build_model("tiny_conv", 3, seed=2, frames=84)
    with pytest.raises(UsageError, match="its window has 49 frames, and its layers do not fit 84"):
        start_from(load_trained(run.out), model, ("silence", "unknown", "new"), 0.0)


@pytest.mark.slow
def test_frozen_layers_stay_and_the_others_learn(run: Run, tones: DataSet, tmp_path: Path) -> None:
    theirs = best(run.out)
    train(
        TrainingJob(
            tones, tmp_path / "head", replace(SHORT, frozen=1.0), base_model=load_trained(run.out)
        )
    )
    train(
        TrainingJob(
            tones, tmp_path / "all", replace(SHORT, frozen=0.0), base_model=load_trained(run.out)
        )
    )
    head, whole = best(tmp_path / "head"), best(tmp_path / "all")
    for place in (0, 1):
        np.testing.assert_array_equal(head[place], theirs[place])
        assert np.abs(whole[place] - theirs[place]).max() > 0
    assert np.abs(head[2][:, 2:] - theirs[2][:, 2:]).max() > 0


@pytest.mark.slow
def test_frozen_batch_normalization_does_not_change(
    run: Run, tones: DataSet, tmp_path: Path
) -> None:
    known = build_model("tc_resnet8", 4, seed=1)
    bundle = replace(run.result.bundle, float_model=pack("tc_resnet8", weights(known)))
    write_bundle(bundle, tmp_path / "known")
    settings = replace(SHORT, arch="tc_resnet8", epochs=1)
    train(
        TrainingJob(tones, tmp_path / "run", settings, base_model=load_trained(tmp_path / "known"))
    )
    before = load_trained(tmp_path / "known").weights
    for new, old in zip(best(tmp_path / "run")[:-2], before[:-2], strict=True):
        np.testing.assert_array_equal(new, old)


def test_bundle_can_be_the_base_model_like_its_run(run: Run, tmp_path: Path) -> None:
    by_run, by_bundle = load_trained(run.out), load_trained(run.out / "bundle")
    assert (by_run.arch, by_run.labels) == (by_bundle.arch, by_bundle.labels)
    for one, other in zip(best(run.out), by_bundle.weights, strict=True):
        np.testing.assert_allclose(one, np.asarray(other, np.float32), rtol=1e-3, atol=1e-4)
    # A bundle that was changed and written again still has its float weights.
    changed = tmp_path / "changed"
    arguments = ["set", str(run.out / "bundle"), "--threshold", "150", "--out", str(changed)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert load_trained(changed).fingerprint == by_bundle.fingerprint


@pytest.mark.slow
def test_run_with_another_base_model_is_refused(run: Run, tones: DataSet, tmp_path: Path) -> None:
    settings = replace(SHORT, epochs=1)
    train(TrainingJob(tones, tmp_path / "run", settings, base_model=load_trained(run.out)))
    with pytest.raises(UsageError, match="another base model"):
        train(TrainingJob(tones, tmp_path / "run", settings))


def test_wrong_models_are_refused_in_one_line(run: Run, tones: DataSet, tmp_path: Path) -> None:
    def refused(error: type[KwsError], says: str, folder: Path) -> None:
        with pytest.raises(error, match=says) as caught:
            load_trained(folder)
        assert "\n" not in str(caught.value)

    with pytest.raises(UsageError, match="a crnn cannot start from a tiny_conv"):
        train(
            TrainingJob(
                tones,
                tmp_path / "run",
                replace(SHORT, arch="crnn"),
                base_model=load_trained(run.out),
            )
        )
    samples = replace(SHORT.samples, keep_noise=not SHORT.samples.keep_noise)
    other = replace(SHORT, samples=samples)
    for folder in (run.out, run.out / "bundle"):
        with pytest.raises(UsageError, match="different features; train with --set keep_noise="):
            train(TrainingJob(tones, tmp_path / "run", other, base_model=load_trained(folder)))
    assert not (tmp_path / "run").exists()
    refused(BundleError, "no such bundle", tmp_path / "nowhere")
    refused(BundleError, "not a bundle", tmp_path)

    bundle = tmp_path / "bundle"
    shutil.copytree(run.out / "bundle", bundle)
    file = bundle / FLOAT_FILE
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    refused(ModelError, "float weights are damaged", bundle)
    file.unlink()
    refused(UsageError, "a bundle without float weights", bundle)
    assert load_bundle(bundle).model == run.result.bundle.model

    file.write_bytes(pack("tiny_conv", best(run.out)[:3]))
    with pytest.raises(ModelError, match="do not fit this version's tiny_conv"):
        start_from(load_trained(bundle), build_model("tiny_conv", 4, 0), LABELS[:4], 1)


@pytest.mark.slow
def test_finetune_uses_the_base_models_architecture_and_features(run: Run, tmp_path: Path) -> None:
    base = tmp_path / "base"
    shutil.copytree(run.out / "bundle", base)
    toml = base / "bundle.toml"
    toml.write_text(toml.read_text().replace("keep_noise = false", "keep_noise = true"))
    command = [
        *("train", "--data", str(run.data), "--words", "up,down", "--out", str(tmp_path / "run")),
        *("--finetune", str(base), "--epochs", "1", "--set", "copies=1"),
    ]
    result = CliRunner().invoke(app, [*command, "--arch", "single_fc"])
    assert isinstance(result.exception, UsageError)
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1, "a model of one epoch detects nothing"
    assert "bundle:" in result.output
    settings = (tmp_path / "run" / "settings.toml").read_text()
    assert 'arch = "tiny_conv"' in settings
    assert "keep_noise = true" in settings
    assert load_bundle(tmp_path / "run" / "bundle").frontend.keep_noise


@pytest.mark.slow
def test_killed_run_resumes_to_the_same_model(run: Run, tones: DataSet, tmp_path: Path) -> None:
    settings = replace(SHORT, epochs=6, samples=replace(SHORT.samples, copies=2))
    whole = train(
        TrainingJob(
            tones, tmp_path / "whole", settings, name="it", base_model=load_trained(run.out)
        )
    )
    code = (
        "import pickle, sys; from pathlib import Path; from kws.audio.dataset import open_dataset;"
        "from kws.model.weights.trained_model import load_trained;"
        "from kws.model.train.training import train;"
        "from kws.model.train.training_job import TrainingJob;"
        "data, out, run = map(Path, sys.argv[1:4]);"
        "settings = pickle.loads(bytes.fromhex(sys.argv[4]));"
        "job = TrainingJob("
        "open_dataset(data), out, settings, name='it', base_model=load_trained(run));"
        "train(job)"
    )
    out = tmp_path / "killed"
    args = (run.data, out, run.out, pickle.dumps(settings).hex())
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, args)])
    kill_at(process, out / "checkpoint.npz")
    state = checkpoint.load(out / "checkpoint.npz")
    assert state is not None
    assert 0 < len(state.history) < settings.epochs
    again = train(TrainingJob(tones, out, settings, name="it", base_model=load_trained(run.out)))
    assert again.best_epoch == whole.best_epoch
    for new, old in zip(best(out), best(tmp_path / "whole"), strict=True):
        np.testing.assert_array_equal(new, old)
    np.testing.assert_array_equal(best(out)[0], best(run.out)[0])
