# SPDX-License-Identifier: Apache-2.0
"""A recording for the exports' examples, and the words that they have to detect."""

from __future__ import annotations

import numpy as np
import pytest

from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.emulate import host_device
from tests.host.export.building import CLIPS, detections


@pytest.fixture(scope="session")
def yes_no() -> Bundle:
    return load_bundle(default_bundle_path())


@pytest.fixture(scope="session")
def sound(yes_no: Bundle) -> Pcm:
    """Two words with a pause, then a quiet room."""
    yes, no = (load_clip(CLIPS / name) for name in ("yes_slt.flac", "no_awb.flac"))
    return host_device.with_room(
        Device(yes_no), np.concatenate([yes, np.zeros(16000, np.int16), no])
    )


@pytest.fixture(scope="session")
def heard(yes_no: Bundle, sound: Pcm) -> list[tuple[str, int, int]]:
    """Word, score and time in ms of each detection on the host."""
    words = detections(yes_no, sound)
    assert [word for word, *_ in words] == ["yes", "no"]
    return words
