# SPDX-License-Identifier: Apache-2.0
"""Word lists from the folder `words`."""

from __future__ import annotations

import importlib.resources
from functools import cache
from pathlib import Path

from kws.audio.tts.engines.languages import language


@cache
def read_words(name: str) -> tuple[str, ...]:
    """The words of a list in order, without duplicates.

    Args:
        name: english, distinct, espeak_variants, or the code of another language.
    """
    file = _folder() / f"{name}.txt"
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(dict.fromkeys(w for line in lines if line[:1] != "#" for w in line.split()))


def common_words(accent: str) -> tuple[str, ...]:
    """Common words of an accent's language; English words if it has no list."""
    code = language(accent)
    return read_words(code if (_folder() / f"{code}.txt").is_file() else "english")


def distinct_words(accent: str) -> tuple[str, ...]:
    """Words of an accent's language that sound different from each other."""
    words = common_words(accent)
    return read_words("distinct") if words == read_words("english") else words


def _folder() -> Path:
    return Path(str(importlib.resources.files("kws.audio.tts"))) / "words"
