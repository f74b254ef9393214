# SPDX-License-Identifier: Apache-2.0
"""`kws record`: cutting of clips, refused takes, and words spoken into a microphone."""

from __future__ import annotations

import queue
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.capture.blocks import Block, Notice
from kws.audio.capture.record import (
    Clips,
    check_words,
    loudest_part,
    problem_of,
    record,
    speaker_hash,
)
from kws.audio.dataset import open_dataset
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import AudioError, KwsError, UsageError
from tests.command_line import KWS
from tests.sound_server import DEVICE, SoundServer

CLIPS = Path("kws/assets/matrix")
GOOD = ["yes_slt", "yes_rob", "no_awb", "no_rms"]


def burst(start: float, seconds: float, level: float = 0.3, total: float = 2.2) -> Pcm:
    """A quiet room with a burst of noise instead of a word."""
    pcm = quiet_room(round(total * 16000))
    at, size = round(start * 16000), round(seconds * 16000)
    noise = np.random.default_rng(0).uniform(-level * 32767, level * 32767, size)
    pcm[at : at + size] = noise[: len(pcm) - at].astype(np.int16)
    return pcm


@pytest.mark.parametrize("start", [0.0, 0.4, 1.0, 1.5])
def test_the_word_is_in_the_middle_of_its_second(start: float) -> None:
    clip = loudest_part(burst(start, 0.5), 16000)
    assert len(clip) == 16000
    loud = np.flatnonzero(np.abs(clip.astype(int)) > 100)
    assert len(loud) > 7900, "all of the word"
    if 0.3 < start < 1.4:
        assert abs((loud[0] + loud[-1]) / 2 - 8000) < 900


def test_a_short_take_is_filled_with_silence() -> None:
    assert loudest_part(np.ones(100, np.int16), 16000).tolist() == [1] * 100 + [0] * 15900


@pytest.mark.parametrize("samples", [8320, 8401, 27200, 48320])
def test_a_clip_is_as_long_as_the_window(samples: int) -> None:
    take = burst(0.9, 0.4, total=samples / 16000 + 1.2)
    clip = loudest_part(take, samples)
    assert len(clip) == samples
    loud = np.flatnonzero(np.abs(clip.astype(int)) > 100)
    assert len(loud) > 6300, "all of the word"
    assert len(loudest_part(take[:samples], samples)) == samples
    assert len(loudest_part(take[: samples - 1], samples)) == samples


@pytest.mark.parametrize("name", GOOD)
def test_words_spoken_by_people_are_accepted(name: str) -> None:
    take = np.concatenate(
        [quiet_room(9000), load_clip(CLIPS / f"{name}.flac"), quiet_room(9000, 1)]
    )
    assert problem_of(loudest_part(take, 16000), take) is None


@pytest.mark.parametrize(
    ("take", "said"),
    [
        (quiet_room(35200), "too quiet; speak louder"),
        (np.zeros(35200, np.int16), "too quiet; speak louder"),
        (np.zeros(0, np.int16), "too quiet; speak louder"),
        (burst(0.6, 0.5, level=0.004), "too quiet; speak louder"),
        (burst(0.6, 0.5), "clipped; speak more softly"),
        (burst(0.0, 2.2), "too much background noise"),
        (burst(0.5, 1.4), "cut off; say it within 1 s"),
        (burst(0.0, 0.3), "cut off; say it within 1 s of the prompt"),
        (burst(1.9, 0.5), "cut off"),
    ],
)
def test_a_bad_take_gives_the_reason(take: Pcm, said: str) -> None:
    if said.startswith("clipped"):
        take = np.clip(take.astype(np.int32) * 4, -32768, 32767).astype(np.int16)
    assert (problem_of(loudest_part(take, 16000), take) or "").startswith(said)


def test_names_follow_speech_commands_and_are_unique(tmp_path: Path) -> None:
    clips = Clips(tmp_path, speaker_hash("Anna"))
    assert speaker_hash("Anna") == speaker_hash("Anna") != speaker_hash("Ben")
    assert "anna" not in clips.next_path("yes").name.lower()
    for number in (0, 1):
        assert clips.next_path("yes").name == f"{clips.speaker}_nohash_{number}.wav"
        write_clip(clips.next_path("yes"), np.ones(16000, np.int16))
    write_clip(tmp_path / "yes" / f"{clips.speaker}_nohash_7.wav", np.ones(16000, np.int16))
    assert clips.next_path("yes").stem.endswith("_8")
    assert clips.next_path("no").stem.endswith("_0")
    assert {clip.speaker for clip in open_dataset(tmp_path).clips} == {clips.speaker}


@pytest.mark.parametrize("words", [[], ["silence"], ["unknown"], ["a/b"], [".."], ["_x"], [""]])
def test_an_invalid_word_is_refused(words: list[str]) -> None:
    with pytest.raises(UsageError, match="--words"):
        check_words(words)


class Silent:
    """A display without a speaker."""

    def __init__(self) -> None:
        self.verdicts: list[str] = []
        self.notices: list[str] = []

    def prompt(self, word: str, number: int, count: int) -> None:
        self.verdicts.append(f"{word} {number} of {count}")

    def level(self, peak: float) -> None:
        assert 0 <= peak <= 1

    def verdict(self, path: Path | None, text: str) -> None:
        self.verdicts.append(text)

    def notice(self, text: str) -> None:
        self.notices.append(text)


