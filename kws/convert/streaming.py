# SPDX-License-Identifier: Apache-2.0
"""Layers for streaming models, which keep earlier frames.

A streaming model is written and trained for whole spectrograms. Its layers process each frame
separately, or are filters over time with `valid` padding and a `Window` in front. If its input has
a variable number of frames, training also feeds it the frames before its window, which it remembers
on a device. For the device, `streaming_model` converts it to a model that takes only the new frames
(one per call, or the stride of its layers) and returns the same scores.

Imports Keras, which is slow.
"""

from __future__ import annotations

import math
from typing import Any

import keras
from keras import ops

MEMORY = "memory"
"""Name of the variable with the frames that a `Window` keeps."""


class Window(keras.layers.Layer):  # type: ignore[misc] # Keras has no types
    """The frames of a spectrogram (second dimension), with older ones in front.

    For a whole spectrogram the older frames are `kept` zeros. With `pad=False`, for a layer that
    sees all frames at once, none are added, and only the last `kept` + 1 frames remain. For a
    stream they are the last frames (zeros at first): `kept`, or fewer if the next layer moves by
    `stride` frames, which are new in each call.
    """

    def __init__(
        self,
        kept: int,
        *,
        pad: bool = True,
        stride: int = 1,
        streaming: bool = False,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.kept = kept
        self.pad = pad
        self.stride = stride
        self.streaming = streaming

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Create the variable that holds a stream's retained frames."""
        if self.streaming:
            self.memory = self.add_weight(
                shape=(1, self._memory_frames, *input_shape[2:]),
                initializer="zeros",
                trainable=False,
                name=MEMORY,
            )

    def call(self, x: Any) -> Any:
        """Prepend the older frames."""
        if self.streaming:
            frames = ops.concatenate([self.memory, x], axis=1)
            self.memory.assign(frames[:, -self._memory_frames :])
            return frames
        around = [(0, 0)] * (len(x.shape) - 2)
        if self.pad:
            return ops.pad(x, [(0, 0), (self.kept, 0), *around])
        return x[:, -self.kept - 1 :]

    def get_config(self) -> dict[str, Any]:
        """The constructor's arguments."""
        own = {"kept": self.kept, "pad": self.pad, "stride": self.stride}
        return {**super().get_config(), **own, "streaming": self.streaming}

    @property
    def _memory_frames(self) -> int:
        return self.kept - self.stride + 1


def streams(model: Any) -> bool:
    """Whether `streaming_model` can convert a Keras model."""
    return any(isinstance(layer, Window) for layer in model.layers)


def new_frames(model: Any) -> int:
    """Frames that `streaming_model` takes per call: the product of its strides over time."""
    return math.prod(layer.stride for layer in model.layers if isinstance(layer, Window))


def frames_before(model: Any, window: int, most: int) -> int:
    """Number of frames before its window that training can feed to a model.

    Args:
        model: a model of whole spectrograms.
        window: frames in its window.
        most: available frames before the window.

    Returns:
        0 if the model does not stream or its input has a fixed length; otherwise at most `most`
        frames, such that the strided layers end at the last frame, as in the streaming model.
    """
    if not streams(model) or model.input_shape[1] is not None:
        return 0
    return max(most - (window + most - 1) % new_frames(model), 0)


def streaming_model(model: Any) -> Any:
    """The same model for a stream: float[1, n, channels, 1] to the scores of all frames so far.

    n is `new_frames`. If a spectrogram's length is not a multiple of it, zeros come first.
    """

    def clone(layer: Any) -> Any:
        settings = layer.get_config()
        if isinstance(layer, Window):
            settings["streaming"] = True
        return type(layer).from_config(settings)

    source = keras.Input(batch_shape=(1, new_frames(model), *model.input_shape[2:]))
    streaming = keras.models.clone_model(model, input_tensors=source, clone_function=clone)
    for copy, original in zip(streaming.layers, model.layers, strict=True):
        if not isinstance(copy, Window):
            copy.set_weights(original.get_weights())
    return streaming
