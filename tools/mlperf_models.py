# SPDX-License-Identifier: Apache-2.0
"""Models with the shapes of MLPerf Tiny's, with random weights: their cost does not need others."""

from __future__ import annotations

from typing import Any

from kws.convert.backend import import_tensorflow, quiet


def ds_cnn() -> bytes:
    """The keyword spotter (2.66 M MACs), int8."""
    import_tensorflow()
    import keras

    keras.utils.set_random_seed(1)
    layers = keras.layers
    first = x = keras.Input((49, 10, 1), batch_size=1)
    x = _block(layers.Conv2D(64, (10, 4), strides=2, padding="same", use_bias=False), x)
    for _ in range(4):
        x = _block(layers.DepthwiseConv2D(3, padding="same", use_bias=False), x)
        x = _block(layers.Conv2D(64, 1, use_bias=False), x)
    x = layers.Flatten()(layers.AveragePooling2D((25, 5))(x))
    return _int8(keras.Model(first, layers.Softmax()(layers.Dense(12)(x))))


def wake_word() -> bytes:
    """The streaming wake word: 30 frames of 40 channels, int8."""
    import_tensorflow()
    import keras

    keras.utils.set_random_seed(1)
    layers = keras.layers
    first = x = keras.Input((30, 1, 40), batch_size=1)
    for rows, filters in ((3, 128), (5, 128), (10, 128), (15, 32)):
        x = layers.DepthwiseConv2D((rows, 1), use_bias=False)(x)
        x = _block(layers.Conv2D(filters, 1, use_bias=False), x)
    return _int8(keras.Model(first, layers.Softmax()(layers.Dense(3)(layers.Flatten()(x)))))


def _block(layer: Any, x: Any) -> Any:
    import keras

    return keras.layers.ReLU()(keras.layers.BatchNormalization()(layer(x)))


def _int8(model: Any) -> bytes:
    tf = import_tensorflow()
    import numpy as np

    rng = np.random.default_rng(0)
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: (
        [rng.normal(0, 1, model.input_shape).astype("float32")] for _ in range(50)
    )
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    with quiet():
        return bytes(converter.convert())
