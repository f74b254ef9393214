# SPDX-License-Identifier: Apache-2.0
"""The Python interface, available as `kws.load`, `kws.spectrogram` and so on.

Everything is computed by the C++ core, so times and scores equal those of a device.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.background_noises import room_after
from kws.audio.decoding.sources import RATES
from kws.audio.pcm import Pcm
from kws.audio.resampling import Resampler
from kws.bundle.built_in import bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.errors import UsageError
from kws.features import spectrogram as frames
from kws.features.frontend_settings import FrontendSettings
from kws.progress import notice

if TYPE_CHECKING:
    from kws.model.evaluate.evaluation import Evaluation

Block: TypeAlias = npt.NDArray[Any]
"""Samples: int16, or float from -1 to 1; shape (n,) or (n, channels). Channels are averaged."""

_LOUDEST = 4.0  # floats above this are surely not from -1 to 1


@dataclass(frozen=True)
class Hit:
    """A detected keyword."""

    word: str

    time_s: float
    """Time of the detection, in seconds from the first sample."""

    score: int
    """Mean score, 0 to 255, which exceeded the word's threshold."""


@dataclass(frozen=True)
class Scores:
    """A model's output for a recording."""

    labels: tuple[str, ...]

    times_s: npt.NDArray[np.float64]
    """float64[n]: time of each inference, in seconds from the first sample."""

    values: npt.NDArray[np.uint8]
    """uint8[n, labels]: the scores of each inference."""


class Model:
    """A bundle, or two of which the second listens for commands after a keyword of the first."""

    def __init__(self, device: Device) -> None:
        """See `load`."""
        self._device = device

    @property
    def name(self) -> str:
        """Name of the bundle."""
        return self._device.bundle.name

    @property
    def words(self) -> tuple[str, ...]:
        """The keywords."""
        return tuple(word for part in self._device.parts for word in part.keywords)

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes: silence, unknown, then the keywords."""
        return self._device.words

    @property
    def parts(self) -> tuple[Bundle, ...]:
        """The bundle, then the second one, if any."""
        return self._device.parts

    @property
    def bundle(self) -> Bundle:
        """The bundle's model and settings."""
        return self._device.bundle

    def stream(
        self, sound: Block | Iterable[Block], rate: int = _core.SAMPLE_RATE
    ) -> Iterator[Hit]:
        """Detect keywords in sound, from a cleared state.

        Args:
            sound: a recording, or its parts in order, such as those of `kws.microphone()`. A hit
                is yielded as soon as the part with its last sample is given.
            rate: samples per second, 1,000 to 768,000.

        Raises:
            UsageError: the samples have another type, shape or range, or the rate is out of range.
            AudioError: a sample is NaN.
            ModelError: the core reported a fault.
        """
        pipeline = self._device.pipeline()
        for pcm in _pcm(sound, rate):
            yield from self._hits(pipeline, pcm)
        # After the last word, the recognizer needs more scores.
        yield from self._hits(pipeline, room_after(self._device.clip_ms))

    def scores(self, sound: Block | Iterable[Block], rate: int = _core.SAMPLE_RATE) -> Scores:
        """The scores of every inference, from a cleared state.

        Args:
            sound: see `stream`.
            rate: see `stream`.

        Raises:
            UsageError: see `stream`; or there are two bundles.
            AudioError: a sample is NaN.
            ModelError: the core reported a fault.
        """
        if len(self.parts) > 1:
            raise UsageError("scores are for a single bundle; load it without `then`")
        pipeline = self._device.pipeline()
        with self.bundle.core_faults():
            blocks = itertools.chain([np.zeros(0, np.int16)], _pcm(sound, rate))
            parts = [pipeline.trace(pcm)[1:] for pcm in blocks]
        times = np.concatenate([time for time, _ in parts])
        values = np.concatenate([scores for _, scores in parts]).astype(np.int16) + 128
        return Scores(self._device.bundle.labels, times / 1000, values.astype(np.uint8))

    def _hits(self, pipeline: _core.Pipeline, pcm: Pcm) -> Iterator[Hit]:
        with self.bundle.core_faults():
            events = pipeline.hear(pcm)
        for event in events:
            if event.label is not None:
                yield Hit(self._device.labels[event.label], event.time_ms / 1000, event.score)


def load(
    model: str | Path = "yes_no", *, then: str | Path | None = None, listen_s: float = 5.0
) -> Model:
    """Load a model.

    Args:
        model: name of a built-in bundle (`yes_no`, `ten_words`, `tiny`), or the folder of one.
        then: a second bundle, which listens for a command after each keyword of the first.
        listen_s: how long it listens, in seconds.

    Raises:
        BundleError: there is no such bundle, or it is damaged.
        UsageError: the two bundles do not fit together, or the time is out of range.
    """
    first = load_bundle(bundle_path(str(model)))
    if then is None:
        return Model(Device(first))
    second = load_bundle(bundle_path(str(then)))
    return Model(with_commands(first, second, round(listen_s * 1000)))


