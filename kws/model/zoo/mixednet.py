# SPDX-License-Identifier: Apache-2.0
"""mixednet: a streaming model, one inference every two hops, on the two new frames.

Filters of several lengths over time, each for a part of the channels, then a 1x1 convolution, as in
MixConv (Tan and Le, arXiv:1907.09595), which microWakeWord made popular for wake words on
microcontrollers; streaming after Rybakov et al. (arXiv:2005.06720). The scores are computed from
the mean over the last second.
"""

from __future__ import annotations

from typing import Any

from kws.model.zoo.entry import ZooModel
from kws.model.zoo.layers import norm

_FILTERS = 80
_STRIDE = 2
"""Spectrogram frames per frame of the blocks: half of the work, with the same context."""

_LENGTHS = ((3,), (3, 5), (5, 7), (7, 11))
"""Lengths of the filters of each block, in such frames."""


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model, for whole spectrograms."""
    from keras import Input, Model, layers, ops  # noqa: PLC0415 - slow, for training only

    from kws.convert.streaming import Window  # noqa: PLC0415 - slow, for training only

    source = Input((None, channels, 1))  # the window and the frames before it
    x = layers.Reshape((-1, 1, channels))(source)
    first = layers.Conv2D(_FILTERS, (3, 1), strides=(_STRIDE, 1), use_bias=False)
    x = norm(first(Window(2, stride=_STRIDE)(x)))
    for lengths in _LENGTHS:
        parts = ops.split(x, len(lengths), axis=3) if len(lengths) > 1 else [x]
        mixed = []
        for length, part in zip(lengths, parts, strict=True):
            y = layers.DepthwiseConv2D((length, 1), use_bias=False)(Window(length - 1)(part))
            mixed.append(norm(y, relu=False))
        y = layers.Concatenate()(mixed) if len(mixed) > 1 else mixed[0]
        y = norm(layers.Conv2D(_FILTERS, 1, use_bias=False)(y), relu=False)
        x = layers.ReLU()(layers.Add()([x, y]))
    x = layers.GlobalAveragePooling2D()(Window(-(-frames // _STRIDE) - 1, pad=False)(x))
    return Model(source, layers.Dense(classes)(layers.Dropout(0.2)(x)), name="mixednet")


MODELS = {
    "mixednet": ZooModel(
        build,
        "streaming: takes each frame once, two at a time, and keeps a state",
        "kws, after arXiv:1907.09595, arXiv:2005.06720 and microWakeWord",
        {"learning_rate": 0.005, "epochs": 40, "lead_ms": 1000},
        _STRIDE,
    ),
}
