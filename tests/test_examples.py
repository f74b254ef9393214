# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/: built and run, and compared with the pipeline."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kws.audio.sound_files import load_clip, write_clip
from kws.bundle.bundle import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.host.emulate.padding import between_silence
from tests.paths import ROOT

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute in which words are said."""
    names = ("yes_slt", "no_awb", "left_slt", "yes_rob", "no_norbert", "go_travis")
    clips = [
        between_silence(load_clip(ROOT / "kws" / "assets" / "matrix" / f"{name}.flac"))
        for name in names
    ]
    path = tmp_path_factory.mktemp("examples") / "words.wav"
    write_clip(path, np.concatenate(clips))
    return path


@pytest.fixture(scope="session")
def expected(recording: Path) -> list[str]:
    """The lines that the pipeline writes for it."""
    lines = load_bundle(default_bundle_path()).pipeline().feed(load_clip(recording)).decode()
    keywords = [line for line in lines.splitlines() if not line.startswith("Heard unknown")]
    assert len(keywords) >= 3
    return keywords


def test_python_stream_writes_the_lines_of_a_device(recording: Path, expected: list[str]) -> None:
    script = EXAMPLES / "python_stream" / "stream.py"
    done = subprocess.run(
        [sys.executable, str(script), str(recording)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == expected
