# SPDX-License-Identifier: Apache-2.0
"""espeak-ng: a hundred languages with accents, many vocal tracts each, and pronunciations."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from kws.audio.tts.engines.speech import Draws, Sound, Voice
from kws.audio.tts.engines.speech_programs import output, run, samples
from kws.audio.tts.lexicon import read_words
from kws.audio.tts.phonemes import units
from kws.audio.tts.synth_settings import ENGLISH
from kws.errors import UsageError

_OTHER_CODES = {"zh": "cmn"}  # usual code: espeak-ng's


def find(accents: Sequence[str]) -> list[Voice]:
    """All voices: every variant with one accent, then with the next; none without espeak-ng.

    Raises:
        ToolError: espeak-ng failed.
        UsageError: it does not know an accent.
    """
    if not shutil.which("espeak-ng"):
        return []
    known = output(["espeak-ng", "--voices=variant"])
    variants = [name for name in read_words("espeak_variants") if f"!v/{name} " in known]
    accents = _known_accents(accents)
    return [
        Voice("espeak", accents[(place + turn) % len(accents)], variant)
        for turn in range(len(accents))
        for place, variant in enumerate(variants)
    ]


def speak(voice: Voice, text: str, draws: Draws) -> Sound:
    """Speak `text`, which starts with a letter; empty if the voice produces no sound.

    Raises:
        ToolError: espeak-ng failed.
    """
    # Amplitude 60: at the usual 100 some variants exceed full scale.
    name = f"{voice.accent}+{voice.variant}"
    rate, pitch = f"{draws.words_per_minute:.0f}", f"{draws.pitch:.0f}"
    command = ["espeak-ng", "-v", name, "-s", rate, "-p", pitch, "-a", "60", "-z", "--stdout", text]
    return samples(run(command), 1.0)


def pronounce(words: Sequence[str], accent: str = "en-us") -> dict[str, tuple[str, ...]]:
    """The sounds of each word as in `kws.audio.tts.phonemes.units`; empty without espeak-ng.

    Raises:
        ToolError: espeak-ng failed.
    """
    if not shutil.which("espeak-ng"):
        return {}
    # One paragraph per word produces one line per word.
    text = "\n\n".join(spoken_form(word) for word in words) + "\n"
    command = ["espeak-ng", "-q", "--ipa", "--sep=_", "-v", accent, "--stdin"]
    lines = [line for line in output(command, text).splitlines() if line.strip()]
    if len(lines) != len(words):  # a word was split into several sentences
        lines = [output(command, spoken_form(word)).replace("\n", "_") for word in words]
    return {word: units(line) for word, line in zip(words, lines, strict=True)}


def spoken_form(word: str) -> str:
    """The spoken form of a label: underscores become spaces."""
    return word.replace("_", " ")


def accents_in(languages: str) -> tuple[str, ...]:
    """The accents of languages separated by commas, each once; empty if there is none.

    Raises:
        ToolError: espeak-ng failed.
        UsageError: it does not know a language.
    """
    codes = (code.strip() for code in languages.split(","))
    return tuple(dict.fromkeys(accent for code in codes if code for accent in accents_of(code)))


def accents_of(code: str) -> tuple[str, ...]:
    """The accents of a language, such as fr-fr, fr-be and fr-ch for fr; for an accent, itself.

    Raises:
        ToolError: espeak-ng failed.
        UsageError: it does not know the language.
    """
    if code == "en":
        return ENGLISH
    code = _OTHER_CODES.get(code, code)
    if not shutil.which("espeak-ng"):
        return (code,)
    known = _codes()
    own = [accent for accent in (code, f"{code}-{code}") if accent in known]
    others = [
        accent
        for accent in known
        if "-" not in code and accent.startswith(f"{code}-") and "-latn" not in accent
    ]
    if not own and not others:
        raise UsageError(
            f"espeak-ng has no language {code!r}; `espeak-ng --voices` lists its codes, such as "
            "de, fr, es, hi, cmn"
        )
    return tuple(dict.fromkeys((*own, *others)))


def _codes() -> list[str]:
    return [line.split()[1] for line in output(["espeak-ng", "--voices"]).splitlines()[1:]]


def _known_accents(accents: Sequence[str]) -> list[str]:
    """The accents that espeak-ng has; fr counts as known because espeak-ng lists fr-fr."""
    known = _codes()
    for accent in accents:
        if not {accent, f"{accent}-{accent}"} & set(known) and accents is not ENGLISH:
            raise UsageError(
                f"espeak-ng has no accent {accent!r}; `espeak-ng --voices` lists its accents"
            )
    return [accent for accent in accents if {accent, f"{accent}-{accent}"} & set(known)]
