# SPDX-License-Identifier: Apache-2.0
"""Estimates whether a board keeps up with a bundle, and how many samples have to be queued.

The estimate is made before the firmware is built, from the cycles of the model and the frontend
(`cycle_estimate`), the cycles of the board's drivers, and the board's clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.errors import BoardError, ToolError
from kws.features.frontend_settings import HOP, HOP_MS
from kws.host.build.boards import Board
from kws.host.build.firmware_cache import chosen_options
from kws.host.build.ring import DEFAULT_HOPS
from kws.host.measure.cycle_estimate import ModelCycles, estimate_cycles

LONGEST_MS = 320
"""Longest proposed interval between inferences: the recognizer needs several scores per second."""

RESERVE = 1.25
"""Factor by which an inference may exceed its estimate, which excludes wait states."""

QUEUED_HOPS = 32
"""Hops that may wait as features while a second look runs, as in kws/firmware/src/app/main.cc."""

CONSOLE_MS = 100
"""Longest time that a typed command may block the main loop: erasing a page of the nRF52840's flash
takes 90 ms, then a record is written (boards/nrf52840/settings_flash.cc)."""

BLOCK_MS = 20
"""Sound that one interrupt of a microphone delivers."""


@dataclass(frozen=True)
class Load:
    """Share of a board's time that one bundle uses if no inference is skipped."""

    bundle: str
    """The bundle's name."""

    inference_ms: float
    every_ms: int
    """Interval between inferences."""

    share: float
    """Share of the board's time, including frontend and drivers; 1 is full load."""

    clock_mhz: float
    look_ms: float = 0.0
    """Time of a second look, with restoring the first model; 0 without one."""


@dataclass(frozen=True)
class Schedule:
    """The load of a device's bundles, and how many samples may be queued."""

    ring_hops: int = DEFAULT_HOPS
    """Hops of 20 ms that the ring of samples holds."""

    loads: tuple[Load, ...] = ()
    """One per bundle; empty if unknown."""

    unknown: str = ""
    """Why the loads of a board with a clock are unknown; else empty."""

    @property
    def ring_ms(self) -> int:
        """Milliseconds of sound that may be queued."""
        return self.ring_hops * HOP_MS


def schedule(board: Board, device: Device) -> Schedule:
    """Estimate the load of `device` on a board, and size the ring.

    A gate saves power, not time: a loud room needs every inference.

    Raises:
        BoardError: the board cannot keep up; the message says what to change.
    """
    clock = clock_of(board)
    if clock is None:  # its time stands still while it computes
        return Schedule()
    bundles = device.parts
    try:
        cycles = [estimate_cycles(each.model, board.core) for each in bundles]
        looks = [_look_cycles(board, each) for each in bundles]
    except (ToolError, BoardError) as error:
        return Schedule(unknown=str(error))
    parts = list(zip(bundles, cycles, looks, strict=True))
    loads = tuple(_load(board, clock, *part) for part in parts)
    for load, (each, spent, _) in zip(loads, parts, strict=True):
        _refuse_overload(board, load, each, spent)
    busy = max(_longest_step(board, *part) for part in parts)
    if device.commands is not None and not device.compiled:
        # The hop that switches to the other bundle also plans its model.
        busy += max(spent.allocation for spent in cycles)
    waits_ms = RESERVE * 1000 * busy / clock + CONSOLE_MS + BLOCK_MS
    behind_ms = RESERVE * 1000 * max(_behind(board, clock, *part) for part in parts) / clock
    # What the features' queue cannot take waits as samples.
    unqueued = max(0, math.ceil(behind_ms / HOP_MS) - QUEUED_HOPS)
    return Schedule(math.ceil(waits_ms / HOP_MS) + unqueued, loads)


def estimate_load(board: Board, bundle: Bundle) -> Load | None:
    """The load of `bundle` on a board, even if it is above 1.

    None for a board whose time stands still while it computes.

    Raises:
        ToolError: the compiler or the emulator is missing or failed.
        BoardError: the emulated board cannot run the model.
    """
    clock = clock_of(board)
    if clock is None:
        return None
    cycles = estimate_cycles(bundle.model, board.core)
    return _load(board, clock, bundle, cycles, _look_cycles(board, bundle))


def clock_of(board: Board) -> int | None:
    """Cycles per second of a board's processor with the chosen options; None: it has no clock."""
    clocks = [board.option_clocks[name] for name in chosen_options() if name in board.option_clocks]
    return clocks[-1] if clocks else board.clock


