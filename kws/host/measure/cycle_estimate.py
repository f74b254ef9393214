# SPDX-License-Identifier: Apache-2.0
"""Estimates the cycles of a model on a board's processor and caches them.

This is a short form of `kws bench`, without instruction counts or costs per op.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import asdict, dataclass, fields

import numpy as np
import numpy.typing as npt

from kws.bundle.checks import open_model
from kws.errors import BoardError
from kws.features.frontend_settings import HOP
from kws.files import atomic_write
from kws.host.build.firmware import build_tool
from kws.host.build.firmware_cache import build_key, without_options
from kws.host.build.programs import QEMU, cache_folder, find_tool
from kws.host.emulate.cores import CoreEmulator
from kws.host.emulate.inference import FRONTEND, Job
from kws.host.emulate.qemu import Qemu
from kws.host.measure import cortex_m0plus
from kws.host.measure.cycle_count import (
    ALLOCATION,
    HOP_PART,
    INFERENCE,
    NOTHING,
    OP,
    part_costs,
    part_cycles,
)

BOARD, TOOL = "qemu", "bench"

M0PLUS = "cortex-m0"
"""The processor in `cores.CORES` that runs the Cortex-M0+'s code."""

NO_ROOM = "the model did not run; it may need more than 3 MB of arena"
"""Error if the traced program made no inference."""

_HOPS = 65
_MAGIC = 0x4253574B  # as in tools/bench.cc
_MODEL_OFFSET = 16


@dataclass(frozen=True)
class ModelCycles:
    """Estimated cycles, without flash wait states."""

    inference: int

    frame: int
    """Frontend cycles per frame: maximum over noise of many levels."""

    allocation: int
    """Cycles for planning the model's tensors in the arena."""

    longest_op: int
    """Cycles of the longest op; where ops are not counted, of the inference."""


def bench_image(model: bytes) -> bytes:
    """The benchmark's input in the emulated board's memory."""
    return struct.pack("<2I", _MAGIC, len(model)).ljust(_MODEL_OFFSET, b"\0") + model


def estimate_cycles(model: bytes, core: str) -> ModelCycles:
    """Estimate the cycles of a .tflite file, or read them from the cache.

    Args:
        model: the file.
        core: the processor, one of ESTIMATES.

    Raises:
        ToolError: the compiler or the emulator is missing or failed.
        BoardError: the emulated board cannot run the model.
        KwsError: the cache cannot be written.
    """
    find_tool(QEMU)
    with without_options():
        key = build_key(f"{BOARD}_{TOOL}", None)
        content = f"{key} {core} {[field.name for field in fields(ModelCycles)]}"
        digest = hashlib.sha256(content.encode() + model).hexdigest()[:24]
        file = cache_folder() / "cycles" / f"{digest}.json"
        if file.is_file():
            return ModelCycles(**json.loads(file.read_text(encoding="utf-8")))
        estimate = ESTIMATES[core](model)
    file.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(file, json.dumps(asdict(estimate)).encode())
    return estimate


def _on_m4(model: bytes) -> ModelCycles:
    elf = build_tool(BOARD, TOOL).elf
    cycles = {ALLOCATION: 0, HOP_PART: 0, NOTHING: 0, OP: 0}
    with Qemu() as emulator:
        for part, spent in part_cycles(emulator.trace(elf, bench_image(model), timeout_s=600)):
            cycles[part] = max(spent, cycles.get(part, 0))
    return ModelCycles(
        inference=cycles[INFERENCE] - cycles[NOTHING],
        frame=cycles[HOP_PART] - cycles[NOTHING],
        allocation=cycles[ALLOCATION] - cycles[NOTHING],
        longest_op=cycles[OP] - cycles[NOTHING],
    )


def _on_m0plus(model: bytes) -> ModelCycles:
    cycles = {ALLOCATION: 0, HOP_PART: 0, INFERENCE: 0}
    with CoreEmulator(M0PLUS) as emulator:
        for job in (Job(FRONTEND, (noise(),)), Job(model, random_rows(model))):
            for part, (spent,) in part_costs(emulator.trace(job), (cortex_m0plus.block_cycles,)):
                cycles[part] = max(spent, cycles[part])
    if not cycles[INFERENCE]:
        raise BoardError(NO_ROOM)
    inference = cycles[INFERENCE]
    return ModelCycles(inference, cycles[HOP_PART], cycles[ALLOCATION], longest_op=inference)


ESTIMATES = {"cortex-m4": _on_m4, "cortex-m0plus": _on_m0plus}
"""By processor, as in gcc's -mcpu."""


def noise() -> npt.NDArray[np.int16]:
    """Noise of many levels, the frontend's input for measurements, shape (_HOPS, HOP)."""
    rng = np.random.default_rng(0)
    levels = 10 ** rng.uniform(0, 4, (_HOPS, 1))
    samples = rng.standard_normal((_HOPS, HOP)) * levels
    return samples.clip(-32768, 32767).astype(np.int16)


def random_rows(model: bytes) -> tuple[npt.NDArray[np.generic], ...]:
    """An input of random bytes for each of the model's inputs, one row."""
    rng = np.random.default_rng(0)
    return tuple(
        rng.integers(0, 256, (1, int(np.prod(info.shape)) * np.dtype(info.dtype).itemsize))
        .astype(np.uint8)
        .view(info.dtype)
        for info in open_model(model).inputs
    )
