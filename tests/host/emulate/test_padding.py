# SPDX-License-Identifier: Apache-2.0
"""The samples that a device hears when a clip is played to it."""

from __future__ import annotations

import hashlib

import numpy as np

from kws.host.emulate.padding import between_silence, silence


def test_clip_lies_between_two_seconds_of_silence() -> None:
    clip = np.arange(1, 5001, dtype=np.int16)
    stream = between_silence(clip)
    assert stream.dtype == np.int16
    assert len(stream) == 16000 + 5000 + 16000
    np.testing.assert_array_equal(stream[16000:21000], clip)


def test_silence_is_faint_without_pattern_and_never_changes() -> None:
    room = silence(16000)
    assert room.min() == -4
    assert room.max() == 4
    assert abs(float(room.mean())) < 0.1
    spectrum = np.abs(np.fft.rfft(room.astype(float)))[1:]
    assert spectrum.max() < 6 * np.sqrt(np.mean(spectrum**2)), "a tone would be heard"
    # Other samples would change the results of kws test for the same firmware.
    digest = hashlib.sha256(room.astype("<i2").tobytes()).hexdigest()
    assert digest[:16] == "03a0f7b8ce1c323f"
