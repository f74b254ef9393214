# SPDX-License-Identifier: Apache-2.0
"""The figures and sounds in the report."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from kws.model.evaluate.report.page_figures import page_figures, script_json
from tests.model.evaluate.report.made_evaluation import made_clips, made_evaluation


def test_json_cannot_end_its_element() -> None:
    values = {"a": "</script><script>&amp;", "b": [1.5, None]}
    text = script_json(values)
    assert not set("<>&") & set(text)
    assert json.loads(text) == values
    with pytest.raises(ValueError, match="JSON"):
        script_json({"a": float("nan")})


def test_figures_are_those_of_the_json_report() -> None:
    evaluation = made_evaluation()
    curve = evaluation.to_json()["stream"]["curve"]
    points = page_figures(evaluation)["curves"]["points"]
    for row, point in zip(curve, points, strict=True):
        assert point["threshold"] == row["threshold"]
        assert point["alarms"]["count"] == row["talk"]["false_alarms"]
        assert point["alarms"]["rate"] == pytest.approx(row["talk"]["alarms_an_hour"])
        assert point["alarms"]["range"] == pytest.approx(row["talk"]["alarms_an_hour_95"])
        quiet = {"count": "missed", "share": "miss_share", "range": "miss_share_95"}
        assert point["misses"][0] == {mine: row["quiet"][name] for mine, name in quiet.items()}
    assert row["talk"]["miss_share"] is None
    assert len({point["alarms"]["count"] for point in points}) > 3


def test_sounds_are_lossless() -> None:
    clips, figures = made_clips(), page_figures(made_evaluation())["clips"]
    for clip, example in zip(clips.examples, figures["examples"], strict=True):
        kind, _, text = example["sound"].partition(";base64,")
        assert kind == "data:audio/flac"
        pcm, rate = soundfile.read(io.BytesIO(base64.b64decode(text)), dtype="int16")
        assert rate == 16000
        np.testing.assert_array_equal(pcm, clip.pcm)
        truth, said = example["cell"]
        assert (clips.labels[truth], clips.labels[said]) == (clip.truth, clip.said)


def test_curves_have_only_points_where_they_rise() -> None:
    clips = made_clips()
    rng = np.random.default_rng(0)
    scores = rng.integers(-128, 127, clips.scores.shape, np.int8)
    clips = replace(clips, scores=scores)
    for row in page_figures(replace(made_evaluation(), clips=clips))["clips"]["roc"]:
        curve = clips.curves[row["label"]]
        false, true = np.array(row["points"]).T
        assert len(false) < 0.8 * len(curve.false_positive)
        # As stairs, both have the same height everywhere.
        places = np.linspace(0, 1, 97) + 1e-4
        mine = true[np.searchsorted(false, places, side="right") - 1]
        theirs = np.searchsorted(curve.false_positive, places, side="right") - 1
        np.testing.assert_allclose(mine, curve.true_positive[theirs], atol=1e-4)
