# SPDX-License-Identifier: Apache-2.0
"""low_latency_conv: filters as long as the spectrogram, then three dense layers.

Sainath and Parada (2015), cnn-one-fstride4; the example moves its filters by 1 channel, not 4, and
has no activation between the dense layers, so the three narrow layers are a factorization.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Sequential, layers  # noqa: PLC0415 - slow, for training only

    return Sequential(
        [
            Input((frames, channels, 1)),
            layers.Conv2D(186, (frames, 8), activation="relu"),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(128),
            layers.Dropout(0.3),
            layers.Dense(128),
            layers.Dropout(0.3),
            layers.Dense(classes),
        ],
        name="low_latency_conv",
    )


MODELS = {
    "low_latency_conv": ZooModel(
        build,
        "filters over the whole second, then three dense layers",
        "TensorFlow, examples/speech_commands, low_latency_conv",
        {"learning_rate": 0.001, "epochs": 30},
        stride=6,
    ),
}
