# SPDX-License-Identifier: Apache-2.0
"""Results as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from kws.model.evaluate.accuracy import Evaluation

if TYPE_CHECKING:
    from kws.model.evaluate.clip_metrics import Judgement
    from kws.model.evaluate.conversion_loss import Report
    from kws.model.evaluate.stream_metrics import Hearing
    from kws.model.train.seeds import SeedResults


def recall_table(evaluation: Evaluation) -> Table:
    """What the model said of each class's clips."""
    title = f"accuracy {evaluation.accuracy:.2%} on {evaluation.clips} clips"
    table = Table(title=title, title_justify="left")
    table.add_column("the clip was")
    table.add_column("recall", justify="right")
    for label in evaluation.labels:
        table.add_column(f"said {label}", justify="right")
    recall = evaluation.recall
    for label, row in zip(evaluation.labels, evaluation.confusion.tolist(), strict=True):
        share = f"{recall[label]:.1%}" if label in recall else "-"
        table.add_row(label, share, *(str(count) if count else "·" for count in row))
    return table


def conversion_table(report: Report) -> Table:
    """What conversion to int8 cost."""
    table = Table(title="what int8 cost", title_justify="left")
    table.add_column("computed by")
    table.add_column("accuracy", justify="right")
    for name, evaluation in (
        ("float, Keras", report.float_model),
        ("int8, LiteRT reference kernels", report.int8_model),
        ("int8, kws core (the device)", report.core),
    ):
        table.add_row(name, f"{evaluation.accuracy:.2%}")
    return table


def difference_line(report: Report) -> str:
    """How far the device's scores are from the float model's."""
    difference = report.difference
    return (
        f"scores, core less float: max {difference['max']:.3f}, mean {difference['mean']:.4f}, "
        f"std {difference['std']:.4f} of 1"
    )


def seeds_line(results: SeedResults) -> str:
    """What the seeds gave, and how far they are apart."""
    each = ", ".join(f"{accuracy:.2%}" for accuracy in results.accuracies)
    return f"{len(results.runs)} seeds: {results.mean:.2%} +- {results.spread:.2%} ({each})"


def judgement_tables(found: Judgement) -> list[Table]:
    """A judgement in short: classes, ways to compute it, noise and level, speakers."""
    low, high = found.interval
    title = (
        f"accuracy {found.evaluation.accuracy:.2%} (95 %: {low:.1%} to {high:.1%}) on "
        f"{found.evaluation.clips} clips, calibration error {found.reliability.error:.3f}"
    )
    classes = Table(title=title, title_justify="left")
    for heading in ("class", "recall", "95 %", "precision", "ROC area", "equal error"):
        classes.add_column(heading, justify="left" if heading == "class" else "right")
    evaluation = found.evaluation
    for index, label in enumerate(found.labels):
        low, high = found.recall_interval(index)
        curve = found.curves.get(label)
        classes.add_row(
            label,
            f"{evaluation.recall[label]:.1%}" if label in evaluation.recall else "-",
            f"{low:.1%} to {high:.1%}",
            f"{evaluation.precision[label]:.1%}" if label in evaluation.precision else "-",
            f"{curve.area:.4f}" if curve else "-",
            f"{curve.equal_error:.1%}" if curve else "-",
        )
    tables = [classes]
    if found.others:
        ways = Table(title="computed by", title_justify="left")
        ways.add_column("")
        ways.add_column("accuracy", justify="right")
        for name, other in found.others.items():
            ways.add_row(name, f"{other.accuracy:.2%}")
        ways.add_row("int8, kws core (the device)", f"{evaluation.accuracy:.2%}")
        tables.append(ways)
    for title, counts in (
        ("words in noise: speech over noise, dB", found.by_snr),
        ("words by level: RMS of the voice, dB of full scale", found.by_level),
    ):
        table = Table(title=title, title_justify="left")
        for db in counts:
            table.add_column(str(db), justify="right")
        table.add_row(*(f"{right / total:.1%}" for right, total in counts.values()))
        tables.append(table)
    return tables


def speakers_line(found: Judgement) -> str:
    """How much speakers differ."""
    if not found.spread:
        return "no speaker has enough clips of words to be judged"
    spread = found.spread
    worst = ", ".join(f"{s.name} {s.right}/{s.clips}" for s in found.by_speaker[:5])
    return (
        f"speakers: {len(found.by_speaker)}, all clips right {spread['all_right']:.0%}, median "
        f"{spread['median']:.0%}, tenth {spread['tenth']:.0%}, std {spread['std']:.3f}; "
        f"worst: {worst}"
    )


def hearing_table(found: Hearing) -> Table:
    """What was heard in streams."""
    title = (
        f"{found.hours:.1f} hours, {found.total_said} keywords and {found.others} other words: "
        f"misses {found.miss_share:.1%}, false alarms {found.alarms_an_hour:.2f} an hour"
    )
    table = Table(title=title, title_justify="left")
    for heading in ("keyword", "said", "hits", "wrong", "missed", "false alarms", "an hour"):
        table.add_column(heading, justify="left" if heading == "keyword" else "right")
    for word in found.keywords:
        said, hits, wrong = found.said[word], found.hits[word], found.wrong[word]
        alarms = found.alarms_of(word)
        figures = (said, hits, wrong, said - hits - wrong, alarms)
        table.add_row(word, *map(str, figures), f"{alarms / found.hours:.2f}")
    return table


def latency_line(found: Hearing) -> str:
    """How long after the end of the voice a word is reported."""
    facts = found.to_json()
    low, high = facts["false_alarms_an_hour_95"]
    times = facts["latency_ms"]
    late = (
        f"reported {times['median']:.0f} ms after the word's end (median; 95 % within "
        f"{times['p95']:.0f} ms); "
        if times
        else ""
    )
    return f"{late}false alarms an hour, 95 %: {low:.2f} to {high:.2f}"