def takes(*parts: Pcm | Notice) -> Iterator[Block | Notice]:
    for part in parts:
        if isinstance(part, Notice):
            yield part
        else:
            for at in range(0, len(part), 320):
                yield Block(part[at : at + 320], 1e12)


def test_an_unplugged_microphone_restarts_the_take(tmp_path: Path) -> None:
    stage = Silent()
    gone = Notice("disconnected", connected=False)
    sound = takes(burst(0.3, 0.4, total=1.0), gone, burst(0.8, 0.5))
    assert record(["yes"], 1, Clips(tmp_path, "0" * 8), sound, stage) == 1
    assert stage.notices == ["disconnected"]
    pcm = load_clip(tmp_path / "yes" / "00000000_nohash_0.wav")
    assert np.count_nonzero(np.abs(pcm.astype(int)) > 100) < 8100, (
        "no sound from the interrupted take"
    )


def test_words_are_requested_in_turn_and_bad_takes_again(tmp_path: Path) -> None:
    stage = Silent()
    good, bad = burst(0.8, 0.5), quiet_room(35200)
    sound = takes(good, bad, good, good, good)
    assert record(["yes", "no"], 2, Clips(tmp_path, "0" * 8), sound, stage) == 4
    assert [v for v in stage.verdicts if "of 2" in v] == [
        "yes 1 of 2", "no 1 of 2", "no 1 of 2", "yes 2 of 2", "no 2 of 2",
    ]  # fmt: skip


def test_a_phrase_gets_a_longer_take_and_clip(tmp_path: Path) -> None:
    stage = Silent()
    phrase = burst(0.6, 1.4, total=2.9)
    clips = Clips(tmp_path, "0" * 8)
    assert record(["hey_marvin"], 1, clips, takes(phrase), stage, clip_ms=1700) == 1
    pcm = load_clip(tmp_path / "hey_marvin" / "00000000_nohash_0.wav")
    assert len(pcm) == 27200
    assert np.count_nonzero(np.abs(pcm.astype(int)) > 100) > 22000, "all of the phrase"
    with pytest.raises(AudioError, match="5 bad takes in a row"):
        record(["hey_marvin"], 1, clips, takes(*[phrase] * 9), stage)
    remedy = "cut off; say it within 1 s of the prompt, or allow more time with --window-ms"
    assert stage.verdicts[-1] == remedy


def test_it_gives_up_after_five_silent_takes(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"yes: 5 bad takes in a row; check with"):
        record(["yes"], 1, Clips(tmp_path, "0" * 8), takes(*[quiet_room(35200)] * 5), Silent())


def test_a_full_disk_gives_a_one_line_error_and_leaves_no_partial_clip(full_disk: Path) -> None:
    clips = Clips(full_disk, "0" * 8)
    sound = takes(*[burst(0.8, 0.5)] * 20)
    with pytest.raises(KwsError, match="cannot be written"):
        record(["yes"], 20, clips, sound, Silent())
    for path in (full_disk / "yes").iterdir():
        assert len(load_clip(path)) == 16000


def likeness(clip: Pcm, word: Pcm) -> float:
    """Highest correlation of two sounds: 1 if they differ only in level and delay."""
    size = 1 << (len(clip) + len(word)).bit_length()
    a, b = (np.fft.rfft(pcm.astype(np.float64), size) for pcm in (clip, word))
    product = np.fft.irfft(a * b.conj(), size)
    return float(product.max() / np.sqrt(np.sum(clip / 1.0 * clip) * np.sum(word / 1.0 * word)))


def test_words_spoken_into_a_microphone_become_clips(
    tmp_path: Path, sound_server: SoundServer
) -> None:
    """The clips must contain the spoken words, whether a model detects them or not."""
    process = subprocess.Popen(
        [
            *KWS, "record",
            *("--words", "yes,no", "--takes", "1", "--speaker", "Anna"),
            *("--out", str(tmp_path / "mine"), "--device", DEVICE),
        ],
        env=sound_server.environment, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    lines: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert process.stdout
        for line in process.stdout:
            lines.put(line.rstrip("\n"))

    threading.Thread(target=read, daemon=True).start()
    words = {"yes": load_clip(CLIPS / "yes_slt.flac"), "no": load_clip(CLIPS / "no_awb.flac")}
    said = 0
    seen: list[str] = []
    while len(seen) < 20:
        line = lines.get(timeout=120)
        seen.append(line)
        if line.startswith("say: "):
            word = line.split()[1]
            said += 1
            clip = words[word] // 200 if said == 1 else words[word]  # too quiet at first
            sound_server.play(np.concatenate([quiet_room(11000), clip]))
        if "clips by" in line:
            break
    assert process.wait(60) == 0
    assert seen[0] == "say: yes (1 of 1)"
    assert seen[1].startswith("again: too quiet; speak louder")
    for word, other in (("yes", "no"), ("no", "yes")):
        path = tmp_path / "mine" / word / f"{speaker_hash('Anna')}_nohash_0.wav"
        pcm = load_clip(path)
        assert len(pcm) == 16000
        # Measured: 0.99 and 0.50, even at a load of 10 on two cores.
        assert likeness(pcm, words[word]) > 0.8 > likeness(pcm, words[other])
