"""Ops with filters, element-wise ops, pooling and reductions against the oracles."""

from __future__ import annotations

import pytest

from tests.runtime.ops.cases import Case, Property
from tests.runtime.ops.elementwise_cases import (
    ELEMENTWISE,
    every_product,
    every_sum,
    long_windows,
    unary,
)
from tests.runtime.ops.filter_cases import FILTERS
from tests.runtime.ops.typed_cases import TYPED
from tests.runtime.oracles import assert_same

PROPERTIES = ELEMENTWISE | FILTERS | TYPED


def check(case: Case) -> None:
    assert_same(case.model, case.calls, litert=case.litert)


@pytest.mark.parametrize("drawn", PROPERTIES.values(), ids=PROPERTIES)
def test_results_are_bit_identical_to_the_oracles(drawn: Property) -> None:
    drawn.each(check)


def test_the_factor_of_leaky_relu_is_computed_in_double() -> None:
    """In float it would be slightly more than alpha, and a half would round the other way."""
    ends = (0.004559122957289219, 0)
    check(unary("LEAKY_RELU", ends, ends, seed=0, alpha=0.98046875, litert=False))


@pytest.mark.parametrize("name", ["ADD", "SUB"])
@pytest.mark.parametrize("ratio", [1.0, 0.999, 0.3, 1e-3, 2.0**-19, 1e-8, 1e-12])
@pytest.mark.parametrize("gain", [2.0**18.6, 2.0**17, 3.0, 1.0, 0.01, 1e-7])
def test_sums_of_every_pair_of_values(name: str, ratio: float, gain: float) -> None:
    """Scales that differ widely, up to a factor to the output without a shift."""
    check(every_sum(name, ratio, gain))


@pytest.mark.parametrize("gain", [2.0**14, 300.0, 1.0, 0.7, 0.01, 2.0**-16, 2.0**-25, 2.0**-40])
def test_products_of_every_pair_of_values(gain: float) -> None:
    check(every_product(gain))


def test_long_windows() -> None:
    for case in long_windows():
        check(case)
