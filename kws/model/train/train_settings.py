# SPDX-License-Identifier: Apache-2.0
"""Settings of a training run.

A setting is declared once, here, in `SampleSettings` or in `Augmentation`. Its range check, the
command line, the bundle's metrics and the table in docs/training.md come from the declaration.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kws.config import check_settings, setting
from kws.model.samples.sample_settings import SampleSettings

DEFAULT_ARCH = "tiny_conv"


@dataclass(frozen=True)
class TrainSettings:
    """Everything that decides which model a data set gives."""

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
        "Length of the running average of the weights, as a share of all steps. 0 uses the "
        "weights as they are.",
    )
    smoothing: float = setting(0.0, 0, 0.9, "Share of each label that is spread over all classes.")
    mixup: float = setting(
        0.0,
        0,
        100,
        "Clips are mixed in pairs, in shares drawn from Beta(mixup, mixup). 0 mixes none; 0.2 is "
        "usual.",
    )

    teacher: str = ""
    """Fingerprint of the model to learn from; empty for none."""

    teacher_share: float = setting(
        0.7, 0, 1, "Share of each label that comes from the teacher, if there is one."
    )

    base_model: str = ""
    """Fingerprint of the model whose layers this one starts with; empty for none."""

    auxiliary: tuple[str, ...] = ()
    """Words of the second data set that are learned as classes of their own and leave the model
    when training ends. A model that knows people as unknown only takes their voices for a sign of
    it. A teacher has to know them, too."""

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
        help="Keep the weights of the last epoch, not those of the lowest validation loss. This "
        "suits training clips that are much noisier than the validation clips.",
    )
    prior_correction: bool = setting(
        default=False,
        low=None,
        high=None,
        help="Take out of the scores how often training drew each class. Without it, a clip that "
        "is as much like a keyword as like unknown is called unknown, of which there is more.",
    )
    false_alarms_per_hour: float = setting(
        1.0,
        0,
        1000,
        "False alarms per hour of talk for which the recognizer's thresholds are chosen when the "
        "training ends.",
    )
    false_alarms_at_words: float = setting(
        6.0,
        0,
        1000,
        "The same for an hour without talk, with 180 single words that are no keywords.",
    )
    seed: int = setting(0, 0, 2**31, "Seed of the first weights and of every random choice.")
    samples: SampleSettings = field(default_factory=SampleSettings)

    def __post_init__(self) -> None:
        """Refuse values out of range."""
        check_settings(self)