def _look_cycles(board: Board, bundle: Bundle) -> ModelCycles | None:
    """Cycles of the second model; None without one."""
    return estimate_cycles(bundle.second_look.model, board.core) if bundle.second_look else None


def _planning(bundle: Bundle, cycles: ModelCycles) -> int:
    """Cycles of planning an interpreted model's tensors after a look in the same arena."""
    return 0 if bundle.compiled or bundle.streams else cycles.allocation


def _whole_look(bundle: Bundle, look: ModelCycles | None) -> int:
    """Cycles until a second look confirms a keyword; 0 without one."""
    if bundle.second_look is None or look is None:
        return 0
    return look.inference * bundle.second_look.windows


def _longest_step(
    board: Board, bundle: Bundle, cycles: ModelCycles, look: ModelCycles | None
) -> int:
    """Cycles for which samples wait: an inference, or a step of a second look."""
    steps = [cycles.inference]
    if look is not None:
        steps += [look.longest_op, _planning(bundle, cycles)]
    return max(steps) + _hop_cycles(board, bundle, cycles)


def _behind(
    board: Board, clock: int, bundle: Bundle, cycles: ModelCycles, look: ModelCycles | None
) -> float:
    """Cycles for which features wait: looks at one proposal, one after the other."""
    if bundle.second_look is None or look is None:
        return 0
    settings = bundle.second_look.settings
    hops = settings.every * bundle.every_ms / HOP_MS
    # The first model's tensors are planned again at its next inference.
    whole = _whole_look(bundle, look) + _planning(bundle, cycles)
    work = whole + settings.every * cycles.inference + hops * _hop_cycles(board, bundle, cycles)
    behind = max(0.0, work - settings.every * bundle.every_ms * clock / 1000)
    return cycles.inference + whole + (settings.looks - 1) * behind


def _load(
    board: Board, clock: int, bundle: Bundle, cycles: ModelCycles, look: ModelCycles | None
) -> Load:
    """The load of a bundle on a board."""
    in_hop = clock * HOP_MS // 1000
    rest = in_hop - _hop_cycles(board, bundle, cycles)
    hops = bundle.stride / _frames_a_hop(bundle)
    return Load(
        bundle.name,
        inference_ms=1000 * cycles.inference / clock,
        every_ms=bundle.every_ms,
        share=1 - (rest - cycles.inference / hops) / in_hop,
        clock_mhz=clock / 1e6,
        look_ms=1000 * _whole_look(bundle, look) / clock,
    )


def _refuse_overload(board: Board, load: Load, bundle: Bundle, cycles: ModelCycles) -> None:
    """Check that a board keeps up with a bundle.

    Raises:
        BoardError: it does not; the message says what to change.
    """
    if load.share > 1:
        in_hop = round(load.clock_mhz * 1000) * HOP_MS
        rest = in_hop - _hop_cycles(board, bundle, cycles)
        needed = math.inf if rest <= 0 else cycles.inference / rest  # hops
        raise BoardError(
            f"{board.name} does not keep up with {bundle.name}: an inference runs every "
            f"{load.every_ms} ms and takes about {load.inference_ms:.0f} ms at "
            f"{load.clock_mhz:g} MHz; {_cure(bundle, needed)}"
        )


def _cure(bundle: Bundle, hops: float) -> str:
    """Advice for a bundle; `hops` is the time that an inference needs."""
    smaller = "use a smaller model (kws models lists their cycles)"
    if hops * HOP_MS > LONGEST_MS:
        return f"no interval up to {LONGEST_MS} ms is long enough: {smaller}"
    stride = math.ceil(hops * _frames_a_hop(bundle))
    if bundle.input_frames < bundle.frontend.frames:
        return (
            f"the interval of a streaming model is fixed: {smaller}, or make an incremental model "
            f"with --stride {stride} or more"
        )
    every_ms = stride * HOP_MS // _frames_a_hop(bundle)
    place = bundle.path or bundle.name
    return f"run it every {every_ms} ms: kws set {place} --stride {stride} --out NEW"


def _hop_cycles(board: Board, bundle: Bundle, cycles: ModelCycles) -> int:
    """Cycles of a hop without an inference."""
    return _frames_a_hop(bundle) * cycles.frame + board.driver_cycles


def _frames_a_hop(bundle: Bundle) -> int:
    return HOP // bundle.frontend.stride_samples
