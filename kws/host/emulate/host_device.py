# SPDX-License-Identifier: Apache-2.0
"""The host as a device: the core's own pipeline hears clips and writes what firmware would."""

from __future__ import annotations

from kws import _core
from kws.bundle.bundle import Bundle
from kws.errors import ModelError
from kws.host.emulate.padding import Pcm
from kws.host.serial.lines import Serial, parse


def play(bundle: Bundle, pcm: Pcm) -> Serial:
    """What a device with `bundle` would write while it hears `pcm` (16 kHz, from a fresh start).

    Raises:
        ModelError: the core refuses the model, or met a fault.
    """
    try:
        pipeline = bundle.pipeline()
        return parse(pipeline.boot + pipeline.feed(pcm))
    except _core.CoreError as error:
        raise ModelError(f"bundle {bundle.path or bundle.name}: {error}") from None
