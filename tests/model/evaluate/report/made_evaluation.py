# SPDX-License-Identifier: Apache-2.0
"""An evaluation with made-up scores and sounds, and names that try to become HTML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from kws.audio.pcm import Pcm
from kws.bundle.making import make_bundle
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.clip_metrics import ClipMetrics
from kws.model.evaluate.judge.excerpts import Excerpt
from kws.model.evaluate.judge.kind_metrics import StreamResult, measure_kinds
from kws.model.evaluate.judge.stream_metrics import measure_traces
from kws.model.evaluate.score.streams import Kind
from tests.model.evaluate.judge.scored_traces import SETTINGS, said, scored
from tests.small_models import LABELS, dense_model

EVIL = "<img src=x onerror=\"document.title='bad'\">"
"""A name that runs a script if it is written as HTML."""

MISTAKES = {(2, 3): 5, (3, 2): 1, (1, 3): 2}
"""Number of misclassified clips by label and answer; the last ones have the highest scores."""


def tone(number: int, seconds: float = 1.0) -> Pcm:
    """A sound that no other number has."""
    time_s = np.arange(int(16000 * seconds)) / 16000
    pcm: Pcm = np.rint(12_000 * np.sin(2 * np.pi * (200 + 7 * number) * time_s)).astype(np.int16)
    return pcm


def made_clips() -> ClipMetrics:
    """20 right clips of each class, and `MISTAKES`."""
    cells = [(label, label) for label in range(4) for _ in range(20)]
    cells += [cell for cell, count in MISTAKES.items() for _ in range(count)]
    truth, answers = np.array(cells).T
    scores = np.full((len(cells), 4), -120, np.int8)
    scores[np.arange(len(cells)), answers] = np.arange(len(cells)) - 20
    return ClipMetrics(
        f"m {EVIL}",
        LABELS,
        truth,
        scores,
        tuple(Path(f"{EVIL}/clip{place}{EVIL}.wav") for place in range(len(cells))),
        tuple(f"{EVIL}{place % 7}" for place in range(len(cells))),
        np.stack([tone(place) for place in range(len(cells))]),
        tuple(f"{EVIL}{place % 2}" for place in range(len(cells))),
        by_snr={0: (30, 60), 20: (55, 60)},
        by_level={-55: (50, 60), -25: (58, 60), -8: (57, 60)},
    )


def made_stream() -> StreamResult:
    """Ten minutes of words by ten people, and half an hour of talk with two false alarms."""
    bundle = make_bundle(dense_model(), LABELS, name="m", recognizer=SETTINGS)
    words = [
        replace(
            said("yes" if place % 2 else "no", 5000 * (place + 1)),
            file=Path(f"speaker{place % 10}_nohash_0.wav"),
        )
        for place in range(40)
    ]
    heard = [(word.start_ms + 300, word.label, 90 + 4 * place) for place, word in enumerate(words)]
    alarms = [(10_000 * (place + 1), "yes", 130 + 25 * place) for place in range(5)]
    traces = [
        *(replace(scored(words, heard, 600), kind=kind) for kind in (Kind.QUIET, Kind.NOISE)),
        replace(scored([], alarms, 1800), kind=Kind.TALK, source=EVIL),
    ]
    by_kind = measure_kinds(bundle, traces)
    total = measure_traces(bundle.rules, traces[:2])
    in_talk = by_kind[-1].metrics.false_alarms
    excerpts = [
        Excerpt(alarm, tone(100 + place, 2.5), Kind.TALK, EVIL, Path(f"{EVIL}.wav"), 150 + place)
        for place, alarm in enumerate(in_talk)
    ]
    excerpts += [
        Excerpt(word, tone(200 + place, 2.5), Kind.QUIET, "", word.file)
        for place, word in enumerate(by_kind[0].metrics.missed[:9])
    ]
    return StreamResult({"recording": EVIL}, total, by_kind, tuple(excerpts))


def made_evaluation() -> Evaluation:
    """Clips and streams."""
    bundle = make_bundle(dense_model(), LABELS, name="m", recognizer=SETTINGS)
    return Evaluation(bundle, made_clips(), made_stream())
