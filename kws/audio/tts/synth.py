# SPDX-License-Identifier: Apache-2.0
"""Speaks a data set of any words with text-to-speech voices.

Each voice is a speaker, and so is each person it is changed into. Takes differ in rate, pitch,
level, room, position and the engine's own variation. All random choices depend only on the seed,
the word, the voice and the take, so an interrupted run resumes and produces the same clips.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kws._core import SAMPLE_RATE
from kws.audio.background_noises import make_noises
from kws.audio.dataset import LISTS, Split, hash_split
from kws.audio.layout.word_folders import BACKGROUND_FOLDER, read_folders
from kws.audio.pcm import samples_of
from kws.audio.sound_files import write_clip
from kws.audio.tts.engines.espeak import spoken_form
from kws.audio.tts.engines.languages import check_letters
from kws.audio.tts.engines.speech import Draws, Sound, Voice
from kws.audio.tts.other_people import can_change, person, said_by
from kws.audio.tts.placement import place, trim
from kws.audio.tts.sound_alikes import choose_distractors, same_sound, sound_alikes
from kws.audio.tts.synth_settings import SynthSettings
from kws.audio.tts.voices import find_voices, is_voice, speak, voice_of
from kws.errors import DataError, UsageError
from kws.files import atomic_write, check_space, locked
from kws.labels import check_keyword, check_word
from kws.parallel import on_all_cores
from kws.progress import progress_bar

_NOISE_SECONDS = 60.0
RATES = (130.0, 210.0)
"""Words per minute, from slow to fast."""

PITCHES = (30.0, 70.0)
"""`Draws.pitch`, from low to high."""

_HELD_OUT = {Split.VALIDATION: 0.1, Split.TEST: 0.1}  # shares of the vocal tracts
_FEWEST_UNHEARD, _MOST_UNHEARD = 3, 0.25  # limits of a held-out engine: vocal tracts, their share
_SHORTEST_S = 0.08
_ALL = 1_000_000  # more voices than any machine has
_FEW_PEOPLE = 10  # with fewer recorded people in the folder, all are for training


@dataclass(frozen=True)
class SynthReport:
    """Counts of a run."""

    words: tuple[str, ...]
    """The words of this run, keywords first."""

    voices: int
    people: int
    """Number of people that each voice was changed into."""

    made: int
    """Clips written by this run."""

    kept: int
    """Clips from earlier runs."""

    too_long: int
    """Clips skipped because the word does not fit, even spoken fast."""


@dataclass(frozen=True)
class _Task:
    """One take of a word by a voice, and by the people it is changed into."""

    word: str
    text: str
    """The spoken text."""

    voice: Voice
    take: int
    paths: tuple[Path, ...]
    """The voice's own clip, then one per person."""

    @property
    def missing(self) -> list[int]:
        """Indices of the clips that do not exist yet."""
        return [i for i, path in enumerate(self.paths) if not path.exists()]


def synthesize(settings: SynthSettings, out: Path) -> SynthReport:
    """Speak a data set into the folder `out`; existing clips are kept.

    The folder is locked against other processes.

    Args:
        settings: words, voices and takes.
        out: folder in Speech Commands layout, with lists that hold out voices.

    Raises:
        UsageError: words that cannot be folders or labels, too few voices, an unknown accent.
        DataError: a word that no voice can say, or that does not fit into a clip; an unknown word
            that sounds exactly like a keyword.
        ToolError: no text-to-speech is installed, or it failed.
        KwsError: a file could not be written.
    """
    all_voices = find_voices(_ALL, settings.accents, settings.engines, settings.without)
    voices = all_voices[: settings.voices]
    words = _words(settings)
    unheard = unheard_engine(voices) if settings.unheard else ""
    splits = split_voices(voices, settings.seed, unheard)
    # Voices of earlier runs also belong to the split of their vocal tract.
    splits = {v.name: splits.get(v.group, Split.TRAIN) for v in all_voices}
    with locked(out):
        return _speak_all(settings, words, voices, splits, out)


