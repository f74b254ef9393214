"""A small data set with tones as words, which a model learns in a few epochs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kws.audio.sound_files import write_clip

WORDS = {"low": (300, 300), "high": (2500, 2500), "up": (300, 2500), "down": (2500, 300)}
"""Start and end frequency of each word, in Hz."""

SPEAKERS = {"train": 12, "validation": 3, "test": 4}


def make_tones(root: Path, *, takes: int = 2, seed: int = 0) -> Path:
    """Write the data set to `root`, with the layout and the lists of Speech Commands."""
    rng = np.random.default_rng(seed)
    lists: dict[str, list[str]] = {"validation": [], "test": []}
    for word, (start, end) in WORDS.items():
        for split, speakers in SPEAKERS.items():
            for speaker in range(speakers):
                for take in range(takes):
                    name = f"{word}/{split}{speaker}_nohash_{take}.wav"
                    write_clip(root / name, _tone(start, end, rng))
                    if split in lists:
                        lists[split].append(name)
    (root / "validation_list.txt").write_text("\n".join(lists["validation"]))
    (root / "testing_list.txt").write_text("\n".join(lists["test"]))
    for name in ("hiss", "rumble"):
        noise = rng.normal(0, 300, 12 * 16000)
        write_clip(root / "_background_noise_" / f"{name}.wav", noise.astype(np.int16))
    return root


def _tone(start: float, end: float, rng: np.random.Generator) -> np.ndarray:
    """A sweep of half a second in the middle of a second of faint noise."""
    voice = rng.uniform(0.9, 1.1)
    hertz = np.linspace(start, end, 8000) * voice
    tone = rng.uniform(3000, 12000) * np.sin(2 * np.pi * np.cumsum(hertz) / 16000)
    pcm = rng.normal(0, 20, 16000)
    pcm[4000:12000] += tone * np.hanning(8000) ** 0.3
    return pcm.astype(np.int16)
