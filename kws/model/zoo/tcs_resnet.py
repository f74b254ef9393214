"""tcs_resnet: a short two-dimensional stem, then separable convolutions over time with residuals.

The stem sees local shapes of the spectrogram and shrinks it; after it the channels of a frame are
features, and everything is one-dimensional: filters over time, each feature for itself, then sums
over all features (time-channel separable, as in QuartzNet, arXiv:1910.10261, and MatchboxNet,
arXiv:2004.08531). Most of the work is multiplying matrices, which trains quickly and runs quickly.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from kws.model.zoo.blocks import conv
from kws.model.zoo.entry import ZooModel

_BLOCKS = 5


def build(frames: int, channels: int, classes: int, *, stem: int, width: int, head: int) -> Any:
    """The untrained model.

    Args:
        frames: of the spectrogram.
        channels: of a frame.
        classes: number of labels.
        stem: filters before the spectrogram is flattened over frequency.
        width: features of a frame after that.
        head: features that are averaged over time.
    """
    from keras import Input, Model, layers  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = conv(source, stem, 5, (2, 4))
    x = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(x)
    x = conv(x, stem, 1)
    _, steps, bands, _ = x.shape
    x = conv(layers.Reshape((steps, 1, bands * stem))(x), width, 1)
    for _ in range(_BLOCKS):
        y = layers.DepthwiseConv2D((9, 1), padding="same", use_bias=False)(x)
        x = layers.Add()([x, conv(y, width, 1)])
    x = layers.GlobalAveragePooling2D()(conv(x, head, 1))
    return Model(source, layers.Dense(classes)(layers.Dropout(0.2)(x)), name="tcs_resnet")


MODEL = ZooModel(
    partial(build, stem=20, width=64, head=64),
    "a 2-D stem, then five separable residual blocks over time; under 60 kB",
    "ours, after arXiv:1910.10261 and arXiv:2004.08531",
    {"learning_rate": 0.005, "batch_size": 128, "epochs": 30},
    5,
)
WIDE = ZooModel(
    partial(build, stem=24, width=128, head=128),
    "the same, twice as wide",
    "the same",
    {"learning_rate": 0.005, "batch_size": 128, "epochs": 40},
    10,
)
