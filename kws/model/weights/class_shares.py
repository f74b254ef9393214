# SPDX-License-Identifier: Apache-2.0
"""Prior correction: scores that do not depend on how often training draws each class.

Scores include the class's prior: if unknown was drawn seven times as often as a keyword, a clip
that resembles both equally is called unknown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kws.errors import UsageError


def check_head(arch: str, model: Any, *, prior_correction: bool) -> None:
    """Check that `correct_priors` can adjust a model if `prior_correction` is set.

    Raises:
        UsageError: the model does not end with a bias for each class.
    """
    if not prior_correction:
        return
    weights = model.weights
    if not weights or tuple(weights[-1].shape) != (model.output_shape[-1],):
        raise UsageError(
            f"{arch}: prior_correction needs a model whose last layer has a bias for each class, "
            "such as Dense(classes); omit prior_correction"
        )


def correct_priors(model: Any, drawn: npt.NDArray[np.int64]) -> None:
    """Correct a trained model's scores as if all classes had been drawn equally often.

    Args:
        model: a Keras model that `check_head` accepts. The biases of its last layer change.
        drawn: int64[n], the classes of an epoch's clips. Auxiliary words, which the model no
            longer has, do not count.
    """
    bias = model.weights[-1]
    classes = int(bias.shape[0])
    counts = np.maximum(np.bincount(drawn, minlength=classes)[:classes], 1)
    bias.assign(np.asarray(bias) - np.log(counts / counts.mean()).astype(np.float32))
