# SPDX-License-Identifier: Apache-2.0
"""low_latency_svdf: units of rank 2, each two filters over channels times two over time.

Nakkiran et al., Compressing Deep Neural Networks Using a Rank-Constrained Topology (2015). A rank
is a 1x1 convolution over the channels of a frame and then a filter over the frames; the two ranks
of a unit are added. The dense layers have no activation, as in the example.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel

UNITS = 1280
RANK = 2


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model."""
    from keras import Input, Model, layers  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = layers.Reshape((frames, 1, channels))(source)
    ranks = [
        layers.DepthwiseConv2D((frames, 1))(layers.Conv2D(UNITS, 1, use_bias=False)(x))
        for _ in range(RANK)
    ]
    x = layers.Flatten()(layers.ReLU()(layers.Add()(ranks)))
    for _ in range(2):
        x = layers.Dense(256)(layers.Dropout(0.3)(x))
    return Model(source, layers.Dense(classes)(layers.Dropout(0.3)(x)), name="low_latency_svdf")


MODELS = {
    "low_latency_svdf": ZooModel(
        build,
        "1280 units of rank 2 (SVDF) over the whole second, then three dense layers",
        "TensorFlow, examples/speech_commands, low_latency_svdf",
        {"learning_rate": 0.001, "epochs": 30},
        stride=16,
    ),
}
