"""A run's settings, and the folder that belongs to them."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.augment.augmentation import Augmentation
from kws.audio.dataset import DataSet
from kws.errors import UsageError
from kws.files import atomic_write, make_directory
from kws.model.samples.sample_settings import SampleSettings
from kws.model.zoo import find_model, user_model


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

    average: float = 0.05
    """Share of all steps that the running average of the weights reaches back; 0 for none."""

    smoothing: float = 0.0
    """Share of each label that is spread over all classes."""

    mixup: float = 0.0
    """Clips are mixed in pairs with weights drawn from Beta(mixup, mixup); 0 leaves them alone."""

    teacher: str = ""
    """Fingerprint of the model to learn from, empty for none."""

    teacher_share: float = 0.7
    """How much of each label comes from the teacher, if there is one."""

    origin: str = ""
    """Fingerprint of the model whose layers this one starts with, empty for none."""

    frozen: float = 1.0
    """Share of the layers that keep the origin's weights, from the first on; the head always
    learns."""

    last: bool = False
    """Whether the last epoch's weights are kept, not those of the lowest validation loss: where the
    training clips are far noisier than the validation clips, these say little."""

    seed: int = 0
    samples: SampleSettings = field(default_factory=SampleSettings)

    def __post_init__(self) -> None:
        """Refuse values that make no sense."""
        config.check_range("epochs", self.epochs, 1, 100_000)
        config.check_range("batch_size", self.batch_size, 1, 100_000)
        config.check_range("learning_rate", self.learning_rate, 1e-9, 10)
        config.check_range("average", self.average, 0, 1)
        config.check_range("smoothing", self.smoothing, 0, 0.9)
        config.check_range("mixup", self.mixup, 0, 100)
        config.check_range("teacher_share", self.teacher_share, 0, 1)
        config.check_range("frozen", self.frozen, 0, 1)
        config.check_range("seed", self.seed, 0, 2**31)


def settings_for(words: tuple[str, ...], model: str, **given: Any) -> TrainSettings:
    """A model's own settings, but for what is given; None stands for "not given".

    Args:
        words: the keywords.
        model: a name in the zoo.
        given: any field of TrainSettings, SampleSettings or Augmentation.

    Raises:
        UsageError: there is no such model.
        KwsError: a value is out of range.
    """
    values = dict(find_model(model).recipe) | {k: v for k, v in given.items() if v is not None}

    def take(kind: type[Any]) -> dict[str, Any]:
        return {f.name: values.pop(f.name) for f in fields(kind) if f.name in values}

    samples = SampleSettings(
        augmentation=Augmentation(**take(Augmentation)), **take(SampleSettings)
    )
    return TrainSettings(words, model, samples=samples, **values)


def claim(
    out: Path, settings: TrainSettings, dataset: DataSet, extra: DataSet | None = None
) -> None:
    """Make `out` this run's folder, or see that it is already.

    Raises:
        UsageError: it holds a run with other settings or data.
    """
    file = out / "settings.toml"
    ours = config.to_dict(settings) | {"data": _fingerprint(dataset)}
    if user_model.is_own(settings.model):
        ours["model_file"] = user_model.fingerprint(settings.model)
    if extra:
        ours["extra_data"] = _fingerprint(extra)
    ours = tomllib.loads(config.dump_toml(ours))
    if not file.exists():
        make_directory(out)
        atomic_write(file, config.dump_toml(ours).encode())
        return
    theirs = config.read_toml(file)
    # A run that is older than a setting has its default.
    before = _flat(config.to_dict(TrainSettings(settings.words))) | _flat(theirs)
    now = _flat(ours)
    for key in (*now, *before):
        there, value = before.get(key), now.get(key)
        if there != value:
            what = f"{key} {_text(there)}, not {_text(value)}"
            if key in {"data", "extra_data"}:
                what = "other data"
            elif key == "teacher":
                what = "another teacher"
            elif key == "origin":
                what = "another model to start from"
            elif key == "model_file":
                what = f"{settings.model} as it was before"
            raise UsageError(
                f"{out}: holds a run with {what}; give the same settings to go on with it, or "
                "name another --out"
            )


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    """A table with the keys of its inner tables beside its own."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        flat |= _flat(value) if isinstance(value, dict) else {key: value}
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
