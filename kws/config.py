"""Settings that more than one stage reads, as frozen dataclasses, with TOML in and out.

What the core fixes (sampling rate, window, stride, channels) is read from the core, not repeated.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import tomli_w

from kws import _core
from kws.errors import KwsError

if TYPE_CHECKING:
    from pathlib import Path

SILENCE = "silence"
"""First class of every model: nothing is said."""

UNKNOWN = "unknown"
"""Second class of every model: a word that is none of the keywords."""

T = TypeVar("T")


@dataclass(frozen=True)
class FrontendSettings:
    """What a spectrogram is made with. The values are the core's; a bundle must agree with them."""

    sample_rate: int = _core.SAMPLE_RATE
    """Samples a second."""

    window_samples: int = _core.WINDOW_SAMPLES
    """Samples in a frame's window (30 ms)."""

    stride_samples: int = _core.STRIDE_SAMPLES
    """Samples from one frame to the next (20 ms): one hop."""

    channels: int = _core.CHANNELS
    """int8 values in a frame."""

    frames: int = _core.SPECTROGRAM_FRAMES
    """Frames in the spectrogram that a model sees (1 s)."""


@dataclass(frozen=True)
class RecognizerSettings:
    """How scores over time become commands (TFLM's RecognizeCommands and its defaults)."""

    average_window_ms: int = 1000
    """Scores of the last so many milliseconds are averaged."""

    detection_threshold: int = 200
    """A mean score (0 to 255) has to exceed this."""

    suppression_ms: int = 1500
    """The same word is not reported again for so long."""

    minimum_count: int = 3
    """Fewer results than this in the window report nothing."""

    thresholds: Mapping[str, int] = field(default_factory=dict)
    """A threshold of its own for some labels, in place of `detection_threshold`; 255: never."""

    def __post_init__(self) -> None:
        """Refuse values that the firmware could not hold or that could never report a word."""
        if not isinstance(self.thresholds, Mapping):
            raise KwsError("thresholds has to be a table of labels and numbers")
        for label, threshold in self.thresholds.items():
            if not isinstance(threshold, int) or isinstance(threshold, bool):
                raise KwsError(f"the threshold of {label!r} is no whole number")
            check_range(f"the threshold of {label!r}", threshold, 0, 255)
        check_range("average_window_ms", self.average_window_ms, 1, 10_000)
        check_range("detection_threshold", self.detection_threshold, 0, 254)
        check_range("suppression_ms", self.suppression_ms, 0, 60_000)
        check_range("minimum_count", self.minimum_count, 1, 100)

    def for_core(self, labels: Sequence[str]) -> dict[str, Any]:
        """The settings as keyword arguments of the core's recognizer and pipeline.

        Raises:
            KwsError: a threshold for something that is no label.
        """
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        values["thresholds"] = self.label_thresholds(labels)
        return values

    def label_thresholds(self, labels: Sequence[str]) -> list[int]:
        """The threshold of each label; empty where all have `detection_threshold`.

        Raises:
            KwsError: a threshold for something that is no label.
        """
        for label in self.thresholds:
            if label not in labels:
                raise KwsError(f"a threshold for {label!r}; the labels are {', '.join(labels)}")
        if not self.thresholds:
            return []
        return [self.thresholds.get(label, self.detection_threshold) for label in labels]


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Raise KwsError unless `low <= value <= high`."""
    if not low <= value <= high:
        raise KwsError(f"{name} is {value}; it has to be between {low} and {high}")


def to_dict(settings: Any) -> dict[str, Any]:
    """A dataclass as the plain dict that TOML can hold (None and empty tables are left out)."""
    return {k: v for k, v in dataclasses.asdict(settings).items() if v is not None and v != {}}


def from_dict(kind: type[T], table: dict[str, Any], where: str) -> T:
    """A `kind` from a TOML table.

    Raises:
        KwsError: a key that `kind` does not have, one that is missing, or a value out of range.
    """
    known = {f.name for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    extra = sorted(set(table) - known)
    if extra:
        raise KwsError(
            f"{where}: unknown setting {extra[0]!r}; known are {', '.join(sorted(known))}"
        )
    try:
        return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in table.items()})
    except TypeError as error:
        raise KwsError(f"{where}: {error}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file.

    Raises:
        KwsError: the file is missing, unreadable or not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise KwsError(f"{path}: {reason}") from None


def dump_toml(table: dict[str, Any]) -> str:
    """TOML text of nested dicts."""
    return tomli_w.dumps(table)
