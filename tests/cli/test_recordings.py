# SPDX-License-Identifier: Apache-2.0
"""`kws run` and `kws listen` with unusual and damaged recordings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio.sound_files import load_clip
from tests.audio.encoded import encoded, in_wav, without_xing

Run = Callable[..., tuple[int, str, str]]
RATE = 16000


def said(repeats: int = 2) -> np.ndarray:
    """Words, each followed by a second of a quiet room: float32[n]."""
    word = load_clip(Path("kws/assets/matrix/yes_slt.flac")) / 32768
    room = np.random.default_rng(3).normal(0, 3e-4, RATE)
    return np.concatenate([part for _ in range(repeats) for part in (room, word)]).astype(
        np.float32
    )


def heard(out: str) -> list[str]:
    return [line.split()[1] for line in out.splitlines() if line.startswith("Heard")]


def odd(kind: str) -> tuple[np.ndarray, str]:
    word = said()
    hiss = np.random.default_rng(4).normal(0, 0.1, (len(word), 6)).astype(np.float32)
    if kind == "cancel":
        return np.stack([word, -word], axis=1), "the channels cancel each other"
    if kind == "hiss":
        hiss[:, 4:] = word[:, None]
        return hiss, "other channels contain noise: using channel 5 of 6"
    return word[:, None] * 3000, "times full scale; divided by"


@pytest.mark.parametrize("kind", ["cancel", "hiss", "far"])
@pytest.mark.parametrize("command", [("run",), ("listen", "--fast", "--plain", "--input")])
def test_words_are_detected_in_unusual_channels_and_levels(
    kws: Run, tmp_path: Path, kind: str, command: tuple[str, ...]
) -> None:
    samples, says = odd(kind)
    path = tmp_path / f"{kind}.wav"
    soundfile.write(path, samples, RATE, subtype="FLOAT")
    code, out, err = kws(*command, path)
    assert (code, heard(out)) == (0, ["yes", "yes"])
    assert err.startswith(f"kws: {path}: ")
    assert says in err
    assert err.count("\n") == 1


def test_a_channel_can_be_chosen(kws: Run, tmp_path: Path) -> None:
    path = tmp_path / "stereo.wav"
    word = said()
    soundfile.write(path, np.stack([np.roll(word, 100) * 0, word], axis=1), RATE)
    assert heard(kws("run", path, "--channel", 2)[1]) == ["yes", "yes"]
    assert heard(kws("run", path, "--channel", 1)[1]) == []
    for channel, words in ((2, ["yes", "yes"]), (1, [])):
        live = kws("listen", "--plain", "--fast", "--input", path, "--channel", channel)
        assert heard(live[1]) == words
    code, out, err = kws("run", path, "--channel", 3)
    assert (code, out) == (2, "")
    assert "no channel 3; it has 2 channels" in err


def test_a_bad_file_does_not_end_a_run_over_a_folder(kws: Run, tmp_path: Path) -> None:
    for name in ("a", "c"):
        soundfile.write(tmp_path / f"{name}.wav", said(1), RATE)
    (tmp_path / "b.wav").write_bytes(b"not a readable recording")
    (tmp_path / "d.raw").write_bytes(bytes(100))
    code, out, err = kws("run", tmp_path)
    assert (code, heard(out)) == (1, ["yes", "yes"])
    lines = err.splitlines()
    assert "skipped 1 file (1 .raw: unknown sampling rate" in lines[0]
    assert lines[1].startswith(f"kws: {tmp_path / 'b.wav'}: not a readable recording")
    assert lines[2] == "kws: 1 of 3 recordings could not be read; see above"


def test_the_rest_of_a_recording_cut_off_is_played(kws: Run, tmp_path: Path) -> None:
    path = tmp_path / "cut.flac"
    data = encoded(said(), RATE, "FLAC", "PCM_16")
    path.write_bytes(data[: len(data) * 6 // 10])
    code, out, err = kws("run", path)
    assert (code, heard(out)) == (0, ["yes"])
    assert err.startswith(
        f"kws: {path}: cut off or damaged: its header declares 4.00 s, but it contains "
    )
    assert err.endswith(" s; the rest was read\n")


def test_mp3s_without_a_length_are_played_to_their_end(kws: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    data = encoded(
        said(3), RATE, "MP3", "MPEG_LAYER_III", compression_level=0.5, bitrate_mode="VARIABLE"
    )
    frames = without_xing(path, data)
    for content in (data, frames, in_wav(frames, RATE, 1)):
        path.write_bytes(content)
        code, out, err = kws("run", path)
        assert (code, heard(out), err) == (0, ["yes", "yes", "yes"], "")
