# SPDX-License-Identifier: Apache-2.0
"""The cycles of one model on a Cortex-M4, estimated once and then kept.

A short run of `kws bench`: without the instructions and the single ops.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import asdict, dataclass

from kws.files import atomic_write
from kws.host.build.firmware import build_tool
from kws.host.build.firmware_cache import build_key, without_options
from kws.host.build.programs import QEMU, cache_folder, find_tool
from kws.host.emulate.qemu import Qemu
from kws.host.measure.cycle_count import ALLOCATION, HOP, INFERENCE, NOTHING, part_cycles

BOARD, TOOL = "qemu", "bench"

_MAGIC = 0x4253574B  # as tools/bench.cc has it
_MODEL_OFFSET = 16


@dataclass(frozen=True)
class ModelCycles:
    """Estimated cycles, without wait states of the flash."""

    inference: int

    frame: int
    """Of the frontend a frame, the worst of many levels of noise."""

    allocation: int
    """Of planning the model's tensors into the arena."""


def bench_image(model: bytes) -> bytes:
    """What the benchmark finds in the emulated board's memory."""
    return struct.pack("<2I", _MAGIC, len(model)).ljust(_MODEL_OFFSET, b"\0") + model


def estimate_cycles(model: bytes) -> ModelCycles:
    """The cycles of a .tflite file, from the cache if it has them.

    Raises:
        ToolError: compiler or emulator are missing or failed.
        BoardError: the emulated board cannot run the model.
        KwsError: the cache cannot be written.
    """
    find_tool(QEMU)
    with without_options():
        key = build_key(f"{BOARD}_{TOOL}", None)
        digest = hashlib.sha256(key.encode() + model).hexdigest()[:24]
        file = cache_folder() / "cycles" / f"{digest}.json"
        if file.is_file():
            return ModelCycles(**json.loads(file.read_text(encoding="utf-8")))
        elf = build_tool(BOARD, TOOL).elf
    cycles = {ALLOCATION: 0, HOP: 0, NOTHING: 0}
    with Qemu() as emulator:
        for part, spent in part_cycles(emulator.trace(elf, bench_image(model), timeout_s=600)):
            cycles[part] = max(spent, cycles.get(part, 0))
            if part == INFERENCE:
                break
    estimate = ModelCycles(
        inference=cycles[INFERENCE] - cycles[NOTHING],
        frame=cycles[HOP] - cycles[NOTHING],
        allocation=cycles[ALLOCATION] - cycles[NOTHING],
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(file, json.dumps(asdict(estimate)).encode())
    return estimate