def _speak_all(
    settings: SynthSettings,
    words: tuple[str, ...],
    voices: Sequence[Voice],
    splits: dict[str, Split],
    out: Path,
) -> SynthReport:
    """Speak the missing clips, and write the lists."""
    people = settings.people if can_change() else 0
    tasks = _tasks(settings, words, voices, people, out)
    clips = sum(len(task.paths) for task in tasks)
    todo = [task for task in tasks if task.missing]
    missing = sum(len(task.missing) for task in todo)
    samples = samples_of(settings.clip_ms)
    check_space(out, 2 * samples * missing, "the clips")
    made = 0
    with progress_bar("speaking", missing) as advance:
        results = on_all_cores(lambda task: _make(task, settings.seed, samples), todo)
        for written, tried in results:
            made += written
            advance(tried)
    for word in words:
        if not any(task.paths[0].exists() for task in tasks if task.word == word):
            raise DataError(
                f"{word!r} does not fit into {settings.clip_ms / 1000:g} s, however fast it is "
                "spoken; choose a shorter word or a longer clip"
            )
    for name, noise in make_noises(_NOISE_SECONDS, settings.seed).items():
        path = out / BACKGROUND_FOLDER / f"{name}.wav"
        if not path.exists():
            write_clip(path, noise)
    _write_lists(out, splits)
    return SynthReport(words, len(voices), people, made, clips - missing, missing - made)


def splits_of_voices(settings: SynthSettings) -> dict[str, Split]:
    """The voices to use, and the split of each.

    Raises:
        UsageError: too few voices, an unknown accent.
        ToolError: no text-to-speech is installed.
    """
    voices = find_voices(settings.voices, settings.accents, settings.engines, settings.without)
    unheard = unheard_engine(voices) if settings.unheard else ""
    return split_voices(voices, settings.seed, unheard)


def unheard_engine(voices: Sequence[Voice]) -> str:
    """The engine to hold out of training: the one with the fewest vocal tracts.

    A model misses held-out voices of a training engine far less often than people. Its miss rate on
    an engine not used for training is close to the rate for people (docs/research.md).

    Returns:
        Name of the engine; empty if each has too few vocal tracts or over a quarter of them all.
    """
    groups = {voice.group for voice in voices}
    counts = Counter(group.partition("-")[0] for group in groups)
    enough = [engine for engine in sorted(counts) if counts[engine] >= _FEWEST_UNHEARD]
    fewest = min(enough, key=lambda engine: counts[engine], default="")
    return fewest if _MOST_UNHEARD * len(groups) >= counts[fewest] else ""


def split_voices(voices: Sequence[Voice], seed: int, unheard: str = "") -> dict[str, Split]:
    """A split for each vocal tract, about a tenth each for validation and test, at least one.

    Each engine contributes its own share. flite has so few voices that all are for training, unless
    there are no others.

    Args:
        voices: the speakers.
        seed: seed of the choice.
        unheard: engine that provides all validation voices; empty for all engines.

    Raises:
        UsageError: fewer than three vocal tracts.
    """
    groups = sorted({voice.group for voice in voices}, key=lambda g: seed_for(seed, g))
    if len(groups) < len(Split):
        raise UsageError(
            f"{len(groups)} voices are too few for training, validation and test; "
            "ask for more with --voices, or install both espeak-ng and flite"
        )
    out = dict.fromkeys(groups, Split.TRAIN)
    engines = sorted({group.partition("-")[0] for group in groups})
    if unheard:
        out.update({g: Split.VALIDATION for g in groups if g.startswith(f"{unheard}-")})
    for split, share in _HELD_OUT.items():
        if unheard and split == Split.VALIDATION:
            continue
        for engine in engines:
            free = [g for g in groups if g.startswith(f"{engine}-") and out[g] == Split.TRAIN]
            out.update(dict.fromkeys(free[: round(share * _count(groups, engine))], split))
        if split not in out.values():
            out[next(group for group in groups if out[group] == Split.TRAIN)] = split
    return out


def _count(groups: Sequence[str], engine: str) -> int:
    return sum(group.startswith(f"{engine}-") for group in groups)


