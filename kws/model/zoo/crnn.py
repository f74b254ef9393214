# SPDX-License-Identifier: Apache-2.0
"""crnn: a convolution that shortens the second to 13 steps, then an LSTM over them.

Zhang et al. (arXiv:1711.07128), CRNN, with an LSTM instead of two GRUs. The steps are
unrolled, because the runtime has no loops.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import conv

_UNITS = 48


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Model, layers, ops  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = conv(source, 32, (10, 16), (4, 8))
    steps, width, filters = (int(size) for size in x.shape[1:])
    x = layers.Reshape((steps, width * filters))(x)
    cell, state = layers.LSTMCell(_UNITS), [ops.zeros((1, _UNITS)) for _ in range(2)]
    for step in range(steps):
        _, state = cell(x[:, step], state)
    x = layers.Dropout(0.2)(state[0])
    return Model(source, layers.Dense(classes)(x), name="crnn")


MODELS = {
    "crnn": ZooModel(
        build,
        "a convolution, then an LSTM over 13 steps",
        "after Zhang et al. (arXiv:1711.07128), CRNN",
        {"learning_rate": 0.003, "epochs": 40},
        stride=4,
    ),
}
