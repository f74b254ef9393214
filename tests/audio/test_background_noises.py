# SPDX-License-Identifier: Apache-2.0
"""The quiet room that a device hears before and after a recording."""

from __future__ import annotations

import hashlib

import numpy as np

from kws.audio.background_noises import quiet_room, room_after


def test_a_quiet_room_is_faint_without_pattern_and_never_changes() -> None:
    room = quiet_room(16000)
    assert room.dtype == np.int16
    assert room.min() == -4
    assert room.max() == 4
    assert abs(float(room.mean())) < 0.1
    spectrum = np.abs(np.fft.rfft(room.astype(float)))[1:]
    assert spectrum.max() < 6 * np.sqrt(np.mean(spectrum**2)), "the noise contains no tone"
    # Other samples would change the results of kws test for the same firmware.
    digest = hashlib.sha256(room.astype("<i2").tobytes()).hexdigest()
    assert digest[:16] == "03a0f7b8ce1c323f"


def test_the_room_after_a_recording_is_as_long_as_the_window_and_at_least_a_second() -> None:
    for window_ms, samples in ((510, 16000), (990, 16000), (1000, 16000), (2990, 47840)):
        assert len(room_after(window_ms)) == samples
    assert not np.array_equal(room_after(1000), quiet_room(16000)), "different from the room before"
