# SPDX-License-Identifier: Apache-2.0
"""Lists of words, from the files in the folder `words`."""

from __future__ import annotations

import importlib.resources
from functools import cache


@cache
def read_words(name: str) -> tuple[str, ...]:
    """The words of a list, each once, in its order.

    Args:
        name: english, distinct or espeak_variants.
    """
    file = importlib.resources.files("kws.audio.tts") / "words" / f"{name}.txt"
    lines = file.read_text(encoding="utf-8").splitlines()
    return tuple(dict.fromkeys(w for line in lines if line[:1] != "#" for w in line.split()))
