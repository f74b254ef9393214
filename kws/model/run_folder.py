"""A run's settings, and the folder that belongs to them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.dataset import DataSet
from kws.errors import UsageError
from kws.files import atomic_write, make_directory
from kws.model.samples import SampleSettings


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides which model a data set gives."""

    words: tuple[str, ...]
    """The keywords."""

    model: str = "tiny_conv"
    """A name in the zoo."""

    epochs: int = 60
    batch_size: int = 100

    learning_rate: float = 0.01
    """Adam's highest; it rises to that over the first tenth and falls to 0 as a cosine."""

    seed: int = 0
    samples: SampleSettings = field(default_factory=SampleSettings)

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        config.check_range("epochs", self.epochs, 1, 100_000)
        config.check_range("batch_size", self.batch_size, 1, 100_000)
        config.check_range("learning_rate", self.learning_rate, 1e-9, 10)
        config.check_range("seed", self.seed, 0, 2**31)


def claim(out: Path, settings: TrainSettings, dataset: DataSet) -> None:
    """Make `out` this run's folder, or see that it is already.

    Raises:
        UsageError: it holds a run with other settings or data.
    """
    file = out / "settings.toml"
    ours = config.to_dict(settings) | {"data": _fingerprint(dataset)}
    ours = tomllib.loads(config.dump_toml(ours))
    if not file.exists():
        make_directory(out)
        atomic_write(file, config.dump_toml(ours).encode())
        return
    theirs = config.read_toml(file)
    for key, value in _flat(ours).items():
        there = _flat(theirs).get(key)
        if there != value:
            what = "other data" if key == "data" else f"{key} {_text(there)}, not {_text(value)}"
            raise UsageError(
                f"{out}: holds a run with {what}; give the same settings to go on with it, or "
                "name another --out"
            )


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    """A table with the keys of its inner tables beside its own."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= value if isinstance(value, dict) else {key: value}
    return flat


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _fingerprint(dataset: DataSet) -> str:
    """Changes when clips come, go, or move to another split."""
    names: Sequence[str] = [
        *(f"{clip.split} {clip.word}/{clip.path.name}" for clip in dataset.clips),
        *(path.name for path in dataset.backgrounds),
    ]
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]
