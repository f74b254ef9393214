# SPDX-License-Identifier: Apache-2.0
"""Language codes of voices, and the letters they can read."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from kws.errors import UsageError


def check_letters(phrases: Sequence[str], accents: Sequence[str]) -> None:
    """Check that voices can read these phrases.

    Raises:
        UsageError: a phrase for English voices has non-Latin letters. The voices would read out the
            names of the letters (*Chinese letter*).
    """
    for phrase in phrases:
        foreign = [c for c in phrase if c.isalpha() and "LATIN" not in unicodedata.name(c, "")]
        if foreign and is_english(accents):
            raise UsageError(
                f"English voices cannot read {phrase!r}; choose its language, such as hi "
                "(--language hi in a terminal; espeak-ng --voices lists the codes)"
            )


def is_english(accents: Sequence[str]) -> bool:
    """Whether all codes are English."""
    return all(language(accent) == "en" for accent in accents)


def language(accent: str) -> str:
    """The language of a code: en for en-gb-scotland and for en_US."""
    return accent.replace("_", "-").partition("-")[0].lower()
