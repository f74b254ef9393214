"""Random models of one op with inputs, for the oracles and for the emulated board."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kws.host.emulate.inference import Job


@dataclass(frozen=True)
class Case:
    """A model and the inputs of each call."""

    model: bytes
    calls: list[list[NDArray[Any]]]
    litert: bool = True
    """Whether LiteRT has the same rules as TFLM."""

    @property
    def job(self) -> Job:
        """The job for a board."""
        return Job(self.model, tuple(np.stack(values) for values in zip(*self.calls, strict=True)))


class Property(NamedTuple):
    """A strategy for cases, and their number."""

    cases: st.SearchStrategy[Case]
    examples: int

    def each(self, use: Callable[[Case], object]) -> None:
        """Call `use` with every drawn case."""

        @settings(max_examples=self.examples)
        @given(self.cases)
        def run(case: Case) -> None:
            use(case)

        run()
