# SPDX-License-Identifier: Apache-2.0
"""Text-to-speech voices: which speak a data set.

espeak-ng and flite are small programs of the usual Linux distributions. Piper and Kokoro are neural
and far more like people; the extra `voices` installs them, and voice files are fetched apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from kws.audio.tts.engines import espeak, flite, kokoro_voices, piper_voices
from kws.audio.tts.engines.languages import is_english
from kws.audio.tts.engines.speech import Draws, Sound, Voice
from kws.audio.tts.synth_settings import ENGLISH
from kws.errors import ToolError, UsageError, did_you_mean

_OTHER = r"-p\d+$"
"""Marks a speaker's name as that of somebody whom the voice was changed into."""


@dataclass(frozen=True)
class Engine:
    """What kws asks of an engine."""

    find: Callable[[Sequence[str]], list[Voice]]
    """Its voices for language codes, the most varied first."""

    speak: Callable[[Voice, str, Draws], Sound]
    """One of its voices saying a text."""

    share: str
    """Engines of one share take turns as one."""

    neural: bool = True
    """Whether its voices are nearly like people's."""


ENGINES = {
    "piper": Engine(piper_voices.find, piper_voices.speak, "piper"),
    "kokoro": Engine(kokoro_voices.find, kokoro_voices.speak, "kokoro"),
    "flite": Engine(flite.find, flite.speak, "programs", neural=False),
    "espeak": Engine(espeak.find, espeak.speak, "programs", neural=False),
}


def is_voice(speaker: str) -> bool:
    """Whether a speaker's name is that of a text-to-speech voice, as `Voice.name` has them."""
    return speaker.startswith(tuple(f"{engine}-" for engine in ENGINES))


def voice_of(speaker: str) -> str:
    """The voice that speaks, without whom it was changed into; a person is the person."""
    return re.sub(_OTHER, "", speaker) if is_voice(speaker) else speaker


def is_neural(speaker: str) -> bool:
    """The same for voices that are nearly like people's."""
    return is_voice(speaker) and ENGINES[speaker.partition("-")[0]].neural


def find_voices(
    count: int, accents: Sequence[str] = ENGLISH, engines: Sequence[str] = ()
) -> list[Voice]:
    """The first `count` voices that this machine has, the most varied first.

    Piper, Kokoro, and flite with espeak-ng take turns, so each gives a third, unless one of them
    has no more. Fewer voices are returned if the machine has no more.

    Args:
        count: how many, at most.
        accents: language codes of espeak-ng.
        engines: names in ENGINES; all if empty.

    Raises:
        ToolError: no engine is installed that speaks the languages of the accents.
        UsageError: espeak-ng does not know an accent, or kws an engine.
        DataError: a voice file is not a voice.
    """
    for name in engines:
        if name not in ENGINES:
            near = did_you_mean(name, ENGINES)
            raise UsageError(f"no engine {name!r}{near}; known are {', '.join(ENGINES)}")
    shares: dict[str, list[Voice]] = {}
    for name, engine in ENGINES.items():
        if name in engines or not engines:
            shares.setdefault(engine.share, []).extend(engine.find(accents))
    turns = zip_longest(*(_most_varied(voices) for voices in shares.values()))
    voices = [voice for turn in turns for voice in turn if voice]
    if not voices and engines:
        raise ToolError(
            f"no voice of {' or '.join(engines)} for these accents; kws voices says how to get some"
        )
    if not voices:
        raise ToolError(
            f"no text-to-speech for {', '.join(accents)}: neither espeak-ng nor flite was found; "
            "install one, such as with: apt install espeak-ng flite"
            if is_english(accents)
            else f"no text-to-speech for {', '.join(accents)}; install espeak-ng, such as with: "
            "apt install espeak-ng"
        )
    return voices[:count]


def speak(voice: Voice, text: str, draws: Draws) -> Sound:
    """A voice saying `text`: float32[n] from -1 to 1 at 16 kHz; empty if it says nothing.

    Args:
        voice: who speaks.
        text: what is said; starts with a letter, so that no program takes it for an option.
        draws: how fast, how high, and what else differs from take to take.

    Raises:
        ToolError: the program failed, or a package is missing.
        DataError: the voice's file is damaged.
    """
    return ENGINES[voice.engine].speak(voice, text, draws)


def _most_varied(voices: list[Voice]) -> list[Voice]:
    """Every vocal tract once before one comes again in another size or with another accent."""
    times: Counter[str] = Counter()
    places = []
    for voice in voices:
        places.append(times[voice.group])
        times[voice.group] += 1
    return [voices[i] for i in sorted(range(len(voices)), key=places.__getitem__)]
