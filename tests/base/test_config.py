# SPDX-License-Identifier: Apache-2.0
"""Settings are declared once, checked, and survive a round trip through TOML."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kws.config import check_settings, dump_toml, from_dict, read_toml, setting, to_dict
from kws.errors import KwsError


@dataclass(frozen=True)
class Tea:
    """Settings with a range, without one, and a table."""

    minutes: float = setting(3.0, 1, 10, "How long it brews.")
    sort: str = setting("green", None, None, "What it is made of.")
    notes: dict[str, int] = field(default_factory=dict)
    steps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_settings(self)


@pytest.mark.parametrize("minutes", [1, 3.5, 10])
def test_values_in_the_range_are_accepted(minutes: float) -> None:
    assert Tea(minutes).minutes == minutes


@pytest.mark.parametrize("minutes", [0.9, 11, float("nan")])
def test_values_out_of_the_range_are_named(minutes: float) -> None:
    with pytest.raises(KwsError, match=r"minutes is .*between 1 and 10"):
        Tea(minutes)


def test_settings_survive_toml() -> None:
    for tea in (Tea(), Tea(2.5, "black", {"sugar": 2}, (1, 2))):
        assert from_dict(Tea, tomllib.loads(dump_toml(to_dict(tea))), "tea.toml") == tea


def test_an_unknown_key_is_named_with_those_that_exist() -> None:
    with pytest.raises(KwsError, match=r"tea\.toml: unknown setting 'minute'; choose from minutes"):
        from_dict(Tea, {"minute": 3}, "tea.toml")


@pytest.mark.parametrize("content", [None, b"minutes = ", b"\xff\xfe"])
def test_a_file_that_is_not_toml_gives_a_one_line_error(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "tea.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(KwsError, match=r"tea\.toml: ") as error:
        read_toml(file)
    assert "\n" not in str(error.value)
