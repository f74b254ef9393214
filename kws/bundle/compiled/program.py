# SPDX-License-Identifier: Apache-2.0
"""A model as a list of kernel calls: the result of the core's AllocateTensors, on the host."""

from __future__ import annotations

from dataclasses import dataclass

from kws import _core
from kws.bundle.checks import open_model
from kws.errors import ModelError

_IN_MODEL = 1 << 31
"""Bit of a reference into the constants instead of the arena. By itself it means no data."""

_ALIGNMENT = 4


@dataclass(frozen=True)
class Call:
    """One call of a kernel."""

    kernel: str
    """Name in C++: a function in `kws::kernels::invoke`."""

    op: str
    """Schema name of the op."""

    references: tuple[int, ...]
    """Byte offsets of the call's tensors: in the arena, or in the constants if the sign bit is set.
    The constants start with the words of the first call."""

    parameters: tuple[int, ...]
    """Further parameters of the kernel, as 32-bit words."""

    once: bool
    """Whether it runs only before the first inference."""

    resets: bool
    """Whether `kws::kernels::reset` must initialize its state before the first inference."""

    @property
    def words(self) -> tuple[int, ...]:
        """Arguments of the kernel: references, then parameters."""
        return self.references + self.parameters


@dataclass(frozen=True)
class Place:
    """A range of the arena, in bytes."""

    offset: int
    bytes: int


@dataclass(frozen=True)
class Program:
    """A model that needs no interpreter."""

    calls: tuple[Call, ...]
    """In execution order."""

    constants: tuple[bytes, ...]
    """Weights and other constants, each aligned to four bytes, after the words of the calls."""

    inputs: tuple[Place, ...]
    outputs: tuple[Place, ...]

    variables_bytes: int
    """Variables at the start of the arena, initially zero."""

    arena_bytes: int

    @property
    def constant_bytes(self) -> int:
        """Flash of everything except code."""
        return sum(4 * len(call.words) for call in self.calls) + sum(map(len, self.constants))

    def __str__(self) -> str:
        """The memory use, for users."""
        return (
            f"{len(self.calls)} calls, {self.constant_bytes:,} bytes of constants, "
            f"arena {self.arena_bytes:,} bytes"
        )


def compile_model(model: bytes) -> Program:
    """The program of a .tflite model.

    Raises:
        ModelError: the core cannot run the model.
    """
    interpreter = open_model(model)
    kernels = {name.split()[0]: name for name in interpreter.kernels}
    try:
        plan = _core.Compiled(model)
    except _core.CoreError as error:
        raise ModelError(str(error)) from None
    places, constants = _lay_out(model, plan)
    calls = tuple(
        Call(
            _core.KERNELS[kernels.get(step.op, step.op)],
            step.op,
            tuple(_moved(reference, places) for reference in step.references),
            tuple(step.parameters),
            step.once,
            step.resets,
        )
        for step in plan.steps
    )
    return Program(
        calls,
        constants,
        tuple(Place(*place) for place in plan.inputs),
        tuple(Place(*place) for place in plan.outputs),
        plan.variables_bytes,
        plan.arena_bytes,
    )


def _lay_out(model: bytes, plan: _core.Compiled) -> tuple[dict[int, int], tuple[bytes, ...]]:
    """Offset of each constant that a call reads, by position in the model; equal ones share one."""
    end = 4 * sum(len(step.references) + len(step.parameters) for step in plan.steps)
    known: dict[bytes, int] = {}
    places: dict[int, int] = {}
    for step in plan.steps:
        for reference in step.references:
            position = reference & ~_IN_MODEL & 0xFFFFFFFF
            if reference >= 0 or position == 0 or position in places:
                continue
            content = model[position : position + plan.constants[position]]
            if content not in known:
                known[content] = end
                end += -(-len(content) // _ALIGNMENT) * _ALIGNMENT
            places[position] = known[content]
    return places, tuple(known)


def _moved(reference: int, places: dict[int, int]) -> int:
    """A reference with offsets of constants from `_lay_out`, as an unsigned word."""
    position = reference & ~_IN_MODEL & 0xFFFFFFFF
    if reference >= 0 or position == 0:
        return reference & 0xFFFFFFFF
    return places[position] | _IN_MODEL
