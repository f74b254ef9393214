# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from kws.convert.quantize import quantize
from kws.model.zoo import build_model

pytestmark = pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")


@pytest.mark.tensorflow
def test_same_weights_give_the_same_bytes_at_any_time() -> None:
    """Keras numbers the layers and tensors of a process consecutively."""
    clips = np.random.default_rng(0).integers(-128, 128, (4, 49, 40)).astype(np.int8)
    first = quantize(build_model("tiny_conv", 4, 0), clips)
    for _ in range(12):  # until the numbers have more digits
        build_model("tiny_conv", 4, 0)
    assert quantize(build_model("tiny_conv", 4, 0), clips) == first
