# SPDX-License-Identifier: Apache-2.0
"""Scores of clips, computed by the core, and the choice of clips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.audio.dataset import DataSet, Split
from kws.bundle.bundle import Bundle
from kws.bundle.checks import input_frames
from kws.errors import DataError, UsageError
from kws.features.spectrogram import SHAPE, Spectrograms, after_silence


def core_scores(model: bytes, spectrograms: Spectrograms) -> npt.NDArray[np.int8]:
    """Scores that the core computes from spectrograms: int8[n, classes].

    A streaming model gets each spectrogram from its first frame to its last, as in the pipeline;
    its last answer counts.
    """
    interpreter = _core.Interpreter(model)
    calls = whole_calls(spectrograms, input_frames(interpreter.inputs[0].shape))
    return interpreter.invoke_batch(calls.reshape(len(calls), -1)).astype(np.int8)


def bundle_scores(bundle: Bundle, spectrograms: Spectrograms) -> npt.NDArray[np.int8]:
    """The `core_scores` of a bundle's model, in the order of its labels."""
    scores = core_scores(bundle.model, spectrograms)
    return scores[:, list(bundle.output_order)] if bundle.output_order else scores


def whole_calls(spectrograms: Spectrograms, frames: int) -> Spectrograms:
    """Spectrograms for a model that takes `frames` frames per call.

    A streaming model hears a second of silence first, because a device is already listening when a
    word is spoken. As in the pipeline, one call ends with the last frame.
    """
    if frames == spectrograms.shape[1]:
        return spectrograms
    silence = SHAPE[0]
    return after_silence(spectrograms, silence - (silence + spectrograms.shape[1]) % frames)


def one_split(dataset: DataSet, split: Split | None) -> tuple[DataSet, Split]:
    """The data set and the split to use; None makes all clips test clips."""
    if split is not None:
        return dataset, split
    clips = tuple(replace(clip, split=Split.TEST) for clip in dataset.clips)
    return replace(dataset, clips=clips), Split.TEST


def check_keywords(bundle: Bundle, dataset: DataSet, split: Split) -> None:
    """Check that the split has clips of each keyword.

    Raises:
        DataError: a keyword has none.
    """
    for word in bundle.keywords:
        if not dataset.of(split, [word]):
            raise DataError(
                f"{dataset.root}: no {split} clips of {word!r} to evaluate {bundle.name} with; add "
                "some, or use all clips with --split all"
            )


def split_of(name: str) -> Split | None:
    """The split with this name, None for `all`.

    Raises:
        UsageError: no split has this name.
    """
    if name == "all":
        return None
    try:
        return Split(name)
    except ValueError:
        raise UsageError(f"no split {name!r}; choose from {', '.join(Split)} and all") from None


def known_keywords(bundle: Bundle, keywords: tuple[str, ...]) -> tuple[str, ...]:
    """These keywords; if empty, all of the bundle.

    Raises:
        UsageError: the model does not know one of them.
    """
    unknown = [word for word in keywords if word not in bundle.keywords]
    if unknown:
        raise UsageError(
            f"{bundle.path or bundle.name}: does not know {', '.join(unknown)}; "
            f"it knows {', '.join(bundle.keywords)}"
        )
    return keywords or bundle.keywords
