"""Small models: a dense layer, and a model with an op that the runtime does not support."""

from __future__ import annotations

import numpy as np

from tests.runtime.model_builder import ModelBuilder

LABELS = ("silence", "unknown", "yes", "no")


def dense_model(*, dtype: str = "int8", elements: int = 1960, outputs: int = 4) -> bytes:
    """A dense layer and a softmax; by default small and of a supported shape."""
    quantized = dtype == "int8"
    rng = np.random.default_rng(0)
    builder = ModelBuilder()

    def tensor(shape: list[int], scale: float, zero_point: int, kind: str = dtype) -> int:
        return builder.tensor(shape, kind, scale if quantized else None, zero_point)

    source = tensor([1, elements], 1 / 256, -128)
    weights = rng.integers(-127, 128, (outputs, elements))
    matrix = builder.tensor(
        list(weights.shape), dtype, 0.001 if quantized else None, data=weights.astype(dtype)
    )
    logits = tensor([1, outputs], 0.1, 0)
    scores = tensor([1, outputs], 1 / 256, -128)
    builder.op("FULLY_CONNECTED", [source, matrix, -1], [logits], "FullyConnectedOptions")
    builder.op("SOFTMAX", [logits], [scores], "SoftmaxOptions", beta=1.0)
    return builder.build([source], [scores])


def unsupported_model() -> bytes:
    """A model with an op that kws does not support."""
    builder = ModelBuilder()
    source = builder.tensor([1, 1960], "int8", 1 / 256, -128)
    scores = builder.tensor([1, 1960], "int8", 1 / 256, -128)
    builder.op("COS", [source], [scores])
    return builder.build([source], [scores])
