# SPDX-License-Identifier: Apache-2.0
"""flite: a few recorded American voices, each as three people of different sizes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kws.audio.tts.engines.languages import is_english
from kws.audio.tts.engines.speech import USUAL_RATE, Draws, Sound, Voice
from kws.audio.tts.engines.speech_programs import output, run, samples

STDOUT = Path("/dev/stdout")
"""Standard output as a file; not on Windows."""

# Natural pitch of flite's voices, in Hz. The others repeat one of these or only tell the time.
_HERTZ = {"slt": 180.0, "rms": 90.0, "awb": 130.0, "kal16": 95.0}

# Factor on a voice's formants: three people per voice.
_SIZES = {"": 1.0, "tall": 0.92, "small": 1.09}


def find(accents: Sequence[str]) -> list[Voice]:
    """All voices; none if flite is missing or an accent is not English.

    Raises:
        ToolError: flite failed.
    """
    if not shutil.which("flite") or not is_english(accents):
        return []
    known = output(["flite", "-lv"]).split()
    return [Voice("flite", size, name) for size in _SIZES for name in _HERTZ if name in known]


def speak(voice: Voice, text: str, draws: Draws) -> Sound:
    """Speak `text`, which starts with a letter; empty if the voice produces no sound.

    Formants and pitch shift together, as in people; the duration is corrected.

    Raises:
        ToolError: flite failed.
    """
    size = _SIZES[voice.accent]
    hertz = _HERTZ[voice.variant] * 2.0 ** ((draws.pitch - 50.0) / 75.0)
    stretch = USUAL_RATE / draws.words_per_minute * size
    settings = [f"duration_stretch={stretch:.3f}", f"int_f0_target_mean={hertz:.1f}"]
    options = [part for setting in settings for part in ("--setf", setting)]
    command = ["flite", "-voice", voice.variant, *options, "-t", text, "-o"]
    if STDOUT.exists():
        return samples(run([*command, str(STDOUT)]), size)
    with tempfile.TemporaryDirectory(prefix="kws-flite-") as folder:
        wav = Path(folder) / "speech.wav"
        run([*command, str(wav)])
        return samples(wav.read_bytes(), size)
