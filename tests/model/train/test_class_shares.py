# SPDX-License-Identifier: Apache-2.0
"""Scores that do not depend on how often training drew a class."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import DataSet
from kws.errors import UsageError
from kws.model.samples.training_set import TrainingSet
from kws.model.train.training import train
from kws.model.train.training_job import TrainingJob
from kws.model.weights.class_shares import correct_priors
from kws.model.weights.float_weights import unpack
from kws.model.weights.trained_model import load_trained
from kws.model.zoo import build_model
from tests.model.conftest import SETTINGS, Run


@pytest.mark.tensorflow
def test_odds_change_by_the_shares_of_the_classes() -> None:
    model = build_model("tiny_conv", 3, seed=0)
    clips = np.random.default_rng(0).normal(size=(4, 49, 40, 1)).astype(np.float32)
    before = np.asarray(model.predict_on_batch(clips))
    # Classes 3 and 4 were auxiliary.
    correct_priors(model, np.repeat([0, 1, 2, 3, 4], [5, 70, 10, 9, 9]))
    odds = np.exp(np.asarray(model.predict_on_batch(clips)) - before)
    np.testing.assert_allclose(odds[:, 2] / odds[:, 1], 7, rtol=1e-3)
    np.testing.assert_allclose(odds[:, 0] / odds[:, 2], 2, rtol=1e-3)


@pytest.mark.slow
def test_the_bundle_is_corrected_but_not_the_runs_weights(
    run: Run, tones: DataSet, tmp_path: Path
) -> None:
    out = tmp_path / "corrected"
    result = train(TrainingJob(tones, out, replace(SETTINGS, prior_correction=True)))
    assert result.bundle.float_model
    bundled = [np.asarray(w, np.float32) for w in unpack(result.bundle.float_model, out)[1]]
    trained = [np.asarray(w, np.float32) for w in load_trained(out).weights]
    for one, other in zip(trained[:-1], bundled[:-1], strict=True):
        np.testing.assert_allclose(
            one, other, rtol=2e-3, atol=1e-4
        )  # a bundle's weights are float16
    drawn = np.bincount(TrainingSet(tones, SETTINGS.words, SETTINGS.samples, seed=0).copy(0).labels)
    change = bundled[-1] - trained[-1]
    np.testing.assert_allclose(np.exp(change) * drawn, drawn.mean(), rtol=5e-3)
    assert np.ptp(change) > 0.1
    # The weights for distillation and fine-tuning are not changed.
    for own, theirs in zip(load_trained(out).weights, load_trained(run.out).weights, strict=True):
        np.testing.assert_array_equal(own, theirs)


@pytest.mark.tensorflow
def test_a_model_without_a_final_bias_is_refused_before_training(
    tones: DataSet, tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "def build(frames, channels, classes):\n"
        "    from keras import Input, Sequential, layers\n"
        "    return Sequential([Input((frames, channels, 1)), layers.Flatten(),\n"
        "                       layers.Dense(classes, use_bias=False)])\n",
        encoding="utf-8",
    )
    settings = replace(SETTINGS, arch=str(own), epochs=1)
    with pytest.raises(UsageError, match="a bias for each class"):
        train(TrainingJob(tones, tmp_path / "run", replace(settings, prior_correction=True)))
    assert not (tmp_path / "run").exists()
