"""What makes a model stream: layers that remember the frames before the new ones.

A streaming model is written and trained for whole spectrograms, out of layers that treat each frame
alone, and of filters over time whose padding is `valid` and which have a `Window` in front. For a
device `streaming_twin` makes of it a model that takes one new frame a call and gives the same.

Imports Keras, which is slow: import it where a model is built.
"""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

MEMORY = "memory"
"""Name of what a `Window` keeps."""


class Window(keras.layers.Layer):  # type: ignore[misc] # Keras has no types
    """The frames of a spectrogram (second dimension), with older ones in front.

    Of a whole spectrogram the older ones are zeros, if there are any: `pad=False` suits a layer
    that sees all frames at once. Of a stream they are the last `kept` frames before, zeros at the
    start.
    """

    def __init__(
        self, kept: int, *, pad: bool = True, streaming: bool = False, **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        self.kept = kept
        self.pad = pad
        self.streaming = streaming

    def build(self, input_shape: tuple[int | None, ...]) -> None:
        """Make the memory, if it is a stream."""
        if self.streaming:
            self.memory = self.add_weight(
                shape=(1, self.kept, *input_shape[2:]),
                initializer="zeros",
                trainable=False,
                name=MEMORY,
            )

    def call(self, x: Any) -> Any:
        """Frames with older frames in front."""
        if self.streaming:
            frames = ops.concatenate([self.memory, x], axis=1)
            self.memory.assign(frames[:, -self.kept :])
            return frames
        around = [(0, 0)] * (len(x.shape) - 2)
        return ops.pad(x, [(0, 0), (self.kept, 0), *around]) if self.pad else x

    def get_config(self) -> dict[str, Any]:
        """What makes another layer like this one."""
        mine = {"kept": self.kept, "pad": self.pad, "streaming": self.streaming}
        return {**super().get_config(), **mine}


def streams(model: Any) -> bool:
    """Whether a Keras model can be made to stream."""
    return any(isinstance(layer, Window) for layer in model.layers)


def streaming_twin(model: Any) -> Any:
    """The same model for a stream: float[1, 1, channels, 1] to what it says of all frames so far.

    Args:
        model: of whole spectrograms, with `Window` layers.
    """

    def clone(layer: Any) -> Any:
        settings = layer.get_config()
        if isinstance(layer, Window):
            settings["streaming"] = True
        return type(layer).from_config(settings)

    source = keras.Input(batch_shape=(1, 1, *model.input_shape[2:]))
    twin = keras.models.clone_model(model, input_tensors=source, clone_function=clone)
    for ours, theirs in zip(twin.layers, model.layers, strict=True):
        if not isinstance(ours, Window):
            ours.set_weights(theirs.get_weights())
    return twin
