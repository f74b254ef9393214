# SPDX-License-Identifier: Apache-2.0
"""Text-to-speech voices: who they are, and what they sound like when they say a word.

espeak-ng gives accents and, for each, many variants (other vocal tracts); flite gives a few
recorded voices. Both are small programs of the usual Linux distributions; one of the two is enough.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import soxr

from kws._core import SAMPLE_RATE
from kws.audio.tts.lexicon import read_words
from kws.audio.tts.phonemes import units
from kws.audio.tts.synth_settings import ENGLISH
from kws.errors import ToolError, UsageError

# flite's voices and the natural pitch of each, in Hz. Its other voices repeat one of these or can
# only say the time.
_FLITE = {"slt": 180.0, "rms": 90.0, "awb": 130.0, "kal16": 95.0}

# By what factor a flite voice's formants are raised: three people of each voice.
_FLITE_SIZES = {"": 1.0, "tall": 0.92, "small": 1.09}

_FLITE_RATE = 170.0  # words a minute when flite's durations are not stretched
_TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Voice:
    """One speaker of a synthetic data set."""

    engine: str
    """espeak or flite."""

    accent: str
    """espeak-ng's language code; for flite, whose voices have one accent each, tall or small."""

    variant: str
    """espeak-ng's variant, or flite's voice."""

    @property
    def name(self) -> str:
        """The speaker's name in file names."""
        return "-".join(part for part in (self.engine, self.accent, self.variant) if part)

    @property
    def group(self) -> str:
        """The vocal tract. Voices that share it sound alike, so they belong to the same split."""
        return f"{self.engine}-{self.variant}"


def is_voice(speaker: str) -> bool:
    """Whether a speaker's name is that of a text-to-speech voice, as `Voice.name` has them."""
    return speaker.startswith(("espeak-", "flite-"))


def find_voices(count: int, accents: Sequence[str] = ENGLISH) -> list[Voice]:
    """The first `count` voices that this machine has, the most varied first.

    Fewer are returned if the machine has no more: espeak-ng has 56 for each accent.

    Raises:
        ToolError: neither espeak-ng nor flite is installed, or not the one that the accents need.
        UsageError: espeak-ng does not know an accent.
    """
    flite, espeak = _flite_voices(accents), _espeak_variants()
    if espeak:
        accents = _known_accents(accents)
    voices: list[Voice] = []
    # Each voice once before one comes again in another size or with another accent.
    for turn in range(max(len(_FLITE_SIZES), len(accents))):
        if turn < len(_FLITE_SIZES):
            voices += [Voice("flite", list(_FLITE_SIZES)[turn], name) for name in flite]
        if turn < len(accents):
            voices += [
                Voice("espeak", accents[(place + turn) % len(accents)], variant)
                for place, variant in enumerate(espeak)
            ]
    if not voices:
        raise ToolError(
            "no text-to-speech for these accents: neither espeak-ng nor flite was found; "
            "install one, such as with: apt install espeak-ng flite"
        )
    return voices[:count]


def speak(
    voice: Voice, text: str, words_per_minute: float, pitch: float
) -> npt.NDArray[np.float32]:
    """A voice saying `text`: float32[n] from -1 to 1 at 16 kHz; empty if it says nothing.

    Args:
        voice: who speaks.
        text: what is said; starts with a letter, so that no program takes it for an option.
        words_per_minute: how fast, 80 to 400; 170 is usual.
        pitch: how high for that voice, 0 to 99; 50 is its natural pitch.

    Raises:
        ToolError: the program failed.
    """
    size = 1.0
    if voice.engine == "flite":
        # Formants and pitch move with the playing speed, as in people; the duration is corrected.
        size = _FLITE_SIZES[voice.accent]
        hertz = _FLITE[voice.variant] * 2.0 ** ((pitch - 50.0) / 75.0)
        stretch = _FLITE_RATE / words_per_minute * size
        settings = [f"duration_stretch={stretch:.3f}", f"int_f0_target_mean={hertz:.1f}"]
        options = [part for setting in settings for part in ("--setf", setting)]
        command = ["flite", "-voice", voice.variant, *options, "-t", text, "-o", "/dev/stdout"]
    else:
        # Amplitude 60: at the usual 100 some variants exceed full scale.
        name = f"{voice.accent}+{voice.variant}"
        command = ["espeak-ng", "-v", name, "-s", f"{words_per_minute:.0f}", "-p", f"{pitch:.0f}"]
        command += ["-a", "60", "-z", "--stdout", text]
    return _samples(_run(command), size)


def pronounce(words: Sequence[str], accent: str = "en-us") -> dict[str, tuple[str, ...]]:
    """The sounds of each word, as `kws.audio.tts.phonemes.units` has them; empty without espeak-ng.

    Raises:
        ToolError: espeak-ng failed.
    """
    if not shutil.which("espeak-ng"):
        return {}
    # Each word is a paragraph, so that each gives a line.
    text = "\n\n".join(spoken_form(word) for word in words) + "\n"
    command = ["espeak-ng", "-q", "--ipa", "--sep=_", "-v", accent, "--stdin"]
    lines = [line for line in _output(command, text).splitlines() if line.strip()]
    if len(lines) != len(words):
        return {}
    return {word: units(line) for word, line in zip(words, lines, strict=True)}


def spoken_form(word: str) -> str:
    """What is said for a label: an underscore stands for the space in `turn_on`."""
    return word.replace("_", " ")


def _flite_voices(accents: Sequence[str]) -> list[str]:
    if not shutil.which("flite") or not all(accent.startswith("en") for accent in accents):
        return []
    known = _output(["flite", "-lv"]).split()
    return [name for name in _FLITE if name in known]


def _espeak_variants() -> list[str]:
    if not shutil.which("espeak-ng"):
        return []
    known = _output(["espeak-ng", "--voices=variant"])
    return [name for name in read_words("espeak_variants") if f"!v/{name} " in known]


def _known_accents(accents: Sequence[str]) -> list[str]:
    known = [line.split()[1] for line in _output(["espeak-ng", "--voices"]).splitlines()[1:]]
    for accent in accents:
        if accent not in known and accents is not ENGLISH:
            raise UsageError(
                f"espeak-ng has no accent {accent!r}; `espeak-ng --voices` lists what it has"
            )
    return [accent for accent in accents if accent in known]


def _output(command: list[str], text: str = "") -> str:
    return _run(command, text).decode("utf-8", "replace")


def _run(command: list[str], text: str = "") -> bytes:
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolError(f"{command[0]} cannot be run: {error}; install it anew") from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        raise ToolError(
            f"{command[0]} failed: {lines[-1]}; try its command line: {' '.join(command)}"
        )
    return done.stdout


def _samples(wav: bytes, speed: float) -> npt.NDArray[np.float32]:
    """The samples of 16-bit mono WAV, played `speed` times as fast: float32[n], 16 kHz.

    The length fields of a file that comes through a pipe mean nothing.
    """
    start = wav.find(b"data")
    if start < 0:
        return np.zeros(0, np.float32)
    (rate,) = struct.unpack_from("<I", wav, 24)
    body = wav[start + 8 :]
    pcm = np.frombuffer(body[: len(body) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)
    if rate * speed == SAMPLE_RATE:
        return pcm
    out: npt.NDArray[np.float32] = soxr.resample(pcm, rate * speed, SAMPLE_RATE)
    return out
