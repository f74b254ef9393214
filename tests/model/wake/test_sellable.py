# SPDX-License-Identifier: Apache-2.0
"""`kws wake --sellable`: which voices, folders and base models it takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kws.audio.tts.voices import find_voices
from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import DataError, UsageError
from kws.model.wake.sellable import check_base_model, check_folders, unsellable_voices
from tests.audio.tts.test_voices import write_piper

HEADER = "file,source,version,original,licence\n"


@pytest.fixture
def voices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "voices"
    folder.mkdir()
    monkeypatch.setenv("KWS_VOICES", str(folder))
    return folder


def _card(voices: Path, name: str, licence: str, training: str = "Trained from scratch.") -> None:
    (voices / name).mkdir()
    file = write_piper(voices / name, name)
    card = f"# Model card\n\n* License: {licence}\n\n## Training\n\n{training}\n"
    (file.parent / "MODEL_CARD").write_text(card)


def test_voices_that_may_not_be_sold_do_not_speak(voices: Path) -> None:
    _card(voices, "en_US-free-low", "CC0")
    _card(voices, "en_US-tuned-low", "CC0", "Finetuned from U.S. English lessac voice (medium).")
    _card(voices, "en_US-shared-low", "CC BY-NC-SA 4.0")
    _card(voices, "en_US-unclear-low", "See URL")
    lines: list[str] = []
    left_out = unsellable_voices(lines.append)
    # This machine may have other voices, from packages.
    assert {"en_US-shared-low", "en_US-tuned-low", "en_US-unclear-low"} <= set(left_out)
    assert "en_US-free-low" not in left_out
    assert len(lines) == len(left_out)
    assert (
        "left out for --sellable: en_US-tuned-low (CC0; fine-tuned from lessac (research only))"
        in lines
    )
    speaking = find_voices(1000, engines=["piper"], without=left_out)
    names = {voice.source[0].stem for voice in speaking}
    assert "en_US-free-low" in names
    assert not names & set(left_out)


@pytest.mark.parametrize("licence", ["CC0-1.0", "CC-BY-4.0", "BSD-like", "public domain", "MIT"])
def test_a_folder_with_free_licences_is_taken(tmp_path: Path, licence: str) -> None:
    (tmp_path / "licences.csv").write_text(f"{HEADER}a.wav,me,1,b.wav,{licence}\n")
    lines: list[str] = []
    check_folders([tmp_path], lines.append)
    assert lines == []


@pytest.mark.parametrize(
    ("licence", "shown"),
    [
        ("CC-BY-NC-4.0", "CC-BY-NC-4.0"),
        ("GPL-3.0", "GPL-3.0"),
        ("free to give away", "free to give away"),
        ("", "without a licence"),
    ],
)
def test_a_folder_that_restricts_a_sale_is_refused(
    tmp_path: Path, licence: str, shown: str
) -> None:
    rows = f"{HEADER}good.wav,me,1,b.wav,CC0-1.0\nbad.wav,me,1,c.wav,{licence}\n"
    (tmp_path / "licences.csv").write_text(rows)
    with pytest.raises(
        UsageError, match=rf"licences.csv: bad.wav is {shown}; --sellable takes CC0"
    ):
        check_folders([tmp_path], print)


def test_a_folder_without_a_list_is_named(tmp_path: Path) -> None:
    lines: list[str] = []
    check_folders([tmp_path], lines.append)
    assert lines == [f"--sellable: {tmp_path} has no licences.csv; its licence is for you to check"]


@pytest.mark.parametrize("content", [b"", b"name,terms\na,CC0\n", b"file,licence\n\xff,CC0\n"])
def test_a_damaged_list_is_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "licences.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"licences\.csv"):
        check_folders([tmp_path], print)


def test_the_base_model_of_kws_wake_may_be_sold() -> None:
    check_base_model(default_bundle_path().with_name("ten_words"))


def test_a_base_model_without_records_is_refused(tmp_path: Path) -> None:
    unrecorded = replace(load_bundle(default_bundle_path()), data="", second_look=None)
    write_bundle(unrecorded, tmp_path / "model")
    with pytest.raises(UsageError, match=r"cannot start from this model \(data: not recorded\)"):
        check_base_model(tmp_path / "model")
