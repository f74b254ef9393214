"""Property-test cases are bit-identical on the host and on the emulated board with DSP."""

from __future__ import annotations

import pytest

from kws.host.emulate.inference import Job
from tests.runtime.board.same_bits import assert_same_bits
from tests.runtime.ops.cases import Case, Property
from tests.runtime.ops.elementwise_cases import (
    ELEMENTWISE,
    every_product,
    every_sum,
    long_windows,
)
from tests.runtime.ops.filter_cases import FILTERS
from tests.runtime.ops.typed_cases import TYPED

FURTHER = [
    *(every_sum("ADD", *it) for it in [(1.0, 1), (0.3, 2.0**18.6), (0.999, 0.01), (2.0**-19, 3)]),
    *(every_product(gain) for gain in (2.0**14, 0.7, 2.0**-16)),
    *long_windows(),
]


@pytest.mark.usefixtures("board_tools")
@pytest.mark.parametrize(
    ("properties", "further"),
    [(ELEMENTWISE, FURTHER), (FILTERS, []), (TYPED, [])],
    ids=["elementwise", "filters", "typed"],
)
def test_the_board_is_bit_identical_to_the_host(
    properties: dict[str, Property], further: list[Case]
) -> None:
    jobs: list[Job] = [case.job for case in further]
    for drawn in properties.values():
        drawn.each(lambda case: jobs.append(case.job))
    assert len(jobs) >= 0.8 * sum(drawn.examples for drawn in properties.values())
    assert_same_bits(jobs)
