"""The models that `kws train` knows, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kws.convert.backend import import_tensorflow
from kws.errors import UsageError
from kws.features.frontend_settings import FrontendSettings
from kws.model.zoo import (
    bc_resnet,
    conv,
    crnn,
    ds_cnn,
    ds_resnet,
    low_latency_conv,
    low_latency_svdf,
    mixednet,
    single_fc,
    tc_resnet8,
    tcs_resnet,
    tiny_conv,
    tiny_embedding_conv,
    user_model,
)
from kws.model.zoo.entry import ZooModel

MODELS: dict[str, ZooModel] = {
    "single_fc": single_fc.MODEL,
    "tiny_conv": tiny_conv.MODEL,
    "conv": conv.MODEL,
    "low_latency_conv": low_latency_conv.MODEL,
    "low_latency_svdf": low_latency_svdf.MODEL,
    "tiny_embedding_conv": tiny_embedding_conv.MODEL,
    "ds_cnn_s": ds_cnn.S,
    "ds_cnn_m": ds_cnn.M,
    "ds_cnn_l": ds_cnn.L,
    "ds_resnet": ds_resnet.MODEL,
    "tc_resnet8": tc_resnet8.MODEL,
    "tcs_resnet": tcs_resnet.MODEL,
    "tcs_resnet_wide": tcs_resnet.WIDE,
    "tcs_resnet_fine": tcs_resnet.FINE,
    "bc_resnet_1": bc_resnet.W1,
    "bc_resnet_2": bc_resnet.W2,
    "crnn": crnn.MODEL,
    "mixednet": mixednet.MODEL,
}


def build_model(name: str, classes: int, seed: int) -> Any:
    """An untrained Keras model: float[n, 49, 40, 1] to logits float[n, classes].

    Args:
        name: a key of MODELS, or a Python file (see kws.model.zoo.user_model).
        classes: number of labels.
        seed: what the first weights are drawn with.

    Raises:
        UsageError: there is no such model, or the file's does not fit.
        ToolError: TensorFlow is not installed.
    """
    entry = find_model(name)
    import_tensorflow()
    import keras  # noqa: PLC0415 - slow, for training only

    keras.utils.set_random_seed(seed)
    frontend = FrontendSettings()
    return entry.build(frontend.frames, frontend.channels, classes)


def find_model(name: str) -> ZooModel:
    """The model of this name, or in this Python file.

    Raises:
        UsageError: there is none, or the file's does not fit.
    """
    if user_model.is_own(name):
        return user_model.load(Path(name))
    if name not in MODELS:
        raise UsageError(f"no model {name!r}; there are {', '.join(MODELS)}, or name a .py file")
    return MODELS[name]
