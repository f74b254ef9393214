# SPDX-License-Identifier: Apache-2.0
"""Piper: neural voices, one or many speakers per file.

Each take has its own noise, length variation and rate, and each speaker stands for several people
of different sizes. The package piper-tts (GPL-3.0-or-later) provides the phonemes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.audio.tts.engines.languages import language
from kws.audio.tts.engines.seeded_noise import SeededModel
from kws.audio.tts.engines.speech import (
    USUAL_RATE,
    Draws,
    Sound,
    Voice,
    resample,
    slight_size,
)
from kws.audio.tts.engines.voice_files import PiperFile, piper_paths, read_piper_file
from kws.errors import DataError
from kws.extras import require

# A speaker's formants in percent of the original, most different first.
_SIZES = (100, 112, 91, 120, 106, 86, 97, 116, 103, 89, 109, 94)

_NOISE_SCALES = (0.333, 1.0)  # variation of the voice; Piper's default is 0.667
_NOISE_WIDTHS = (0.4, 1.0)  # variation of lengths; Piper's default is 0.8
_ENDINGS = (".", "!", "?", "")

_LOADING = threading.Lock()


def find(accents: Sequence[str]) -> list[Voice]:
    """The voices for the languages of `accents`: every speaker, then in other sizes.

    Raises:
        DataError: a voice file without its JSON file, or not from Piper.
    """
    languages = {language(accent) for accent in accents}
    files = [read_piper_file(path) for path in piper_paths()]
    files = [file for file in files if language(file.language) in languages]
    for file in files:
        if file.phonemes not in {"espeak", "text"}:
            raise DataError(
                f"{file.path}: needs phonemes of type {file.phonemes!r}, which kws does not "
                "support; remove it"
            )
    most = max((file.speakers for file in files), default=0)
    speakers = [(file, n) for n in range(most) for file in files if n < file.speakers]
    return [_voice(file, number, size) for size in _SIZES for file, number in speakers]


def speak(voice: Voice, text: str, draws: Draws) -> Sound:
    """Speak `text`; empty if the voice produces no sound.

    Raises:
        DataError: the voice's file is damaged.
        ToolError: a package of the extra `voices` is missing.
    """
    size = int(voice.accent[1:] or 100) / 100 * slight_size(draws.pitch)
    speaker = _load(voice.source[0])
    rng = np.random.default_rng(draws.seed)
    noise, width = rng.uniform(*_NOISE_SCALES), rng.uniform(*_NOISE_WIDTHS)
    ids = speaker.phoneme_ids(text + str(rng.choice(_ENDINGS)))
    if not ids:
        return np.zeros(0, np.float32)
    length = speaker.length * USUAL_RATE / draws.words_per_minute * size
    inputs: dict[str, npt.NDArray[Any]] = {
        "input": np.array([ids], np.int64),
        "input_lengths": np.array([len(ids)], np.int64),
        "scales": np.array([noise, length, width], np.float32),
        "sid": np.array([voice.number], np.int64),
    }
    return resample(speaker.model.run(inputs, draws.seed), speaker.rate * size)


@dataclass(frozen=True)
class _Speaker:
    model: SeededModel
    piper: Any
    rate: float
    """Sampling rate, in Hz."""

    length: float
    """Length scale of the usual pace."""

    def phoneme_ids(self, text: str) -> list[int]:
        sentences = self.piper.phonemize(text)
        return [number for part in sentences for number in self.piper.phonemes_to_ids(part)]


def _voice(file: PiperFile, number: int, size: int) -> Voice:
    variant = file.name if file.speakers == 1 else f"{file.name}-{number}"
    accent = "" if size == 100 else f"x{size}"
    return Voice("piper", accent, variant, (file.path,), number)


def _load(path: Path) -> _Speaker:
    with _LOADING:
        return _loaded(path)


@cache
def _loaded(path: Path) -> _Speaker:
    piper = require("piper", "voices", f"the voice {path.name}")
    file = read_piper_file(path)
    try:
        config = piper.config.PiperConfig.from_dict(file.config)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise DataError(
            f"{path}.json: not a Piper voice's settings; download both files again or remove them"
        ) from None
    model = SeededModel(path)
    voice = piper.PiperVoice(session=None, config=config)
    return _Speaker(model, voice, float(config.sample_rate), float(config.length_scale))
