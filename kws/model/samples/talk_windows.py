# SPDX-License-Identifier: Apache-2.0
"""Windows of talk, from which a model learns to ignore talk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kws.audio.long_recordings import LongRecording
from kws.audio.mined_recordings import MINED_FOLDER
from kws.audio.pcm import Pcm
from kws.audio.surroundings import load_talk
from kws.model.samples.samples import Progress


class TalkWindows:
    """Draws windows of talk at random places, each with the sound before it."""

    def __init__(
        self,
        recordings: Sequence[LongRecording],
        samples: int,
        hard_share: float,
        progress: Progress | None = None,
    ) -> None:
        """Load the recordings.

        Args:
            recordings: talk without keywords; may be none.
            samples: length of a window with its lead.
            hard_share: share of windows from mined recordings, if there are any.
            progress: called with the number of recordings loaded since the last call.

        Raises:
            AudioError: a file is missing or damaged.
        """
        self._samples = samples
        sources = load_talk(recordings, progress or (lambda _: None))
        mined = [pcm for source, pcm in sources.items() if source == MINED_FOLDER]
        other = [pcm for source, pcm in sources.items() if source != MINED_FOLDER]
        self._mined, self._hard_share = self._joined(mined), hard_share
        self.sounds = self._joined(other)
        """All talk that was not mined, joined, int16[n]; empty if there is too little."""

    def __bool__(self) -> bool:
        return bool(self.sounds or self._mined)

    def draw(self, count: int, rng: np.random.Generator) -> Pcm:
        """Windows with their leads: int16[count, samples]."""
        out = np.empty((count, self._samples), np.int16)
        share = self._hard_share if self.sounds and self._mined else float(bool(self._mined))
        for row, from_mined in zip(out, rng.random(count) < share, strict=True):
            sound = (self._mined if from_mined else self.sounds)[0]
            start = int(rng.integers(len(sound) - self._samples))
            row[:] = sound[start : start + self._samples]
        return out

    def _joined(self, sounds: Sequence[Pcm]) -> list[Pcm]:
        total = np.concatenate(sounds) if sounds else np.empty(0, np.int16)
        return [total] if len(total) > self._samples else []
