# SPDX-License-Identifier: Apache-2.0
"""`kws monitor --record`: records a board's microphone through the device's own audio chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kws.audio.pcm import Pcm
from kws.errors import BoardError
from kws.host.deploy.board_finder import BoardFinder
from kws.host.serial.ports import PortLostError
from kws.host.serial.sample_stream import Arrival, SampleStream, follow_samples


@dataclass(frozen=True)
class Recording:
    """Sound of a board's microphone."""

    pcm: Pcm
    """int16[n], 16 kHz; zeros for samples that were lost in transfer."""
    lost: int
    """Samples that the board dropped because it did not keep up; they are not in `pcm`."""
    missing: int
    """Samples that were lost in transfer."""


def record_sound(
    finder: BoardFinder, seconds: int, arrived: Callable[[Arrival], None]
) -> Recording:
    """Record `seconds` from a board's microphone; its pipeline restarts with the first sample.

    Args:
        finder: finds the board.
        seconds: 1 to `sample_stream.MAX_SECONDS`.
        arrived: called with each line, and periodically without one.

    Raises:
        BoardError: there is no board, it does not answer, or it disconnected.
    """
    port, link = finder.first()
    parts: list[Pcm] = [np.zeros(0, np.int16)]
    stream = SampleStream(link, finder.baud)
    with link:
        try:
            for arrival in follow_samples(stream, link, seconds):
                parts.append(arrival.pcm)
                arrived(arrival)
        except PortLostError:
            raise BoardError(f"{port.device}: the board disconnected; record again") from None
    return Recording(np.concatenate(parts), stream.lost, stream.missing)
