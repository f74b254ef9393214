# SPDX-License-Identifier: Apache-2.0
"""The model card agrees with the bundle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.card import model_card
from kws.bundle.making import make_bundle
from tests.small_models import LABELS, dense_model


def test_the_built_in_card_is_current(bundle: Bundle) -> None:
    assert (default_bundle_path() / "README.md").read_text(encoding="utf-8") == model_card(bundle)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"snr_db": 0.0, "snr_range_db": 12.0}, "with noise at 0 to 12 dB"),
        ({"snr_db": -5.0, "snr_range_db": 30.0}, "with noise at -5 to 25 dB"),
        ({"shift_ms": 100}, "moved by up to 100 ms"),
        ({"room": 0.5}, "50% in a room"),
    ],
)
def test_training_is_described_as_it_was(
    bundle: Bundle, settings: dict[str, Any], said: str
) -> None:
    training = bundle.metrics["training"]
    samples = training["samples"]
    augmentation = {**samples["augmentation"], **settings}
    changed = {**training, "samples": {**samples, "augmentation": augmentation}}
    card = model_card(replace(bundle, metrics={**bundle.metrics, "training": changed}))
    assert said in card


@pytest.mark.parametrize(
    ("epochs", "said"), [(1, "1 epoch in batches"), (30, "30 epochs (best: 7)")]
)
def test_epochs_are_counted_in_plain_english(bundle: Bundle, epochs: int, said: str) -> None:
    training = {**bundle.metrics["training"], "epochs": epochs, "best_epoch": min(epochs, 7)}
    card = model_card(replace(bundle, metrics={**bundle.metrics, "training": training}))
    assert said in card


def test_a_model_of_unknown_origin_has_a_short_card() -> None:
    card = model_card(make_bundle(dense_model(), LABELS, name="theirs"))
    assert card.startswith("# theirs\n\nHears *yes*, *no*.")
    assert "##" not in card
