"""tiny_conv: TensorFlow's smallest keyword spotter, 19 kB as int8.

One layer of 8 filters, each 10 frames x 8 channels, over the spectrogram at stride 2, and one dense
layer over all that they give. Source: TensorFlow, examples/speech_commands, `tiny_conv`.
"""

from __future__ import annotations

from typing import Any


def build(frames: int, channels: int, classes: int) -> Any:
    """The untrained model: float[n, frames, channels, 1] to logits float[n, classes]."""
    from keras import Input, Sequential, layers  # noqa: PLC0415 - slow, for training only

    return Sequential(
        [
            Input((frames, channels, 1)),
            layers.DepthwiseConv2D(
                (10, 8), strides=2, padding="same", depth_multiplier=8, activation="relu"
            ),
            layers.Dropout(0.1),
            layers.Flatten(),
            layers.Dense(classes),
        ],
        name="tiny_conv",
    )
