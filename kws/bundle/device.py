# SPDX-License-Identifier: Apache-2.0
"""A device: one bundle, or two of which the second listens for commands after a wake word."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from kws import _core
from kws.bundle.bundle import Bundle
from kws.errors import ModelError, UsageError
from kws.features.frontend_settings import HOP_MS, FrontendSettings

LISTEN_MS = 5000
"""How long a second bundle listens for a command unless something else is asked for."""

_LONGEST_MS = 600_000


@dataclass(frozen=True)
class Device:
    """What a board, a page or this machine runs; `with_commands` makes one of two bundles."""

    bundle: Bundle
    """The bundle that listens from the start."""

    commands: Bundle | None = None
    """A second bundle, which listens after any keyword of the first one was heard."""

    listen_ms: int = LISTEN_MS
    """How long the second bundle listens; a command ends it, too."""

    @property
    def parts(self) -> tuple[Bundle, ...]:
        """The bundle, then the second one, if any."""
        return (self.bundle,) if self.commands is None else (self.bundle, self.commands)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the bundle, then those of the second one."""
        return tuple(label for part in self.parts for label in part.labels)

    @property
    def words(self) -> tuple[str, ...]:
        """The same, each label once: silence, unknown, then the keywords of both."""
        return tuple(dict.fromkeys(self.labels))

    @property
    def compiled(self) -> bool:
        """Whether firmware gets the models as C++."""
        return self.bundle.compiled

    @property
    def arena_bytes(self) -> int:
        """Arena of the firmware: both bundles share it, because one of them runs at a time."""
        return max(part.own_arena_bytes for part in self.parts)

    @property
    def clip_ms(self) -> int:
        """Sound that the model sees, in milliseconds; of two bundles, the longer one's."""
        return max(part.frontend.clip_ms for part in self.parts)

    def as_compiled(self) -> Device:
        """The device whose firmware has its models as C++."""
        return self._with_compiled(compiled=True)

    def as_interpreted(self) -> Device:
        """The device whose firmware has its models as files and an interpreter."""
        return self._with_compiled(compiled=False)

    def pipeline(self) -> _core.Pipeline:
        """The firmware's pipeline with the bundles' models and settings, on the host.

        Raises:
            ModelError: the core refuses a model or its settings.
        """
        arena_bytes = max(part.arena_bytes for part in self.parts)
        bundle = self.bundle
        if bundle.recognizer.gate_rise and bundle.input_frames < bundle.frontend.frames:
            raise ModelError(
                f"bundle {bundle.path or bundle.name}: a streaming model has to hear every frame; "
                "set gate_db to 0"
            )
        try:
            if self.commands is None:
                return _core.Pipeline(bundle.core_part(), arena_bytes=arena_bytes)
            return _core.Pipeline(
                bundle.core_part(),
                arena_bytes=arena_bytes,
                then=self.commands.core_part(),
                listen_ms=self.listen_ms,
            )
        except _core.CoreError as error:
            raise ModelError(f"bundle {bundle.path or bundle.name}: {error}") from None

    def _with_compiled(self, *, compiled: bool) -> Device:
        def other(bundle: Bundle) -> Bundle:
            return dataclasses.replace(bundle, compiled=compiled)

        commands = other(self.commands) if self.commands else None
        return Device(other(self.bundle), commands, self.listen_ms)


def with_commands(bundle: Bundle, commands: Bundle, listen_ms: int = LISTEN_MS) -> Device:
    """A device whose keywords are wake words: after each, `commands` listens for so long.

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
        if first != second and setting.name != "frames":  # each has a window of its own
            raise UsageError(
                f"{bundle.name} and {commands.name} cannot share a frontend: {setting.name} is "
                f"{first} in one and {second} in the other; train them with the same settings"
            )
    device = Device(bundle, commands, listen_ms)
    # One firmware has either an interpreter or none.
    return device.as_compiled() if bundle.compiled or commands.compiled else device
