# SPDX-License-Identifier: Apache-2.0
"""A device: one bundle, or two; the second one listens for commands after a wake word."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from kws import _core
from kws.bundle.bundle import Bundle
from kws.bundle.second_look import SecondLook
from kws.errors import ModelError, UsageError
from kws.features.frontend_settings import HOP_MS, FrontendSettings

LISTEN_MS = 5000
"""Default time that a second bundle listens for a command."""

_LONGEST_MS = 600_000


@dataclass(frozen=True)
class Device:
    """Models for a board, a web page or this machine; `with_commands` combines two bundles."""

    bundle: Bundle
    """The bundle that listens from the start."""

    commands: Bundle | None = None
    """A second bundle, which listens after the first one detects a keyword."""

    listen_ms: int = LISTEN_MS
    """Time that the second bundle listens; a command ends it early."""

    @property
    def parts(self) -> tuple[Bundle, ...]:
        """The bundle, then the second one, if any."""
        return (self.bundle,) if self.commands is None else (self.bundle, self.commands)

    @property
    def models(self) -> tuple[Bundle | SecondLook, ...]:
        """The bundles, then their second looks."""
        looks = [part.second_look for part in self.parts]
        return (*self.parts, *(look for look in looks if look))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the bundle, then those of the second one."""
        return tuple(label for part in self.parts for label in part.labels)

    @property
    def proposals(self) -> tuple[int | None, ...]:
        """For each label, the score (0 to 255) above which a second model looks; None: never."""
        return tuple(
            part.second_look.settings.proposal
            if part.second_look and label in part.keywords
            else None
            for part in self.parts
            for label in part.labels
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The labels without duplicates: silence, unknown, then the keywords of both."""
        return tuple(dict.fromkeys(self.labels))

    @property
    def compiled(self) -> bool:
        """Whether firmware contains the first models as C++ code, as it does second looks."""
        return self.bundle.compiled

    @property
    def arena_bytes(self) -> int:
        """Arena of the firmware: both bundles share it, because only one runs at a time."""
        return max(part.firmware_arena_bytes for part in self.parts)

    @property
    def host_arena_bytes(self) -> int:
        """The same on the host, which interprets all models."""
        return max(part.host_arena_bytes for part in self.parts)

    @property
    def clip_ms(self) -> int:
        """Window of the model, in milliseconds; the longer window of two bundles."""
        return max(part.frontend.clip_ms for part in self.parts)

    def as_compiled(self) -> Device:
        """A device whose firmware contains all its models as C++ code."""
        return self._with_compiled(compiled=True)

    def as_interpreted(self) -> Device:
        """A device whose firmware contains its first models as files, and an interpreter."""
        return self._with_compiled(compiled=False)

    def without_second_looks(self) -> Device:
        """A device that reports what the first models propose."""
        commands = self.commands.without_second_look() if self.commands else None
        return Device(self.bundle.without_second_look(), commands, self.listen_ms)

    def pipeline(self) -> _core.Pipeline:
        """The firmware's pipeline with the bundles' models and settings, on the host.

        Raises:
            ModelError: the core refuses a model or its settings.
        """
        bundle = self.bundle
        if bundle.recognizer.gate_rise and bundle.streams:
            raise ModelError(
                f"bundle {bundle.path or bundle.name}: a streaming model must process every frame; "
                "set gate_db to 0"
            )
        with bundle.core_faults():
            if self.commands is None:
                pipeline = _core.Pipeline(bundle.core_part(), arena_bytes=self.host_arena_bytes)
            else:
                pipeline = _core.Pipeline(
                    bundle.core_part(),
                    arena_bytes=self.host_arena_bytes,
                    then=self.commands.core_part(),
                    listen_ms=self.listen_ms,
                )
        return pipeline

    def _with_compiled(self, *, compiled: bool) -> Device:
        def other(bundle: Bundle) -> Bundle:
            return dataclasses.replace(bundle, compiled=compiled)

        commands = other(self.commands) if self.commands else None
        return Device(other(self.bundle), commands, self.listen_ms)


def with_commands(bundle: Bundle, commands: Bundle, listen_ms: int = LISTEN_MS) -> Device:
    """A device whose keywords are wake words: after each, `commands` listens for `listen_ms`.

    Raises:
        UsageError: the bundles' frontends differ, or the time is out of range.
    """
    if not HOP_MS <= listen_ms <= _LONGEST_MS:
        raise UsageError(
            f"listening time {listen_ms / 1000:g} s: must be between {HOP_MS} ms and "
            f"{_LONGEST_MS // 60_000} min"
        )
    for setting in dataclasses.fields(FrontendSettings):
        first, second = (getattr(b.frontend, setting.name) for b in (bundle, commands))
        if first != second and setting.name != "frames":  # each bundle has its own window
            raise UsageError(
                f"{bundle.name} and {commands.name} cannot share a frontend: {setting.name} is "
                f"{first} in one and {second} in the other; train them with the same settings"
            )
    device = Device(bundle, commands, listen_ms)
    # One firmware has either an interpreter or none.
    return device.as_compiled() if bundle.compiled or commands.compiled else device
