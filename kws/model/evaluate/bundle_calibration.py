# SPDX-License-Identifier: Apache-2.0
"""Calibrates a bundle on a data set: plays it, chooses the thresholds and writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from kws.audio.dataset import DataSet, Split
from kws.audio.surroundings import Surroundings
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.errors import DataError, ToolError, UsageError
from kws.extras import require
from kws.model.evaluate.judge.calibration import Calibration, calibrate, count_runs
from kws.model.evaluate.judge.verdict import calibrated_misses
from kws.model.evaluate.score.clip_scores import check_keywords, known_keywords
from kws.model.evaluate.score.plans import PACES, calibration_plan, fitting_plan, hours_for
from kws.model.evaluate.score.streams import StreamPlan
from kws.model.evaluate.score.talk import at_paces, background_talk, recorded_talk
from kws.model.evaluate.score.traces import trace_streams
from kws.progress import progress_bar


def calibrate_bundle(
    folder: Path,
    dataset: DataSet,
    plan: StreamPlan,
    false_alarms_per_hour: float,
    out: Path | None = None,
    *,
    keywords: tuple[str, ...] = (),
    ambient: Surroundings | None = None,
    at_words: float | None = None,
    alone: bool = True,
) -> Calibration:
    """Choose a bundle's recognizer settings on the validation split and write them into it.

    Args:
        folder: the bundle.
        dataset: only its validation clips are used.
        plan: hours of the streams and their noise.
        false_alarms_per_hour: the allowed rate, all keywords together.
        out: folder of the new bundle; None replaces the old one.
        keywords: keywords to report; if empty, all.
        ambient: its validation talk is played under words and on its own, its validation noises
            under words.
        at_words: allowed number in an hour with 180 other words; None: `false_alarms_per_hour`.
        alone: whether the settings without its second look, if it has one, are chosen, too.

    Raises:
        UsageError: the model does not know one of the keywords, or the bundle was calibrated with
            talk and there is none now.
        DataError: a keyword has no validation clips, or a speaker is in two splits.
        KwsError: the bundle cannot be read or written.
        ToolError: SciPy is not installed.
    """
    bundle = load_bundle(folder)
    keywords = known_keywords(bundle, keywords)
    check_destination(out or folder)
    require("scipy.stats", "evaluate", "kws calibrate")
    shared = dataset.shared_speakers()
    if shared:
        raise DataError(
            f"{dataset.root}: speaker {next(iter(shared))} is in two splits; correct its lists, "
            "so that no voice is in both calibration and test"
        )
    check_keywords(bundle, dataset, Split.VALIDATION)
    recordings = ambient.talk(Split.VALIDATION, keywords) if ambient else []
    if not recordings and "talk" in bundle.metrics.get("calibration", {}):
        raise UsageError(
            f"{folder}: its thresholds were chosen with hours of talk; without talk they would be "
            "lower, and talk would cause false alarms: pass talk with --negatives"
        )
    behind = background_talk(recordings, plan.hours)
    plan = fitting_plan(plan, bundle)
    noise = ambient.load_noises(Split.VALIDATION, if_any=True) if ambient else []

    def choose(bundle: Bundle) -> Calibration:
        streams = plan.streams(dataset, keywords, Split.VALIDATION, behind, noise)
        with progress_bar("listening", plan.parts(talk=bool(behind))) as advance:
            traces = list(trace_streams(bundle, streams, advance))
        with progress_bar("listening to talk", len(recordings)) as advance:
            traces += trace_streams(bundle, at_paces(recorded_talk(recordings, advance), PACES))
        with progress_bar("choosing", count_runs(bundle)) as advance:
            return calibrate(
                bundle, traces, false_alarms_per_hour, keywords, advance, at_words=at_words
            )

    first = [bundle.without_second_look()] if alone and bundle.second_look else []
    for part in (*first, bundle):
        calibration = choose(part)
        hears = str(calibrated_misses(calibration).hears)
        facts = calibration.metrics() | {"snr_db": list(plan.snr_db), "hears": hears}
        bundle = calibration.applied_to(bundle, facts)
    write_bundle(bundle, out or folder)
    return calibration


def try_to_calibrate(
    folder: Path,
    dataset: DataSet,
    words: Sequence[str],
    allowed: tuple[float, float | None],
    *,
    ambient: Surroundings | None,
    say: Callable[[str], object],
) -> Calibration | None:
    """Choose the thresholds of a new bundle, which still has default ones.

    Args:
        folder: the bundle.
        dataset: the data set that it was trained on.
        words: its keywords.
        allowed: allowed false alarms per hour of talk, and in an hour with 180 other words.
        ambient: as in `calibrate_bundle`.
        say: called with the reason if calibration is not possible.

    Returns:
        The calibration, or None if it is not possible.
    """
    plan = calibration_plan(hours_for(len(dataset.of(Split.VALIDATION, words))))
    try:
        return calibrate_bundle(
            folder, dataset, plan, allowed[0], ambient=ambient, at_words=allowed[1]
        )
    except (DataError, ToolError) as error:
        say(f"not calibrated: {error}")
        return None
