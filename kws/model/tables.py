"""Results as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from kws.model.evaluate import Evaluation

if TYPE_CHECKING:
    from kws.convert.report import Report
    from kws.model.seeds import SeedResults


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
