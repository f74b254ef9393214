# SPDX-License-Identifier: Apache-2.0
"""Changes a bundle's settings and rewrites it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.checks import check_name
from kws.bundle.device import Device
from kws.bundle.reading import load_renewed
from kws.bundle.recognizer_settings import RecognizerSettings
from kws.bundle.writing import write_bundle


@dataclass(frozen=True)
class Changes:
    """Settings to change in a bundle; None keeps the value, or the default in a new bundle."""

    name: str | None = None
    about: str | None = None
    inference_stride: int | None = None
    """With a second look, its stride."""

    average_window_ms: int | None = None
    detection_threshold: int | None = None
    """For all labels; thresholds of individual labels are removed. With a second look, its
    thresholds."""

    suppression_ms: int | None = None
    minimum_count: int | None = None
    report_unknown: bool | None = None
    compiled: bool | None = None
    gate_db: float | None = None
    verified_by: Bundle | None = None
    """A bundle whose model becomes the second look."""

    no_verify: bool = False
    """Remove the second look."""

    def apply(self, bundle: Bundle) -> Bundle:
        """The bundle with these changes, checked again.

        Raises:
            UsageError: an invalid name.
            KwsError: settings out of range.
            ModelError: settings that contradict each other.
        """
        if self.no_verify:
            bundle = bundle.without_second_look()
        new = {key: value for key, value in vars(self).items() if value is not None}
        del new["no_verify"]
        new.pop("verified_by", None)
        new["data"] = new.pop("about", bundle.data)
        if self.verified_by:
            bundle = bundle.verified_by(self.verified_by)
        if bundle.second_look:
            bundle = bundle.looking(
                new.pop("inference_stride", None), new.pop("detection_threshold", None)
            )
        fields = {f.name for f in dataclasses.fields(RecognizerSettings)}
        recognizer = {key: new.pop(key) for key in fields & set(new)}
        if "detection_threshold" in recognizer:
            recognizer["thresholds"] = {}  # the one threshold is for all labels
        changed = replace(bundle, **new, recognizer=replace(bundle.recognizer, **recognizer))
        check_name(changed.name)
        Device(changed).pipeline()
        return changed


def change_bundle(folder: Path, out: Path, changes: Changes | None = None) -> Bundle:
    """Rewrite a bundle with changes, and derive all other parts again with this version of kws.

    Raises:
        BundleError: `folder` is not a bundle, or its model or settings are damaged.
        UsageError: a name that does not fit, or `out` has files other than a bundle.
        KwsError: settings out of range, or it could not be written.
    """
    return write_bundle((changes or Changes()).apply(load_renewed(folder)), out)
