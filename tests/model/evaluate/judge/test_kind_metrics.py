# SPDX-License-Identifier: Apache-2.0
"""Metrics by kind of stream."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kws.bundle.making import make_bundle
from kws.model.evaluate.judge.kind_metrics import (
    KindMetrics,
    count_kind_runs,
    measure_kinds,
    miss_range,
    rate_range,
    rate_text,
)
from kws.model.evaluate.score.streams import Kind
from kws.model.evaluate.score.traces import Trace
from tests.model.evaluate.judge.scored_traces import SETTINGS, said, scored
from tests.small_models import LABELS, dense_model


def measured(*traces: Trace) -> dict[Kind, KindMetrics]:
    bundle = make_bundle(dense_model(), LABELS, name="m", recognizer=SETTINGS)
    calls: list[int] = []
    results = measure_kinds(bundle, traces, (), calls.append)
    assert sum(calls) == count_kind_runs(traces)
    return {result.kind: result for result in results}


def test_each_kind_has_its_own_figures_in_the_order_of_the_table() -> None:
    wake = [(5300, "yes", 255)]
    results = measured(
        replace(scored([], wake), kind=Kind.OTHER_WORDS),
        replace(scored([], wake), kind=Kind.TALK, source="radio"),
        replace(scored([said("yes", 5000)], wake), kind=Kind.NOISE),
        replace(scored([said("yes", 5000)], []), kind=Kind.QUIET),
        replace(scored([], []), kind=Kind.TALK, source="books"),
        replace(scored([], [*wake, (9000, "no", 255)]), kind=Kind.TALK, source="radio"),
    )
    assert list(results) == [Kind.QUIET, Kind.NOISE, Kind.TALK, Kind.OTHER_WORDS]
    assert results[Kind.QUIET].metrics.miss_share == 1
    assert results[Kind.NOISE].metrics.miss_share == 0
    talk = results[Kind.TALK]
    assert talk.metrics.false_alarms_per_hour == pytest.approx(60)
    rates = {source: metrics.false_alarms_per_hour for source, metrics in talk.by_source.items()}
    assert rates == pytest.approx({"radio": 90, "books": 0})
    assert next(iter(rates)) == "radio"
    assert results[Kind.OTHER_WORDS].by_source == {}
    facts = talk.to_json()
    assert facts["by_source"]["radio"]["keywords"]["no"]["false_alarms"] == 1
    assert "miss_share" not in facts
    assert results[Kind.QUIET].to_json()["miss_share"] == 1


def test_figures_are_written_with_their_intervals() -> None:
    results = measured(
        replace(scored([said("yes", 5000)], []), kind=Kind.QUIET),
        replace(scored([], [(5300, "yes", 255)], seconds=1800), kind=Kind.TALK, source="radio"),
    )
    quiet, talk = results[Kind.QUIET].metrics, results[Kind.TALK].metrics
    assert miss_range(quiet) == "100.0", "the speakers of a recording are unknown"
    assert miss_range(talk) == "-"
    assert rate_range(talk) == "2.00 (0.05-11.1)"
    assert rate_range(talk, "no") == "0.00 (0.00-7.38)"
    assert [rate_text(rate) for rate in (9.99, 9.999, 99.9, 99.99, 1234.5)] == [
        *("9.99", "10.0", "99.9", "100", "1234")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("speakers", "text"),
    [
        (["anna"] * 12, "50.0 (1 speaker)"),
        # A voice is one speaker, with all its variations.
        (["flite-slt", "flite-slt-p1", "flite-slt-p2"] * 4, "50.0 (1 speaker)"),
        (["anna", "bob"] * 6, "50.0 (14.2-85.8)"),
    ],
)
def test_interval_of_misses_needs_speakers(speakers: list[str], text: str) -> None:
    words = [
        replace(said("yes", 5000 * place), file=Path(f"{speaker}_nohash_{place}.wav"))
        for place, speaker in enumerate(speakers, 1)
    ]
    # The first six words are detected: three by each speaker.
    heard = [(word.start_ms + 300, "yes", 255) for word in words[:6]]
    results = measured(replace(scored(words, heard, seconds=100), kind=Kind.QUIET))
    assert miss_range(results[Kind.QUIET].metrics) == text
    facts = results[Kind.QUIET].to_json()
    assert (facts["miss_share_95"] is None) == ("1 speaker" in text)