def _words(settings: SynthSettings) -> tuple[str, ...]:
    """All words to speak, keywords first, checked."""
    if not settings.words and not settings.recorded_keywords:
        raise UsageError("no words; pass some, such as --words yes,no")
    keywords = (*settings.words, *settings.recorded_keywords)
    for word in keywords:
        check_keyword(word)
        _check(word, keywords)
    said = tuple(settings.spoken_as.get(word, word) for word in keywords)
    check_letters(said, settings.accents)
    unknown = settings.unknown
    if unknown is None and not settings.words:
        unknown = sound_alikes(said, settings.alike, settings.accents[0])
    elif unknown is None:
        unknown = choose_distractors(said, alike=settings.alike, accent=settings.accents[0])
    words = (*settings.words, *unknown)
    named = (*words, *settings.recorded_keywords)
    for word in words:
        _check(word, named)
    pair = same_sound((*said[: len(settings.words)], *unknown), said, settings.accents[0])
    if pair:
        raise DataError(f"{pair[0]!r} sounds exactly like {pair[1]!r}; remove one of them")
    return words


def _check(word: str, words: Sequence[str]) -> None:
    """Raises UsageError if a word cannot be spoken, or occurs twice in `words`."""
    check_word(word)
    if words.count(word) > 1:
        raise UsageError(f"{word!r} is given twice; give each word once")


def _tasks(
    settings: SynthSettings, words: Sequence[str], voices: Sequence[Voice], people: int, out: Path
) -> list[_Task]:
    tasks = []
    for word in words:
        takes = settings.takes if word in settings.words else settings.unknown_takes
        for voice in voices:
            for take in range(takes):
                speakers = [voice.name, *(f"{voice.name}-p{n + 1}" for n in range(people))]
                paths = (out / word / f"{speaker}_nohash_{take}.wav" for speaker in speakers)
                text = spoken_form(settings.spoken_as.get(word, word))
                tasks.append(_Task(word, text, voice, take, tuple(paths)))
    return tasks


def _make(task: _Task, seed: int, samples: int) -> tuple[int, int]:
    """Write a take's missing clips; returns how many fit, and how many were missing."""
    missing = task.missing
    own = f"{task.word}/{task.paths[0].name}"
    rng = np.random.default_rng(seed_for(seed, own))
    rate, pitch = rng.uniform(*RATES), rng.uniform(*PITCHES)
    for words_per_minute in (rate, RATES[1]):
        draws = Draws(words_per_minute, pitch, seed_for(seed, f"{own}/voice"))
        sound = trim(speak(task.voice, task.text, draws))
        if len(sound) < _SHORTEST_S * SAMPLE_RATE:
            raise DataError(
                f"{task.word!r} cannot be spoken by {task.voice.name}; "
                "spell it as it sounds in the language of the voices"
            )
        if len(sound) <= samples:
            break
    written = 0
    for number in missing:
        path = task.paths[number]
        if number:
            rng = np.random.default_rng(seed_for(seed, f"{task.word}/{path.name}"))
            said = _as_another(sound, task.voice, number, seed, rng)
        else:
            said = sound
        if len(said) <= samples:
            write_clip(path, place(said, rng, samples))
            written += 1
    return written, len(missing)


def _as_another(
    sound: Sound, voice: Voice, number: int, seed: int, rng: np.random.Generator
) -> Sound:
    """A voice's sound, changed into one of the people."""
    who = person(np.random.default_rng(seed_for(seed, f"{voice.name}/{number}")))
    return trim(said_by(who, sound, rng))


def _write_lists(out: Path, splits: dict[str, Split]) -> None:
    """Write lists for every clip in the folder, so that no speaker is in two sets.

    Voices are split by vocal tract, people by the hash rule if there are enough.
    """
    clips = read_folders(out).spoken
    people = {clip.speaker for clip in clips if not is_voice(clip.speaker)}
    if len(people) < _FEW_PEOPLE:
        splits = splits | dict.fromkeys(people, Split.TRAIN)
    lines: defaultdict[Split, list[str]] = defaultdict(list)
    for clip in clips:
        speaker = clip.speaker
        split = (
            splits.get(speaker)
            or splits.get(voice_of(speaker))
            or (Split.TRAIN if is_voice(speaker) else hash_split(speaker))
        )
        lines[split].append(f"{clip.path.relative_to(out).as_posix()}\n")
    for name, file in LISTS.items():
        atomic_write(out / file, "".join(lines[Split(name)]).encode())


def seed_for(seed: int, text: str) -> int:
    """A seed for one random choice, which depends only on the run's seed and on what it is for."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{text}".encode()).digest()[:8], "big")
