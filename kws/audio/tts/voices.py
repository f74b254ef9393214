# SPDX-License-Identifier: Apache-2.0
"""Text-to-speech voices of all engines.

espeak-ng and flite are small programs of common Linux distributions. Piper and Kokoro are neural
and sound far more like people; the extra `voices` installs them, `kws voices get` their voices.
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
"""Suffix in the name of a person that a voice was changed into."""


@dataclass(frozen=True)
class Engine:
    """Interface of an engine."""

    find: Callable[[Sequence[str]], list[Voice]]
    """Voices for language codes, the most varied first."""

    speak: Callable[[Voice, str, Draws], Sound]
    """Speaks a text with one of its voices."""

    share: str
    """Engines with the same share take turns as one."""

    neural: bool = True
    """Whether its voices sound nearly like people."""


ENGINES = {
    "piper": Engine(piper_voices.find, piper_voices.speak, "piper"),
    "kokoro": Engine(kokoro_voices.find, kokoro_voices.speak, "kokoro"),
    "flite": Engine(flite.find, flite.speak, "programs", neural=False),
    "espeak": Engine(espeak.find, espeak.speak, "programs", neural=False),
}


def is_voice(speaker: str) -> bool:
    """Whether a speaker's name is a `Voice.name`."""
    return speaker.startswith(tuple(f"{engine}-" for engine in ENGINES))


def voice_of(speaker: str) -> str:
    """The voice's name from a speaker's name; a recorded person's name is unchanged."""
    return re.sub(_OTHER, "", speaker) if is_voice(speaker) else speaker


def is_neural(speaker: str) -> bool:
    """Whether a speaker is a voice of a neural engine."""
    return is_voice(speaker) and ENGINES[speaker.partition("-")[0]].neural


def find_voices(
    count: int,
    accents: Sequence[str] = ENGLISH,
    engines: Sequence[str] = (),
    without: Sequence[str] = (),
) -> list[Voice]:
    """Up to `count` voices that this machine has, most varied first.

    Piper, Kokoro, and flite with espeak-ng take turns, so each contributes a third, unless one
    runs out.

    Args:
        count: maximum number.
        accents: language codes of espeak-ng.
        engines: names in ENGINES; all if empty.
        without: Piper voices to leave out, by the names of their files.

    Raises:
        ToolError: no installed engine speaks the languages of the accents.
        UsageError: an unknown accent or engine.
        DataError: a voice file is not a voice.
    """
    for name in engines:
        if name not in ENGINES:
            near = did_you_mean(name, ENGINES)
            raise UsageError(f"no engine {name!r}{near}; choose from {', '.join(ENGINES)}")
    shares: dict[str, list[Voice]] = {}
    for name, engine in ENGINES.items():
        if name in engines or not engines:
            found = [voice for voice in engine.find(accents) if not _is_from(voice, without)]
            shares.setdefault(engine.share, []).extend(found)
    turns = zip_longest(*(_most_varied(voices) for voices in shares.values()))
    voices = [voice for turn in turns for voice in turn if voice]
    if not voices and engines:
        raise ToolError(
            f"no voice of {' or '.join(engines)} for these accents; kws voices lists voices to get"
        )
    if not voices:
        raise ToolError(
            f"no text-to-speech for {', '.join(accents)}: neither espeak-ng nor flite was found; "
            "install one, for example with: apt install espeak-ng flite"
            if is_english(accents)
            else f"no text-to-speech for {', '.join(accents)}; install espeak-ng, for example "
            "with: apt install espeak-ng"
        )
    return voices[:count]


def speak(voice: Voice, text: str, draws: Draws) -> Sound:
    """Speak `text`: float32[n] from -1 to 1 at 16 kHz; empty if the voice produces no sound.

    Args:
        voice: the speaker.
        text: starts with a letter, so that no program mistakes it for an option.
        draws: rate, pitch and seed of this take.

    Raises:
        ToolError: the program failed, or a package is missing.
        DataError: the voice's file is damaged.
    """
    return ENGINES[voice.engine].speak(voice, text, draws)


def _is_from(voice: Voice, names: Sequence[str]) -> bool:
    """Whether a voice is from one of these Piper files, named without their ending."""
    return voice.engine == "piper" and any(file.stem in names for file in voice.source)


def _most_varied(voices: list[Voice]) -> list[Voice]:
    """Every vocal tract once before one repeats in another size or accent."""
    times: Counter[str] = Counter()
    places = []
    for voice in voices:
        places.append(times[voice.group])
        times[voice.group] += 1
    return [voices[i] for i in sorted(range(len(voices)), key=places.__getitem__)]
