# SPDX-License-Identifier: Apache-2.0
"""Results as tables for a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kws.tables import make_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    from kws.model.evaluate.judge.clip_metrics import ClipMetrics
    from kws.model.evaluate.judge.confusion import ConfusionMatrix
    from kws.model.evaluate.judge.conversion_loss import ConversionLoss
    from kws.model.evaluate.judge.kind_metrics import StreamResult
    from kws.model.evaluate.judge.stream_metrics import StreamMetrics
    from kws.model.evaluate.score.streams import Kind
    from kws.model.train.mining import Mining
    from kws.model.train.seeds import SeedResults
    from kws.model.train.sweep import Outcome
    from kws.model.wake.enrolment import Enrolment


def recall_table(matrix: ConfusionMatrix) -> Table:
    """The confusion matrix of clips."""
    title = f"accuracy {matrix.accuracy:.2%} on {matrix.clips} clips"
    answers = [f"predicted {label}" for label in matrix.labels]
    table = make_table("the clip was", "recall", *answers, title=title)
    recall = matrix.recall
    for label, row in zip(matrix.labels, matrix.counts.tolist(), strict=True):
        share = f"{recall[label]:.1%}" if label in recall else "-"
        table.add_row(label, share, *(str(count) if count else "·" for count in row))
    return table


def conversion_table(loss: ConversionLoss) -> Table:
    """The loss of accuracy by conversion to int8."""
    table = make_table("computed by", "accuracy", title="loss from int8")
    for name, matrix in (
        ("float, Keras", loss.float_model),
        ("int8, LiteRT reference kernels", loss.int8_model),
        ("int8, kws core (the device)", loss.core),
    ):
        table.add_row(name, f"{matrix.accuracy:.2%}")
    return table


def difference_line(loss: ConversionLoss) -> str:
    """Difference between the device's and the float model's scores."""
    difference = loss.difference
    return (
        f"scores, int8 minus float, of 255: max {255 * difference['max']:.1f}, "
        f"mean {255 * difference['mean']:.2f}, std {255 * difference['std']:.2f}"
    )


def seeds_line(results: SeedResults) -> str:
    """The accuracy of each seed, their mean and standard deviation."""
    each = ", ".join(f"{accuracy:.2%}" for accuracy in results.accuracies)
    return f"{len(results.runs)} seeds: {results.mean:.2%} +- {results.spread:.2%} ({each})"


def clip_tables(clips: ClipMetrics) -> list[Table]:
    """Metrics of clips: by class, by implementation, by noise and by level."""
    from kws.model.evaluate.judge.statistics import interval_text

    matrix = clips.matrix
    interval = (
        f" (95 %: {interval_text(clips.interval)})"
        if clips.interval
        else " (a class has only one speaker: no interval)"
    )
    title = (
        f"accuracy {matrix.accuracy:.2%}{interval} on "
        f"{matrix.clips} clips, calibration error {clips.reliability.error:.3f}"
    )
    headings = ("class", "recall", "95 %", "precision", "ROC area", "equal error")
    classes = make_table(*headings, title=title)
    for index, label in enumerate(clips.labels):
        curve = clips.curves.get(label)
        classes.add_row(
            label,
            f"{matrix.recall[label]:.1%}" if label in matrix.recall else "-",
            interval_text(clips.recall_interval(index)) if label in matrix.recall else "-",
            f"{matrix.precision[label]:.1%}" if label in matrix.precision else "-",
            f"{curve.area:.4f}" if curve else "-",
            f"{curve.equal_error:.1%}" if curve else "-",
        )
    tables = [classes]
    if clips.references:
        computed = make_table("", "accuracy", title="computed by")
        for name, reference in clips.references.items():
            computed.add_row(name, f"{reference.accuracy:.2%}")
        computed.add_row("int8, kws core (the device)", f"{matrix.accuracy:.2%}")
        tables.append(computed)
    for title, counts in (
        ("words in noise: signal-to-noise ratio, dB", clips.by_snr),
        ("words by level: RMS of the voice, dB of full scale", clips.by_level),
    ):
        table = make_table(*map(str, counts), title=title, words=())
        table.add_row(*(f"{right / total:.1%}" for right, total in counts.values()))
        tables.append(table)
    tables[-1].caption = clips.level_line
    if clips.by_collection:
        collections = make_table("", "recall", "95 %", "clips", title="keywords by collection")
        for one in clips.by_collection:
            share = f"{one.right / one.clips:.1%}"
            collections.add_row(one.name, share, interval_text(one.interval), str(one.clips))
        tables.append(collections)
    return tables


def speakers_line(clips: ClipMetrics) -> str:
    """The variation between speakers."""
    if not clips.spread:
        return "no speaker has enough clips of words for metrics by speaker"
    spread = clips.spread
    worst = ", ".join(f"{s.name} {s.right}/{s.clips}" for s in clips.by_speaker[:5])
    return (
        f"speakers: {len(clips.by_speaker)}, all clips right {spread['all_right']:.0%}, median "
        f"{spread['median']:.0%}, tenth {spread['tenth']:.0%}, std {spread['std']:.3f}; "
        f"worst: {worst}"
    )


def enrolment_table(enrolment: Enrolment) -> Table:
    """Misses in the recordings and false alarms in talk, before and after."""
    from kws.model.evaluate.judge.kind_metrics import rate_range
    from kws.model.evaluate.score.streams import TITLES

    table = make_table("", "before", "after", title="before and after")
    for kind, after in enrolment.calibration.by_kind.items():
        pair = (enrolment.before[kind], after)
        if after.total_said:
            cells = [f"{100 * metrics.miss_share:.0f} % missed" for metrics in pair]
        else:
            cells = [f"{rate_range(metrics)} per hour" for metrics in pair]
        table.add_row(TITLES[kind], *cells)
    return table


def kind_tables(result: StreamResult) -> list[Table]:
    """Misses and false alarms in each kind of stream, by keyword; in talk also by source."""
    from kws.model.evaluate.judge.kind_metrics import rate_range, rate_text

    spoken = [row for row in result.by_kind if row.metrics.total_said]
    missed = make_table("keyword", *(row.title for row in spoken), title="keywords missed")
    kinds = (row.title for row in result.by_kind)
    alarms = make_table("keyword", *kinds, title="false alarms per hour")
    for word in result.total.keywords:
        missed.add_row(word, *(_missed(row.metrics, word) for row in spoken))
        alarms.add_row(
            word,
            *(
                rate_range(row.metrics, word)
                if row.by_source
                else rate_text(row.metrics.false_alarms_of(word) / row.metrics.hours)
                for row in result.by_kind
            ),
        )
    tables = [
        kinds_table({row.kind: row.metrics for row in result.by_kind}),
        *([missed] if spoken else []),
        alarms,
    ]
    for talk in (row for row in result.by_kind if row.by_source):
        title = f"{talk.title}, by source"
        sources = make_table("", "hours", "false alarms", "per hour", title=title)
        for source, metrics in talk.by_source.items():
            count = str(len(metrics.false_alarms))
            sources.add_row(source, f"{metrics.hours:.2f}", count, rate_range(metrics))
        tables.append(sources)
    return tables


def talk_line(result: StreamResult | None) -> str:
    """The number of recordings of talk that were played."""
    about = result.about if result else {}
    if not about.get("talk_recordings"):
        return "not measured: false alarms in talk; pass talk without keywords with --negatives"
    line = f"recordings of talk: {about['talk_recordings']}"
    if excluded := about["excluded_recordings"]:
        line += f"; skipped, as they may contain a keyword: {excluded}"
    if seconds := about["excluded_seconds"]:
        line += f"; left out because of label tracks: {seconds:.1f} s"
    return line


def kinds_table(by_kind: Mapping[Kind, StreamMetrics]) -> Table:
    """Misses, false alarms and latency by kind of sound."""
    from kws.model.evaluate.judge.kind_metrics import miss_range, rate_range
    from kws.model.evaluate.score.streams import TITLES

    gated = any(metrics.skipped_share for metrics in by_kind.values())
    table = make_table(
        *("", "hours", "words", "missed, %", "false alarms\nper hour", "latency,\nms"),
        *(["skipped,\n%"] if gated else []),
        title="misses and false alarms, with 95 % intervals, and median latency",
    )
    for kind, metrics in by_kind.items():
        latency = metrics.latency_ms(0.5)
        table.add_row(
            TITLES[kind],
            f"{metrics.hours:.2f}",
            str(metrics.total_said or "-"),
            miss_range(metrics),
            rate_range(metrics),
            "-" if latency is None else f"{latency:.0f}",
            *([f"{100 * metrics.skipped_share:.0f}"] if gated else []),
        )
    return table


def _missed(metrics: StreamMetrics, word: str) -> str:
    said, wrong = metrics.said[word], metrics.wrong[word]
    return f"{said - metrics.hits[word]} of {said}" + (f", {wrong} wrong" if wrong else "")


def latency_line(metrics: StreamMetrics) -> str:
    """The latency of reports, and the interval of the false alarms."""
    facts = metrics.to_json()
    low, high = facts["false_alarms_an_hour_95"]
    times = facts["latency_ms"]
    latency = (
        f"latency from the word's end: median {times['median']:.0f} ms, 95 % within "
        f"{times['p95']:.0f} ms; "
        if times
        else ""
    )
    return f"{latency}false alarms per hour, 95 %: {low:.2f} to {high:.2f}"


def sweep_table(outcomes: Sequence[Outcome]) -> Table:
    """The results of a sweep's runs."""
    table = make_table("run", "validation", "test", "bytes", "arena", "detects")
    for outcome in outcomes:
        table.add_row(
            outcome.folder,
            f"{outcome.validation:.1%}",
            f"{outcome.test:.1%}",
            f"{outcome.size:,}",
            f"{outcome.arena:,}",
            outcome.hears or "-",
        )
    return table


def mining_tables(mining: Mining) -> list[Table]:
    """False alarms by keyword and source, and the highest scores."""
    words = sorted({word for _, word in mining.events})
    by_source = make_table("source", *words, title="places, by source")
    for source in dict.fromkeys(source for source, _ in mining.events):
        counts = (mining.events.get((source, word), 0) for word in words)
        by_source.add_row(source, *(str(count) if count else "·" for count in counts))
    headings = ("score", "word", "recording", "at", "kept as")
    worst = make_table(*headings, title="highest scores: listen here", words=(1, 2, 4))
    for clip in mining.worst[:10]:
        at = f"{clip.seconds // 60:.0f}:{clip.seconds % 60:04.1f}"
        worst.add_row(str(clip.score), clip.word, Path(clip.source).name, at, clip.file)
    return [by_source, worst]
