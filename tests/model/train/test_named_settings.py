# SPDX-License-Identifier: Apache-2.0
"""Settings by name: from the command line, a recipe or a sweep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kws.errors import KwsError, UsageError
from kws.model.train.named_settings import (
    GROUPS,
    Setting,
    all_settings,
    help_text,
    parse_assignments,
    settings_for,
)
from kws.model.train.train_settings import TrainSettings


def test_settings_of_all_levels_can_be_given_by_name() -> None:
    settings = settings_for(("a",), "tiny_conv", {"epochs": 7, "joined": 0.5, "room": 0.9})
    assert settings.epochs == 7
    assert settings.samples.joined == 0.5
    assert settings.samples.augmentation.room == 0.9
    assert settings.seed == TrainSettings(("a",)).seed


def test_values_have_the_type_of_the_default() -> None:
    values = parse_assignments(["learning-rate=1", "epochs=3", "keep-last-epoch=true", "ema=.1"])
    assert values == {"learning_rate": 1.0, "epochs": 3, "keep_last_epoch": True, "ema": 0.1}
    assert [type(value) for value in values.values()] == [float, int, bool, float]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("epochs", "--set epochs: write a setting and its value"),
        ("epochs=", "--set epochs=: write"),
        ("epcohs=3", "no setting 'epcohs'; the nearest are epochs; "),
        ("unknown=2", "the nearest are unknown_per_keyword; "),
        ("snr=2", "the nearest are snr_db, snr_range_db; "),
        ("words=yes", "no setting 'words'"),
        ("even=true", "setting 'even' is now prior_correction; write --set prior_correction=..."),
        ("mask=0.1", "setting 'mask' is now spec_augment; write --set spec_augment=..."),
        ("origin=x", "no setting 'origin'"),
        ("epochs=2.5", "epochs is 2.5; it must be a whole number"),
        ("spec_augment=wide", "spec_augment is 'wide'; it must be a number"),
        ("keep_last_epoch=1", "keep_last_epoch is '1'; it must be true or false"),
        ("spec_augment=0.6", "spec_augment is 0.6; it must be between 0 and 0.5"),
        ("spec_augment=nan", "spec_augment is nan; it must be between 0 and 0.5"),
    ],
)
def test_wrong_assignments_give_one_line_errors(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)) as caught:
        parse_assignments([text])
    assert "\n" not in str(caught.value)


def test_a_setting_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="epochs is given twice"):
        parse_assignments(["epochs=3", "epochs=4"])


@pytest.mark.tensorflow
def test_recipe_with_an_unknown_setting_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("RECIPE = {'epochz': 3}\ndef build(*sizes): pass\n")
    with pytest.raises(UsageError, match="no setting 'epochz'; the nearest are epochs"):
        settings_for(("a",), str(file), {})


@pytest.mark.parametrize("setting", all_settings().values(), ids=lambda setting: setting.name)
def test_each_setting_is_described_and_checks_its_range(setting: Setting) -> None:
    assert setting.help.endswith(".")
    assert setting.check(setting.default) == setting.default
    if setting.high is not None:
        with pytest.raises(UsageError, match=f"{setting.name} is .*between"):
            setting.check(type(setting.default)(setting.high * 2 + 1))
        kind = GROUPS[setting.group]
        words = {"words": ("a",)} if kind is TrainSettings else {}
        with pytest.raises(KwsError, match=f"{setting.name} is"):
            kind(**words, **{setting.name: type(setting.default)(setting.high * 2 + 1)})


def test_help_names_every_setting_in_80_columns() -> None:
    text = help_text()
    assert max(map(len, text.splitlines())) <= 80
    for setting in all_settings().values():
        assert f"  {setting.name} ({setting.range}; default " in text
