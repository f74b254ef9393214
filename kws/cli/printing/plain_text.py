# SPDX-License-Identifier: Apache-2.0
"""Output for terminals that cannot show every letter, such as ASCII terminals."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

_NAME = "kws_plain"

_LIKE = str.maketrans(
    dict.fromkeys("\u00b7\u2022\u2026", ".")
    | dict.fromkeys("\u2588\u2580\u2584\u258c\u2590\u2587", "#")  # blocks
    | dict.fromkeys("\u2501\u2500\u2550\u2578\u257a\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u2503\u2502\u2551", "|")
    | {"\u2192": ">", "\u00b1": "+", "\u00b5": "u", "\u00d7": "x", "\u2713": "v"}
)
"""Replacements of letters that kws prints."""


def write_what_fits() -> None:
    r"""Make stdout and stderr replace letters that they cannot write with similar ones.

    A letter loses its accents, or becomes its code point, as in `\u0928`. So does a lone surrogate,
    which a damaged file name may contain.
    """
    codecs.register_error(_NAME, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(map(_like, text)), error.end


def _like(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter.translate(_LIKE)).encode("ascii", "ignore")
    return plain.decode() or letter.encode("ascii", "backslashreplace").decode()
