# SPDX-License-Identifier: Apache-2.0
"""Commands for data: their output, and one line and an exit code per mistake."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile

from kws.audio import download
from kws.audio.sound_files import write_clip
from tests.command_line import Run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder for commands."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for word in ("yes", "no"):
        for speaker in range(3):
            pcm = rng.integers(-3000, 3000, 16000).astype(np.int16)
            write_clip(tmp_path / "data" / word / f"s{speaker}_nohash_0.wav", pcm)
    return tmp_path / "data"


def test_stats_prints_a_table(kws: Run, data: Path) -> None:
    code, out, err = kws("stats", "--data", data)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["word", "clips", "speakers", "train", "validation", "test", "shortest", "mean"] in lines
    assert [line[:3] for line in lines if line[:1] == ["yes"]] == [["yes", "3", "3"]]
    assert any(line.startswith("scarce: 2 words") for line in out.splitlines())


def test_stats_as_json(kws: Run, data: Path) -> None:
    code, out, _ = kws("stats", "--data", data, "--json")
    assert code == 0
    assert json.loads(out)["clips"] == 6


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="espeak-ng is missing")
@pytest.mark.process
def test_synth_makes_a_data_set(kws: Run, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    settings = ("--unknown", "up", "--voices", 3, "--people", 0, "--takes", 1)
    words = ("--words", "yes,no", *settings, "--engines", "espeak")
    code, out, err = kws("synth", *words, "--out", folder)
    assert (code, err) == (0, "")
    assert "9 clips made, 0 kept" in out
    assert len(list((folder / "yes").glob("*_nohash_0.wav"))) == 3
    code, out, err = kws("synth", *words, "--out", folder)
    assert "0 clips made, 9 kept" in out
    code, _, _ = kws("synth", *words, "--window-ms", 1500, "--out", tmp_path / "long")
    assert code == 0
    lengths = {soundfile.info(path).frames for path in (tmp_path / "long" / "yes").iterdir()}
    assert lengths == {24000}


def test_download(kws: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.audio.archives import FILES, contents, tar

    # A complete .part file needs no server.
    packed = tar(FILES)
    (tmp_path / "set.tar.gz.part").write_bytes(packed)
    what = download.Archive(
        "it", "http://127.0.0.1:9/", hashlib.sha256(packed).hexdigest(), len(packed)
    )
    monkeypatch.setitem(download.ARCHIVES, ("speech_commands", "0.02"), what)
    code, out, _ = kws("download", "speech_commands", "--out", tmp_path / "set")
    first, last = out.splitlines()
    assert (code, last) == (0, f"{tmp_path / 'set'}: complete")
    assert first.startswith(
        "it: 0.00 GB, licence Creative Commons BY 4.0, from http://127.0.0.1:9/"
    )
    assert first.endswith(what.sha256)
    assert contents(tmp_path / "set") == FILES


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["stats", "--data", "nowhere"], 1, "nowhere: no such file or directory"),
        (["stats", "--data", "."], 1, "no words"),
        (["synth", "--words", "!", "--out", "x"], 2, "begin with a letter"),
        (["synth", "--words", ",", "--out", "x"], 2, "no words"),
        (["download", "nothing", "--out", "x"], 2, "choose from"),
    ],
)
def test_mistakes_give_one_line(
    kws: Run, here: Path, arguments: list[str], code: int, says: str
) -> None:
    got, out, err = kws(*arguments)
    assert (got, out) == (code, "")
    assert err.startswith("kws: ")
    assert err.count("\n") == 1
    assert says in err
    assert list(here.iterdir()) == []
