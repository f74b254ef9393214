"""How fast the core is on this machine: one core, real work, wall-clock time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kws import _core


@dataclass(frozen=True)
class HostFigures:
    """Throughput of the core on one core of this machine."""

    clips_per_second: float
    """One-second clips (49 frames) through the frontend."""

    inferences_per_second: float
    """Runs of the model."""


def bench_host(model: bytes, seconds: float = 1.0) -> HostFigures:
    """Measure the frontend and `model` for about `seconds` each.

    The clips are noise of many levels: what the frontend computes does not depend on them, but
    zeros could be quicker than sound.
    """
    rng = np.random.default_rng(0)
    levels = 10 ** rng.uniform(0, 4, (256, 1))
    clips = (rng.standard_normal((256, _core.SAMPLE_RATE)) * levels).clip(-32768, 32767)
    pcm = clips.astype(np.int16)
    interpreter = _core.Interpreter(model)
    rows = _core.features(pcm).reshape(256, *interpreter.inputs[0].shape)
    return HostFigures(
        clips_per_second=256 * _per_second(lambda: _core.features(pcm, threads=1), seconds),
        inferences_per_second=256
        * _per_second(lambda: interpreter.invoke_batch(rows, threads=1), seconds),
    )


def _per_second(work: Callable[[], object], seconds: float) -> float:
    work()  # caches warm
    calls = 0
    start = time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        work()
        calls += 1
    return calls / elapsed
