# SPDX-License-Identifier: Apache-2.0
"""Kokoro: a neural voice with many styles, and mixtures of them as more speakers.

A style is a vector; a mixture of two or three sounds like another person. The model is
deterministic: takes differ in rate, size and end of sentence. Its packages include espeak-ng's
phonemes; only English is used here.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws.audio.tts.engines.languages import is_english
from kws.audio.tts.engines.seeded_noise import not_a_model, one_thread_session
from kws.audio.tts.engines.speech import (
    USUAL_RATE,
    Draws,
    Sound,
    Voice,
    resample,
    slight_size,
)
from kws.audio.tts.engines.voice_files import find_kokoro
from kws.extras import require

MIXTURES = 200
"""Number of mixtures that count as speakers."""

_RATE = 24000.0
_QUICKER = 1.2  # Kokoro draws out single words to 1.4 times the length
_SPEEDS = (0.5, 2.0)  # accepted by the model
_ENDINGS = (".", "!", "?", "")

_LOADING = threading.Lock()


def find(accents: Sequence[str]) -> list[Voice]:
    """All styles, English first, then mixtures; none if an accent is not English.

    Raises:
        DataError: a model without styles, or styles that are damaged.
    """
    files = find_kokoro() if is_english(accents) else None
    if files is None:
        return []
    names = [*style_names(files.styles)]
    names += [f"mix{number}" for number in range(MIXTURES if len(names) > 1 else 0)]
    spoken = list(dict.fromkeys("en-gb" if "-gb" in accent else "en-us" for accent in accents))
    source = (files.styles, *files.model)
    return [
        Voice("kokoro", spoken[number % len(spoken)], name, source, number)
        for number, name in enumerate(names)
    ]


def speak(voice: Voice, text: str, draws: Draws) -> Sound:
    """Speak `text`; empty if the voice produces no sound.

    Raises:
        DataError: the model is damaged.
        ToolError: a package of the extra `voices` is missing.
    """
    rng = np.random.default_rng(draws.seed)
    size = slight_size(draws.pitch)
    speed = float(np.clip(_QUICKER * draws.words_per_minute / USUAL_RATE / size, *_SPEEDS))
    with _LOADING:
        kokoro = _loaded(voice.source)
        phonemes = _phonemes(voice.source, text, voice.accent)
    if not phonemes:
        return np.zeros(0, np.float32)
    sound, _ = kokoro.create(
        phonemes + str(rng.choice(_ENDINGS)),
        style(voice.source[0], voice.variant),
        speed,
        is_phonemes=True,
        trim=False,
    )
    return resample(np.asarray(sound, np.float32), _RATE * size)


def style_names(styles: Path) -> list[str]:
    """The styles in a file, English (names begin with a or b) first.

    Raises:
        DataError: the file is damaged.
    """
    return sorted(_read_styles(styles), key=lambda name: (name[:1] not in {"a", "b"}, name))


def style(path: Path, variant: str) -> npt.NDArray[np.float32]:
    """The vectors of a style or mixture: float32[length, 1, 256].

    A mixture's two or three styles depend only on its number.
    """
    styles = _read_styles(path)
    if variant in styles:
        return styles[variant]
    rng = np.random.default_rng(int(variant.removeprefix("mix")))
    names = sorted(styles)
    parts = rng.choice(names, min(int(rng.integers(2, 4)), len(names)), replace=False)
    shares = rng.dirichlet(np.ones(len(parts)))
    mixed = sum(np.float32(share) * styles[part] for share, part in zip(shares, parts, strict=True))
    return np.asarray(mixed, np.float32)


@cache
def _read_styles(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    try:
        with np.load(path) as archive:
            styles = {name: np.asarray(archive[name], np.float32) for name in archive.files}
    except Exception as error:
        raise not_a_model(path) from error
    if not styles or any(style.shape[1:] != (1, 256) for style in styles.values()):
        raise not_a_model(path)
    return styles


@cache
def _loaded(source: tuple[Path, ...]) -> Any:
    package = require("kokoro_onnx", "voices", "Kokoro")
    styles, *parts = source
    with tempfile.TemporaryDirectory() as folder:
        path = parts[0]
        if len(parts) > 1:
            path = Path(folder) / "kokoro.onnx"
            path.write_bytes(b"".join(part.read_bytes() for part in parts))
        try:
            session = one_thread_session(str(path))
        except Exception as error:
            raise not_a_model(parts[0]) from error
        return package.Kokoro.from_session(session, str(styles))


@cache
def _phonemes(source: tuple[Path, ...], text: str, accent: str) -> str:
    return str(_loaded(source).tokenizer.phonemize(text, accent))
