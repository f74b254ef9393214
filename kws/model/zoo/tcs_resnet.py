# SPDX-License-Identifier: Apache-2.0
"""tcs_resnet: a short two-dimensional stem, then separable convolutions over time with residuals.

The stem detects local shapes of the spectrogram and shrinks it. After it, the channels of a frame
are features and all layers are one-dimensional: filters over time per feature, then sums over all
features (time-channel separable, as in QuartzNet, arXiv:1910.10261, and MatchboxNet,
arXiv:2004.08531). Most of the work is multiplying matrices, which trains quickly and runs quickly.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import conv

_SOURCE = "kws, after arXiv:1910.10261 and arXiv:2004.08531"


def build(frames: int, channels: int, classes: int, *, stem: int, width: int) -> Any:
    """The untrained model.

    Args:
        frames: frames of the spectrogram.
        channels: channels of a frame.
        classes: number of labels.
        stem: filters before the spectrogram is flattened over frequency.
        width: features of a frame after that.
    """
    from keras import Input  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = conv(source, stem, 5, (2, 4))
    x = conv(_depthwise(x, 3), stem, 1)
    return _over_time(source, x, width, blocks=5, classes=classes)


def build_fine(frames: int, channels: int, classes: int, *, stem: int, width: int) -> Any:
    """Like `build`, with twice the bands after the stem, a residual in it, and one more block."""
    from keras import Input, layers  # noqa: PLC0415 - slow, for training only

    source = Input((frames, channels, 1))
    x = conv(source, stem, 5, (2, 2))
    x = layers.Add()([x, conv(_depthwise(x, 3), stem, 1)])
    return _over_time(source, x, width, blocks=6, classes=classes)


def _over_time(source: Any, x: Any, width: int, *, blocks: int, classes: int) -> Any:
    """The layers after the stem, where a frame has only features."""
    from keras import Model, layers  # noqa: PLC0415 - slow, for training only

    _, steps, bands, filters = x.shape
    x = conv(layers.Reshape((steps, 1, bands * filters))(x), width, 1)
    for _ in range(blocks):
        x = layers.Add()([x, conv(_depthwise(x, (9, 1)), width, 1)])
    x = layers.GlobalAveragePooling2D()(conv(x, width, 1))
    return Model(source, layers.Dense(classes)(layers.Dropout(0.2)(x)), name="tcs_resnet")


def _depthwise(x: Any, size: int | tuple[int, int]) -> Any:
    from keras import layers  # noqa: PLC0415 - slow, for training only

    return layers.DepthwiseConv2D(size, padding="same", use_bias=False)(x)


MODELS = {
    "tcs_resnet": ZooModel(
        partial(build, stem=20, width=64),
        "a 2-D stem, then five separable residual blocks over time of 64 features; trains and runs "
        "quickly",
        _SOURCE,
        {"learning_rate": 0.005, "batch_size": 128, "epochs": 30},
        stride=6,
    ),
    "tcs_resnet_small": ZooModel(
        partial(build, stem=12, width=44),
        "like tcs_resnet, with 44 features: a first model before a second look",
        _SOURCE,
        {"learning_rate": 0.005, "batch_size": 128, "epochs": 30},
        stride=6,
    ),
    "tcs_resnet_wide": ZooModel(
        partial(build, stem=24, width=128),
        "like tcs_resnet, with 128 features",
        _SOURCE,
        {"learning_rate": 0.005, "batch_size": 128, "epochs": 40},
        stride=9,
    ),
    "tcs_resnet_fine": ZooModel(
        partial(build_fine, stem=24, width=160),
        "like tcs_resnet, with 160 features and twice the frequency bands: for words in noise",
        _SOURCE,
        {"learning_rate": 0.005, "batch_size": 100, "epochs": 70},
        stride=16,
    ),
}
