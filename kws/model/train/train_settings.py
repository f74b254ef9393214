# SPDX-License-Identifier: Apache-2.0
"""Settings of a training run.

A setting is declared once, here, in `SampleSettings` or in `Augmentation`. Its range check, the
command line, the bundle's metrics and the table in docs/training.md come from the declaration.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kws.config import check_settings, setting
from kws.labels import class_labels
from kws.model.samples.sample_settings import SampleSettings

DEFAULT_ARCH = "tiny_conv"


@dataclass(frozen=True)
class TrainSettings:
    """All settings of a run. The same settings and data yield the same model."""

    words: tuple[str, ...]
    """The keywords."""

    arch: str = DEFAULT_ARCH
    """Name of an architecture in the zoo, or a Python file."""

    epochs: int = setting(60, 1, 100_000, "Passes over the training clips.")
    batch_size: int = setting(100, 1, 100_000, "Clips per training step.")
    learning_rate: float = setting(
        0.01,
        1e-9,
        10,
        "Adam's highest learning rate. It rises to this over the first tenth of the steps and "
        "falls to 0 as a cosine.",
    )
    ema: float = setting(
        0.05,
        0,
        1,
        "Time constant of the exponential moving average of the weights, as a share of all steps. "
        "0 switches averaging off.",
    )
    smoothing: float = setting(0.0, 0, 0.9, "Share of each label that is spread over all classes.")
    mixup: float = setting(
        0.0,
        0,
        100,
        "Pairs of clips are mixed with weights from Beta(mixup, mixup). 0 mixes none; 0.2 is "
        "usual.",
    )

    teacher: str = ""
    """Fingerprint of the teacher; empty for none."""

    teacher_share: float = setting(
        0.7, 0, 1, "Share of each label that comes from the teacher (--teacher)."
    )

    base_model: str = ""
    """Fingerprint of the base model; empty for none."""

    auxiliary: tuple[str, ...] = ()
    """Words of the second data set that are separate classes during training and are removed from
    the model afterwards. Without them, a model that hears people only as unknown learns that
    people's voices mean unknown. A teacher has to know them, too."""

    frozen: float = setting(
        1.0,
        0,
        1,
        "With --finetune: share of the layers, from the first on, that keep their weights. The "
        "last layer always learns.",
    )
    keep_last_epoch: bool = setting(
        default=False,
        low=None,
        high=None,
        help="Keep the weights of the last epoch instead of the epoch with the lowest validation "
        "loss. For training clips that are much noisier than the validation clips.",
    )
    prior_correction: bool = setting(
        default=False,
        low=None,
        high=None,
        help="Divide the scores by each class's share of the training clips. Without it, an "
        "ambiguous clip gets the more frequent class, usually unknown.",
    )
    false_alarms_per_hour: float = setting(
        1.0,
        0,
        1000,
        "False alarms per hour of talk for which calibration chooses the thresholds after "
        "training.",
    )
    false_alarms_at_words: float = setting(
        6.0,
        0,
        1000,
        "The same for an hour with 180 single words that are not keywords, without talk.",
    )
    seed: int = setting(0, 0, 2**31, "Seed of the first weights and of every random choice.")
    samples: SampleSettings = field(default_factory=SampleSettings)

    @property
    def learned(self) -> tuple[str, ...]:
        """The keywords and the auxiliary words."""
        return *self.words, *self.auxiliary

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes during training; auxiliary words come last."""
        return class_labels(self.learned)

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_settings(self)