def spectrogram(
    sound: Block, rate: int = _core.SAMPLE_RATE, *, model: str | Path | None = None
) -> npt.NDArray[np.int8]:
    """The spectrogram of a recording, as a model sees it.

    Args:
        sound: see `Model.stream`.
        rate: likewise.
        model: see `load`; None for the features of TensorFlow Lite Micro.

    Returns:
        int8[frames, 40], a frame every 20 ms (models may have 10 ms).

    Raises:
        BundleError: there is no such bundle, or it is damaged.
        UsageError: see `Model.stream`.
        AudioError: it is shorter than 30 ms, or a sample is NaN.
    """
    pcm = np.concatenate(list(_pcm(sound, rate)))
    frontend = (
        FrontendSettings() if model is None else load_bundle(bundle_path(str(model))).frontend
    )
    return frames.spectrogram(pcm, frontend.stride_samples, keep_noise=frontend.keep_noise)


def microphone(name: str | None = None) -> Iterator[Pcm]:
    """Endless sound of a microphone: int16[n] blocks at 16 kHz, at least ten per second.

    If the microphone is unplugged, this waits for it and prints a line on stderr.

    Args:
        name: part of the input's name; None for the default input.

    Raises:
        ToolError: PortAudio or sounddevice is missing (`pip install 'kws[live]'`).
        AudioError: there is no such input.
    """
    from kws.audio.capture.blocks import Notice
    from kws.audio.capture.microphone import Microphone

    for block in Microphone(name).blocks():
        if isinstance(block, Notice):
            notice(block.text)
        else:
            yield block.pcm


def evaluate(
    model: Model, data: str | Path, split: str = "test", negatives: Sequence[str | Path] = ()
) -> Evaluation:
    """Measure a model on clips and talk, as `kws evaluate --data --negatives` does.

    Args:
        model: a single bundle.
        data: folder with a folder of clips per word.
        split: "train", "validation", "test" or "all".
        negatives: folders of talk without keywords, for false alarms per hour.

    Raises:
        UsageError: there are two bundles, there is no such split, or the model does not know the
            words.
        DataError: the folder is not a data set, or lacks clips of a keyword.
        AudioError: a clip is damaged.
        ToolError: SciPy is missing (`pip install 'kws[evaluate]'`).
    """
    from kws.audio.layout.usable_clips import open_usable
    from kws.audio.surroundings import Surroundings
    from kws.model.evaluate import evaluation
    from kws.model.evaluate.score.clip_scores import split_of
    from kws.model.evaluate.score.labelled_clips import load_clips
    from kws.model.evaluate.score.playlist import make_playlist

    if len(model.parts) > 1:
        raise UsageError("only a single bundle can be evaluated; load it without `then`")
    part, talk = split_of(split), Surroundings(tuple(map(Path, negatives)))
    playlist = make_playlist(model.bundle, None, split=part, surroundings=talk)
    clips = load_clips(model.bundle, open_usable(Path(data)), part)
    return evaluation.evaluate(model.bundle, clips, playlist)


def _pcm(sound: Block | Iterable[Block], rate: int) -> Iterator[Pcm]:
    """The sound at 16 kHz: int16[n] blocks."""
    if rate not in RATES:
        raise UsageError(f"rate {rate}: must be {RATES[0]} to {RATES[-1]} samples per second")
    resampler = Resampler(rate)
    for block in [sound] if isinstance(sound, np.ndarray) else sound:
        if rate == _core.SAMPLE_RATE and block.dtype == np.int16 and block.ndim == 1:
            yield block
        else:
            yield resampler.feed(_floats(block))
    if rate != _core.SAMPLE_RATE:
        yield resampler.feed(np.zeros((0, 1), np.float32), last=True)


def _floats(block: Block) -> npt.NDArray[np.float32]:
    """A block as float32[n, channels]."""
    if block.ndim not in {1, 2}:
        raise UsageError(f"samples have {block.ndim} dimensions; give (n,) or (n, channels)")
    if block.dtype == np.int16:
        block = block / np.float32(32768)
    elif not np.issubdtype(block.dtype, np.floating):
        raise UsageError(f"samples are {block.dtype}; give int16, or floats from -1 to 1")
    elif block.size and (peak := np.abs(block).max()) > _LOUDEST:
        raise UsageError(f"samples reach {peak:g}; floats must be from -1 to 1")
    return block.reshape(len(block), -1).astype(np.float32)
