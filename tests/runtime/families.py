"""Small untrained models of the common keyword-spotting families, as TFLite converts them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from tests.runtime.model_builder import ModelBuilder
from tests.runtime.stateful_models import add_lstm, add_svdf
from tests.runtime.strategies import weights

layers = keras.layers
Tensor = Any


def convert(converter: Any, shape: tuple[int, ...]) -> bytes:
    """Full int8, calibrated on noise."""
    rng = np.random.default_rng(0)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: (
        [rng.normal(0, 1, shape).astype(np.float32)] for _ in range(8)
    )
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return bytes(converter.convert())


def from_layers(body: Callable[[Tensor], Tensor], shape: tuple[int, ...]) -> bytes:
    """The model of `body` on an input with a batch of 1, so that no op computes shapes."""
    keras.utils.set_random_seed(1)
    x = keras.Input(shape, batch_size=1)
    dense = layers.Dense(4, kernel_initializer=keras.initializers.RandomNormal(stddev=0.3))
    model = keras.Model(x, layers.Softmax()(dense(flat(body(x)))))
    # Normalization gets the statistics of one input, so that the outputs vary.
    model(np.random.default_rng(2).normal(0, 1, (1, *shape)).astype(np.float32), training=True)
    return convert(tf.lite.TFLiteConverter.from_keras_model(model), (1, *shape))


def flat(x: Tensor) -> Tensor:
    """Flatten all dimensions except the batch."""
    return layers.Reshape((int(np.prod(x.shape[1:])),))(x)


def norm(x: Tensor, *, relu: bool = True) -> Tensor:
    """Batch normalization, which conversion folds into the preceding convolution."""
    x = layers.BatchNormalization(momentum=0.0)(x)
    return layers.ReLU()(x) if relu else x


def separable(x: Tensor, channels: int, stride: int = 1) -> Tensor:
    """Depthwise 3x3, then 1x1."""
    x = norm(layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(x))
    return norm(layers.Conv2D(channels, 1, use_bias=False)(x))


def single_fc(x: Tensor) -> Tensor:
    return x


def conv(x: Tensor) -> Tensor:
    """cnn-trad-fpool3."""
    x = layers.Conv2D(8, (20, 8), padding="same", activation="relu")(x)
    x = layers.MaxPooling2D(2, padding="same")(x)
    return layers.Conv2D(8, (10, 4), padding="same", activation="relu")(x)


def tiny_conv(x: Tensor) -> Tensor:
    return layers.Conv2D(8, (10, 8), strides=2, padding="same", activation="relu")(x)


def ds_cnn(x: Tensor) -> Tensor:
    """The MLPerf Tiny shape: 49x10, 64 channels, four separable blocks."""
    x = norm(layers.Conv2D(64, (10, 4), strides=2, padding="same", use_bias=False)(x))
    for _ in range(4):
        x = separable(x, 64)
    return layers.AveragePooling2D((25, 5))(x)


def tc_resnet8(x: Tensor) -> Tensor:
    """Convolutions over time, with frequencies as channels, and residual blocks."""
    x = layers.Reshape((49, 1, 40))(x)
    x = layers.Conv2D(16, (3, 1), padding="same", use_bias=False)(x)
    for channels in (24, 32, 48):
        side = norm(layers.Conv2D(channels, 1, strides=2, use_bias=False, padding="same")(x))
        x = layers.Conv2D(channels, (9, 1), strides=2, padding="same", use_bias=False)(x)
        x = layers.Conv2D(channels, (9, 1), padding="same", use_bias=False)(norm(x))
        x = layers.ReLU()(layers.Add()([norm(x, relu=False), side]))
    return layers.GlobalAveragePooling2D()(x)


def bc_resnet(x: Tensor) -> Tensor:
    """Broadcasted residuals: a block over frequencies, and one over their mean, added to all."""
    x = norm(layers.Conv2D(8, 5, strides=(1, 2), padding="same", use_bias=False)(x))
    for dilation in (1, 2):
        wide = layers.DepthwiseConv2D((1, 3), padding="same", use_bias=False)(x)
        wide = norm(wide, relu=False)
        time = layers.Lambda(lambda t: keras.ops.mean(t, axis=2, keepdims=True))(wide)
        time = layers.DepthwiseConv2D(
            (3, 1), padding="same", dilation_rate=(dilation, 1), use_bias=False
        )(time)
        time = layers.Activation("swish")(norm(time, relu=False))
        time = layers.Conv2D(8, 1)(time)
        x = layers.ReLU()(layers.Add()([layers.Add()([x, wide]), time]))
    return layers.GlobalAveragePooling2D(keepdims=True)(x)


def micronet(x: Tensor) -> Tensor:
    """Separable blocks with uneven widths, as from an architecture search."""
    x = norm(layers.Conv2D(20, (10, 4), strides=(1, 2), padding="same", use_bias=False)(x))
    for channels, stride in ((28, 2), (36, 1), (28, 1), (44, 2)):
        x = separable(x, channels, stride)
    return layers.AveragePooling2D((int(x.shape[1]), int(x.shape[2])))(x)


def crnn(x: Tensor) -> Tensor:
    """Convolution, then recurrence over the remaining time steps."""
    x = layers.Conv2D(6, (10, 5), strides=(8, 4), padding="same", activation="relu")(x)
    x = layers.Reshape((int(x.shape[1]), int(x.shape[2] * x.shape[3])))(x)
    cell, state = layers.LSTMCell(10), [keras.ops.zeros((1, 10)) for _ in range(2)]
    for step in range(int(x.shape[1])):
        _, state = cell(x[:, step], state)
    return state[0]


FAMILIES: dict[str, tuple[Callable[[Tensor], Tensor], tuple[int, ...]]] = {
    "single_fc": (single_fc, (49, 40, 1)),
    "conv": (conv, (49, 40, 1)),
    "tiny_conv": (tiny_conv, (49, 40, 1)),
    "ds_cnn": (ds_cnn, (49, 10, 1)),
    "tc_resnet8": (tc_resnet8, (49, 40, 1)),
    "bc_resnet": (bc_resnet, (49, 40, 1)),
    "micronet": (micronet, (49, 10, 1)),
    "crnn": (crnn, (49, 40, 1)),
}


class MixedNet(tf.Module):  # type: ignore[misc] # TensorFlow has no types
    """Streaming: 3 new frames per call; each layer keeps the frames of its window."""

    def __init__(self) -> None:
        super().__init__()
        rng = np.random.default_rng(5)
        self.first = tf.constant(rng.normal(0, 0.2, (5, 1, 40, 16)), tf.float32)
        self.point = tf.constant(rng.normal(0, 0.3, (1, 1, 16, 16)), tf.float32)
        self.mixed = [
            tf.constant(rng.normal(0, 0.5, (length, 1, 8, 1)), tf.float32) for length in (3, 5)
        ]
        self.dense = tf.constant(rng.normal(0, 0.5, (16, 4)), tf.float32)
        shapes = ((1, 2, 1, 40), (1, 4, 1, 16), (1, 5, 1, 16))
        self.states = [tf.Variable(tf.zeros(shape), trainable=False) for shape in shapes]

    def remember(self, index: int, x: Tensor) -> Tensor:
        """The kept frames, followed by the new ones."""
        state = self.states[index]
        frames = tf.concat([state, x], axis=1)
        state.assign(frames[:, -int(state.shape[1]) :])
        return frames

    @tf.function(input_signature=[tf.TensorSpec((1, 3, 40), tf.float32)])  # type: ignore[untyped-decorator]
    def __call__(self, x: Tensor) -> Tensor:
        x = self.remember(0, tf.reshape(x, (1, 3, 1, 40)))
        x = tf.nn.relu(tf.nn.conv2d(x, self.first, [1, 3, 3, 1], "VALID"))
        frames = self.remember(1, x)
        parts = []
        for part, taps in zip(tf.split(frames, 2, axis=3), self.mixed, strict=True):
            newest = part[:, -int(taps.shape[0]) :]
            parts.append(tf.nn.depthwise_conv2d(newest, taps, [1, 1, 1, 1], "VALID"))
        x = tf.nn.relu(tf.nn.conv2d(tf.concat(parts, axis=3), self.point, 1, "VALID"))
        x = tf.reduce_mean(self.remember(2, x), axis=[1, 2])
        return tf.sigmoid(tf.matmul(x, self.dense))


def mixed_net() -> bytes:
    """A model like microWakeWord's, with variables for its state."""
    module = MixedNet()
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        converter.experimental_enable_resource_variables = True
        converter._experimental_variable_quantization = True
        return convert(converter, (1, 3, 40))


