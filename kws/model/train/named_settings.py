# SPDX-License-Identifier: Apache-2.0
"""Training settings by name: their list, values from text, and defaults of architectures."""

from __future__ import annotations

import dataclasses
import difflib
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from kws.audio.augment.augmentation import Augmentation
from kws.errors import UsageError
from kws.model.samples.sample_settings import SampleSettings
from kws.model.train.train_settings import TrainSettings
from kws.model.weights.run_files import RENAMED
from kws.model.zoo import find_model

GROUPS = {
    "Training": TrainSettings,
    "Clips of an epoch": SampleSettings,
    "Augmentation of a clip": Augmentation,
}
"""Dataclasses whose fields are settings, by title."""

ALWAYS_ON: dict[str, Any] = {
    "background": 0.8,
    "snr_db": 0.0,
    "snr_range_db": 30.0,
    "lead_ms": 1000,
    "shift_ms": 450,
    "min_keyword_energy": 0.6,
    "gain_db": 60.0,
    "narrow": 0.25,
    "room": 0.35,
    "keep_last_epoch": True,
}
"""Always-on preset: continuous noise, words anywhere in the window, all levels."""

Value = bool | int | float


@dataclass(frozen=True)
class Setting:
    """The declaration of a setting."""

    name: str
    group: str
    """Key of GROUPS."""

    default: Value
    low: float | None
    """Smallest value; None if the setting is a switch."""

    high: float | None
    help: str

    @property
    def kind(self) -> str:
        """The type of its values, as text."""
        names = {bool: "true or false", int: "a whole number", float: "a number"}
        return names[type(self.default)]

    @property
    def range(self) -> str:
        """The range of its values, as text."""
        if self.low is None or self.high is None:
            return self.kind
        return f"{show(self.low)} to {show(self.high)}"

    def parse(self, text: str) -> Value:
        """Parse a value.

        Raises:
            UsageError: the value has another type or is out of range.
        """
        value: Any = text
        if isinstance(self.default, bool):
            value = {"true": True, "false": False}.get(text.lower(), text)
        else:
            for number in (int, float):
                try:
                    value = number(text)
                    break
                except ValueError:
                    continue
        return self.check(value)

    def check(self, value: Any) -> Value:
        """Convert a value to the setting's type.

        Raises:
            UsageError: the value has another type or is out of range.
        """
        kind = type(self.default)
        if kind is float and type(value) is int:
            value = float(value)
        if type(value) is not kind:
            raise UsageError(f"{self.name} is {value!r}; it must be {self.kind}")
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            raise UsageError(
                f"{self.name} is {value}; it must be between {show(self.low)} and {show(self.high)}"
            )
        checked: Value = value
        return checked


def show(value: Value) -> str:
    """A value as text for `--set`."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else f"{value:g}"


@cache
def all_settings() -> Mapping[str, Setting]:
    """All settings by name, in the order of their declarations."""
    return {
        field.name: Setting(field.name, group, cast(Value, field.default), **field.metadata)
        for group, kind in GROUPS.items()
        for field in dataclasses.fields(kind)
        if field.metadata
    }


def find_setting(name: str) -> Setting:
    """The setting with this name; `-` may replace `_`.

    Raises:
        UsageError: there is no such setting.
    """
    known = all_settings()
    key = name.strip().replace("-", "_")
    if key in known:
        return known[key]
    if RENAMED.get(key) in known:
        raise UsageError(f"setting {key!r} is now {RENAMED[key]}; write --set {RENAMED[key]}=...")
    near = [other for other in known if key and key in other]
    near += [other for other in difflib.get_close_matches(key, known) if other not in near]
    hint = f"the nearest are {', '.join(near[:4])}; " if near else ""
    raise UsageError(f"no setting {name!r}; {hint}kws train --help-settings lists all")


def parse_assignments(texts: Iterable[str]) -> dict[str, Value]:
    """Settings from texts such as `mixup=0.2`.

    Raises:
        UsageError: a text has another form, there is no such setting, a setting is given twice,
            or a value is wrong.
    """
    values: dict[str, Value] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value.strip():
            raise UsageError(f"--set {text}: write a setting and its value, such as mixup=0.2")
        setting = find_setting(name)
        if setting.name in values:
            raise UsageError(f"--set {text}: {setting.name} is given twice")
        values[setting.name] = setting.parse(value.strip())
    return values


def settings_for(words: tuple[str, ...], arch: str, values: Mapping[str, Any]) -> TrainSettings:
    """The settings of a run: the given values, else the architecture's own, else the defaults.

    Args:
        words: the keywords.
        arch: name of an architecture in the zoo, or a Python file.
        values: settings by name.

    Raises:
        UsageError: there is no such architecture or setting, or a value is wrong.
    """
    given = {**find_model(arch).recipe, **values}
    checked = {name: find_setting(name).check(value) for name, value in given.items()}

    def of(group: type[Any]) -> dict[str, Any]:
        names = {field.name for field in dataclasses.fields(group)}
        return {name: value for name, value in checked.items() if name in names}

    samples = SampleSettings(**of(SampleSettings), augmentation=Augmentation(**of(Augmentation)))
    return TrainSettings(words, arch, **of(TrainSettings), samples=samples)


def help_text() -> str:
    """All settings with range, default and help, for a terminal of 80 columns."""
    lines = [
        "Settings of kws train --set NAME=VALUE and of kws sweep --set NAME=VALUE,VALUE.",
        "An architecture of the zoo may have other defaults: see docs/models.md.",
    ]
    for group in GROUPS:
        lines += ["", f"{group}:"]
        for setting in all_settings().values():
            if setting.group == group:
                lines.append(f"  {setting.name} ({setting.range}; default {show(setting.default)})")
                lines += textwrap.wrap(
                    setting.help, 80, initial_indent="      ", subsequent_indent="      "
                )
    return "\n".join(lines)
