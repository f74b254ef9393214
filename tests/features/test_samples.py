# SPDX-License-Identifier: Apache-2.0
"""Samples that are not int16, mono, 16 kHz are refused, not processed as silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kws import _core
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.errors import KwsError

WAYS: dict[str, Callable[..., Any]] = {
    "feed": lambda samples, **more: (
        Device(load_bundle(default_bundle_path())).pipeline().feed(samples, **more)
    ),
    "trace": lambda samples, **more: (
        Device(load_bundle(default_bundle_path())).pipeline().trace(samples, **more)
    ),
    "frontend": lambda samples: _core.Frontend().process(samples),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("samples", "says"),
    [
        (np.zeros(320), "float64 with shape (320,)"),
        (np.zeros(320, np.float32), "float32"),
        (np.zeros(320, np.uint16), "uint16"),
        (np.zeros(320, np.int32), "int32"),
        (np.zeros((2, 320), np.int16), "int16 with shape (2, 320)"),
        ([0] * 320, "samples of list"),
    ],
    ids=["float64", "float32", "uint16", "int32", "stereo", "list"],
)
def test_other_samples_are_refused(way: str, samples: Any, says: str) -> None:
    with pytest.raises(KwsError, match=re.escape(says)) as refused:
        WAYS[way](samples)
    assert "kws takes one channel of int16 at 16 kHz" in str(refused.value)


@pytest.mark.parametrize("way", ["feed", "trace"])
def test_another_rate_is_refused(way: str) -> None:
    with pytest.raises(KwsError, match="samples at 48000 Hz; kws takes 16000 Hz, so resample"):
        WAYS[way](np.zeros(960, np.int16), rate=48000)
    WAYS[way](np.zeros(320, np.int16), rate=16000)


def test_strided_arrays_are_accepted() -> None:
    noise = np.random.default_rng(0).normal(0, 1000, 96_000).astype(np.int16)
    view = noise[::3]
    assert not view.flags.c_contiguous
    np.testing.assert_array_equal(
        _core.Frontend().process(view), _core.Frontend().process(view.copy())
    )


@pytest.mark.parametrize("name", ["features", "without_offset"])
def test_clips_are_rows_of_int16(name: str) -> None:
    function = getattr(_core, name)
    for clips in (np.zeros((2, 16000)), np.zeros(16000, np.int16)):
        with pytest.raises(KwsError, match="kws takes a row of int16 at 16 kHz for each clip"):
            function(clips)


def test_scores_of_another_type_are_refused() -> None:
    recognizer = _core.Recognizer(2, 1000, 200, 1500, 3)
    with pytest.raises(KwsError, match=r"scores of uint8 .*; kws takes one int8 for each label"):
        recognizer.process(np.zeros(2, np.uint8), 0)
