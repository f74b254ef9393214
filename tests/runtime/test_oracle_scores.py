# SPDX-License-Identifier: Apache-2.0
"""The core's scores compared with TFLM's in tests/data, without another runtime."""

from __future__ import annotations

import numpy as np
import pytest

from kws import _core
from tests.oracle_data import MODELS, features, inputs, model_file, scores


def core_scores(model: str, sound: str) -> list[list[int]]:
    interpreter = _core.Interpreter(model_file(model).read_bytes())
    rows = inputs(features()[sound], interpreter.inputs[0].shape)
    return [np.asarray(interpreter.invoke(row)[0]).ravel().tolist() for row in rows]


@pytest.mark.parametrize("model", MODELS)
def test_scores_equal_tflms(model: str) -> None:
    assert scores()[model].keys() == features().keys()
    for sound, expected in scores()[model].items():
        assert core_scores(model, sound) == expected, sound


@pytest.mark.parametrize("model", MODELS)
def test_scores_depend_on_the_sound(model: str) -> None:
    assert len({str(rows) for rows in scores()[model].values()}) > len(features()) / 2


@pytest.mark.parametrize(("model", "sound"), [("yes_no", "yes_slt"), ("mixed_net", "stream")])
def test_the_committed_scores_equal_tflms(model: str, sound: str) -> None:
    from tools.oracles import tflm_scores

    contents = model_file(model).read_bytes()
    assert tflm_scores(contents, features()[sound]) == scores()[model][sound]