def low_latency_svdf() -> bytes:
    """A frame per call: two SVDFs with their states, and a dense layer."""
    rng = np.random.default_rng(6)
    m = ModelBuilder()
    x = m.tensor((1, 40), "int8", 0.05, -5)
    y = x
    features = 40
    for units, out in ((24, 0.1), (16, 0.12)):
        sizes = {"batch": 1, "features": features, "units": units, "rank": 2, "memory": 8}
        scales = {"feature": 0.005, "time": 1e-4, "state": 0.002, "state_zero": 0}
        y = add_svdf(m, rng, y, sizes, {**scales, "out": out * 3, "out_zero": -128})
        features = units
    return m.build([x], [_scores(m, rng, y, features, 0.36)])


def lstm() -> bytes:
    """The fused op over a second, with a dense layer on the last step."""
    rng = np.random.default_rng(8)
    m = ModelBuilder()
    x = m.tensor((1, 49, 40), "int8", 0.02, 3)
    y = add_lstm(m, rng, x, (1, 49, 40), 12, in_scale=0.02)
    last = m.tensor((1, 12), "int8", 1 / 128, 0)
    bounds = [
        m.tensor((3,), "int32", data=np.array(numbers))
        for numbers in ([0, 48, 0], [1, 49, 12], [1, 1, 1])
    ]
    m.op("STRIDED_SLICE", [y, *bounds], [last], "StridedSliceOptions", shrinkAxisMask=2)
    return m.build([x], [_scores(m, rng, last, 12, 1 / 128)])


