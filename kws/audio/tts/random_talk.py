# SPDX-License-Identifier: Apache-2.0
"""Speaks common words in random order: talk without keywords, in any language.

Each sentence is a recording. All random choices depend only on the settings, so an interrupted run
resumes and produces the same recordings.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.long_recordings import MANIFEST
from kws.audio.sound_files import write_clip
from kws.audio.tts.engines.speech import Draws, Voice
from kws.audio.tts.lexicon import common_words
from kws.audio.tts.placement import place, trim
from kws.audio.tts.synth import PITCHES, RATES, seed_for, split_voices, unheard_engine
from kws.audio.tts.synth_settings import SynthSettings
from kws.audio.tts.voices import ENGINES, find_voices, speak
from kws.errors import ToolError
from kws.files import atomic_write, check_space, locked
from kws.parallel import on_all_cores
from kws.progress import progress_bar

_VOICES = 60
_WORDS = (5, 12)
_PAUSE_S = (0.1, 0.8)
_USUAL_S = 5.0  # of a recording, to estimate the space


@dataclass(frozen=True)
class _Sentence:
    text: str
    voice: Voice
    path: Path


def speak_random_talk(settings: SynthSettings, sentences: int, out: Path) -> Path | None:
    """Speak random words of the language into the folder `out`; recordings that exist are kept.

    Neural voices are slower and no better for this (docs/research.md), so espeak-ng and flite
    speak. An engine that is held out for validation does not: the model would learn its voices as
    unknown.

    Args:
        settings: settings of the keywords' clips.
        sentences: number of recordings, about 3 s each.
        out: folder of recordings with a `manifest.csv`, locked against other processes.

    Returns:
        `out`; None if neither program can be used.

    Raises:
        UsageError: too few voices, or an unknown accent.
        ToolError: no text-to-speech is installed, or it failed.
        KwsError: a file could not be written.
    """
    heard = find_voices(settings.voices, settings.accents, settings.engines, settings.without)
    unheard = unheard_engine(heard) if settings.unheard else ""
    programs = [name for name, engine in ENGINES.items() if engine.share == "programs"]
    try:
        engines = tuple(name for name in programs if name != unheard)
        voices = find_voices(_VOICES, settings.accents, engines)
    except ToolError:
        return None
    tasks = _tasks(settings, sentences, voices, out)
    todo = [task for task in tasks if not task.path.exists()]
    check_space(out, round(2 * SAMPLE_RATE * _USUAL_S * len(todo)), "the talk")
    with locked(out), progress_bar("speaking", len(todo)) as advance:
        _write_manifest(settings.seed, tasks, voices, out)
        for _ in on_all_cores(lambda task: _make(task, settings.seed), todo):
            advance(1)
    return out


def random_sentences(count: int, accent: str, seed: int) -> list[str]:
    """Common words of an accent's language in random order."""
    words = common_words(accent)
    rng = np.random.default_rng(seed_for(seed, "sentences"))
    lengths = rng.integers(*_WORDS, count, endpoint=True)
    return [" ".join(rng.choice(words, length)).capitalize() + "." for length in lengths]


def _tasks(
    settings: SynthSettings, sentences: int, voices: Sequence[Voice], out: Path
) -> list[_Sentence]:
    texts = random_sentences(sentences, settings.accents[0], settings.seed)
    speakers = [voices[number % len(voices)] for number in range(sentences)]
    return [
        _Sentence(text, voice, out / f"{voice.name}_{number}.wav")
        for number, (text, voice) in enumerate(zip(texts, speakers, strict=True))
    ]


def _write_manifest(
    seed: int, tasks: Sequence[_Sentence], voices: Sequence[Voice], out: Path
) -> None:
    splits = split_voices(voices, seed)
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(("file", "kind", "speaker_or_group", "split", "transcript"))
    for task in tasks:
        split = splits[task.voice.group]
        writer.writerow((task.path.name, "speech", task.voice.name, split, task.text))
    atomic_write(out / MANIFEST, table.getvalue().encode())


def _make(task: _Sentence, seed: int) -> None:
    """Write a recording; none if the voice is silent."""
    rng = np.random.default_rng(seed_for(seed, task.path.name))
    draws = Draws(rng.uniform(*RATES), rng.uniform(*PITCHES), int(rng.integers(2**32)))
    sound = trim(speak(task.voice, task.text, draws))
    if not len(sound):
        return
    pause = round(rng.uniform(*_PAUSE_S) * SAMPLE_RATE)
    write_clip(task.path, place(sound, rng, len(sound) + pause))
