# SPDX-License-Identifier: Apache-2.0
"""A model as a list of kernel calls: what the core's AllocateTensors computes, on the host."""

from __future__ import annotations

from dataclasses import dataclass

from kws import _core
from kws.bundle.checks import open_model
from kws.errors import ModelError

_IN_MODEL = 1 << 31
"""Of a reference: it counts from the constants, not from the arena. Alone it means no data."""

_ALIGNMENT = 4


@dataclass(frozen=True)
class Call:
    """One call of a kernel."""

    kernel: str
    """Its name in C++: a function of `kws::kernels::invoke`."""

    op: str
    """The schema's name of the op."""

    references: tuple[int, ...]
    """Where the call's tensors lie: bytes into the arena, or into the constants with the sign bit
    set. The first call's words lie at 0 there."""

    parameters: tuple[int, ...]
    """Further parameters of the kernel, as 32-bit words."""

    once: bool
    """It runs before the first inference only."""

    resets: bool
    """Before the first inference `kws::kernels::reset` gives what it keeps a first value."""

    @property
    def words(self) -> tuple[int, ...]:
        """References, then parameters: what a kernel is called with."""
        return self.references + self.parameters


@dataclass(frozen=True)
class Place:
    """Bytes of the arena."""

    offset: int
    bytes: int


@dataclass(frozen=True)
class Program:
    """A model that needs no interpreter."""

    calls: tuple[Call, ...]
    """In the order in which they run."""

    constants: tuple[bytes, ...]
    """Weights and the like, each on a multiple of four bytes after the calls' words."""

    inputs: tuple[Place, ...]
    outputs: tuple[Place, ...]

    variables_bytes: int
    """At the arena's start; they begin as zeros."""

    arena_bytes: int

    @property
    def constant_bytes(self) -> int:
        """Flash of all that is not code."""
        return sum(4 * len(call.words) for call in self.calls) + sum(map(len, self.constants))

    def __str__(self) -> str:
        """What it takes, for people."""
        return (
            f"{len(self.calls)} calls, {self.constant_bytes:,} bytes of constants, "
            f"arena {self.arena_bytes:,} bytes"
        )


def compile_model(model: bytes) -> Program:
    """The program of a .tflite model's bytes.

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
    """Where each constant that a call reads lies, by its position in the model; equal ones once."""
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
    """A reference with the constants where `_lay_out` put them, as an unsigned word."""
    position = reference & ~_IN_MODEL & 0xFFFFFFFF
    if reference >= 0 or position == 0:
        return reference & 0xFFFFFFFF
    return places[position] | _IN_MODEL