def keras_lstm(*units: int) -> bytes:
    """LSTMs of Keras 2, as LiteRT exports them; layers of Keras 3 become a loop."""
    import tf_keras

    tf_keras.utils.set_random_seed(5)
    x = y = tf_keras.Input((49, 40), batch_size=1)
    for place, count in enumerate(units, 1):
        y = tf_keras.layers.LSTM(count, return_sequences=place < len(units))(y)
    y = tf_keras.layers.Dense(4, activation="softmax")(y)
    model = tf_keras.Model(x, y)
    return convert(tf.lite.TFLiteConverter.from_keras_model(model), (1, 49, 40))


def _scores(m: ModelBuilder, rng: np.random.Generator, y: int, size: int, scale: float) -> int:
    """A dense layer and a softmax after tensor `y`."""
    kernel = weights(rng, (4, size))
    product = float(np.float32(1e-4))
    f = m.tensor(kernel.shape, "int8", product / scale, 0, kernel)
    b = m.tensor((4,), "int32", product, 0, np.arange(4) * 9)
    logits = m.tensor((1, 4), "int8", 0.1, 3)
    m.op("FULLY_CONNECTED", [y, f, b], [logits], "FullyConnectedOptions", version=4)
    scores = m.tensor((1, 4), "int8", 1 / 256, -128)
    m.op("SOFTMAX", [logits], [scores], "SoftmaxOptions", version=2, beta=1.0)
    return scores


def random_rows(shape: tuple[int, ...], count: int) -> list[NDArray[np.int8]]:
    """Inputs like quiet spectrograms, and random bytes."""
    rng = np.random.default_rng(9)
    quiet = np.clip(rng.normal(-40, 40, (count, *shape)), -128, 127).astype(np.int8)
    wild = rng.integers(-128, 128, (count, *shape)).astype(np.int8)
    return [*quiet, *wild]
