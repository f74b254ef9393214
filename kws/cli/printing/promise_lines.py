# SPDX-License-Identifier: Apache-2.0
"""What people may expect of a wake word, as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kws.model.wake.promise import Promise


def print_promise(promise: Promise) -> None:
    """Print what people may expect of a bundle that synthetic voices made."""
    from kws.model.evaluate.kind_metrics import TITLES

    misses = ", ".join(
        f"{TITLES[kind]} {100 * low:.0f} to {100 * high:.0f} %"
        for kind, (_, low, high) in promise.misses.items()
    )
    print(f"people may be missed so often: {misses}")
    if promise.most_false_alarms is not None:
        print(f"false alarms: up to {promise.most_false_alarms:.1f} per hour of talk like this")
    print(
        f"these 95 % bounds take {promise.voices} voices of {promise.engine} for people; "
        "training heard nothing of this engine"
    )
