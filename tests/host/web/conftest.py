"""`kws listen --web` in a process of its own, and a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.bundle import default_bundle_path
from kws.convert.tflite_import import renew_bundle
from kws.host.emulate.padding import silence
from tests.host.live.test_listen import CLIPS, Listening

Serve = Callable[..., tuple[Listening, str]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts kws listen --web; gives the program and its page's address."""
    with ExitStack() as stack:

        def start(*arguments: object, **options: dict[str, str]) -> tuple[Listening, str]:
            program = Listening("--web", "--port", 0, *arguments, **options)
            stack.enter_context(program)
            line, _ = program.until("shows it", "stderr")
            found = re.search(r"http://\S+/", line)
            assert found
            return program, found[0]

        yield start


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """Four minutes in which words are said, from the second second on."""
    pcm = silence(240 * 16000)
    for number, name in enumerate(["yes_slt", "no_awb", "yes_rob", "left_slt"] * 18):
        clip = load_clip(CLIPS / f"{name}.flac")
        start = 16000 + number * 52000
        pcm[start : start + len(clip)] += clip
    write_clip(tmp_path / "words.wav", pcm)
    return tmp_path / "words.wav"


@pytest.fixture
def own_bundle(tmp_path: Path) -> Path:
    """A bundle that may be changed."""
    return renew_bundle(default_bundle_path(), tmp_path / "bundle").path or Path()
