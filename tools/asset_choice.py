# SPDX-License-Identifier: Apache-2.0
"""Which of several runs becomes a bundle of kws."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kws.bundle.bundle import Bundle
from kws.host.emulate.matrix import HOST, play_all
from kws.host.emulate.recordings import default_matrix, load_matrix

GATES_DB = {"yes_no": 0.8, "ten_words": 0.8}
"""In a quiet room these rest. `tiny` costs little, and shows what a device does all the time."""


def best(bundles: Iterable[Bundle], asset: str) -> Bundle:
    """The run with the lowest cost, as the asset of this name: with its gate."""
    chosen = min(bundles, key=cost)
    gate_db = GATES_DB.get(asset, 0.0)
    return replace(chosen, recognizer=replace(chosen.recognizer, gate_db=gate_db))


def cost(bundle: Bundle) -> tuple[int, float]:
    """How many of `kws test`'s recordings are wrong, and the share of validation words missed.

    Boards are tested with these recordings, which are of yes and no. For other words it is 0.
    """
    wrong = 0
    if bundle.keywords == ("yes", "no"):
        recordings = load_matrix(default_matrix(), bundle.labels)
        results = play_all(HOST, bundle, recordings)
        wrong = sum(not row.ok for result in results for row in result.rows)
    return wrong, bundle.metrics["calibration"]["miss_share"]
