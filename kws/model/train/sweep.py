# SPDX-License-Identifier: Apache-2.0
"""Sweeps: a run for each combination of settings, in processes or on a cluster."""

from __future__ import annotations

import itertools
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.layout.usable_clips import open_usable
from kws.bundle.layout import SETTINGS_FILE
from kws.bundle.reading import load_bundle
from kws.errors import KwsError, ToolError, UsageError
from kws.extras import require
from kws.files import locked
from kws.model.train.named_settings import find_setting, settings_for, show
from kws.model.train.train_settings import DEFAULT_ARCH, TrainSettings
from kws.model.train.training_job import TrainingJob
from kws.model.weights import run_files

ARCH = "arch"
"""The option for the architecture; all other options are settings."""

Options = dict[str, Any]
"""Settings by name, and `arch`."""


@dataclass(frozen=True)
class Job:
    """One training run of a sweep, as plain values that can be sent to other processes."""

    data: Path
    out: Path
    words: tuple[str, ...]
    options: Options


@dataclass(frozen=True)
class Outcome:
    """Results of a run."""

    folder: str
    """Name of the run's folder, made from its options."""

    options: Options
    validation: float
    """Mean recall of the classes on the validation clips; runs are sorted by it."""

    test: float
    """Mean recall on the test clips, int8 on the core."""

    size: int
    """Bytes of the .tflite file."""

    arena: int
    """Bytes of tensor arena."""

    hears: str = ""
    """`Hears` for the validation clips in a quiet room; empty without calibration."""


def parse_sets(texts: Iterable[str]) -> dict[str, list[Any]]:
    """Settings and their values from texts such as `learning_rate=0.01,0.003`.

    Raises:
        UsageError: a text has another form, there is no such setting, or a value is wrong.
    """
    sets: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, joined = text.partition("=")
        values = [value.strip() for value in joined.split(",")]
        if not equals or not key or not all(values):
            raise UsageError(f"--set {text}: write a setting and its values, such as mixup=0,0.2")
        if key.strip() == ARCH:
            sets[ARCH] = values
        else:
            setting = find_setting(key)
            sets[setting.name] = [setting.parse(value) for value in values]
    return sets


def read_sets(file: Path) -> dict[str, list[Any]]:
    """Settings and values from a TOML file with lines such as `learning_rate = [0.01, 0.003]`.

    Raises:
        KwsError: the file cannot be read.
        UsageError: a value is not a list, there is no such setting, or a value is wrong.
    """
    sets: dict[str, list[Any]] = {}
    for key, values in config.read_toml(file).items():
        if not isinstance(values, list) or not values:
            raise UsageError(f"{file}: {key} is not a list; write {key} = [{values}, ...]")
        if key == ARCH:
            sets[ARCH] = [str(value) for value in values]
        else:
            setting = find_setting(key)
            sets[setting.name] = [setting.check(value) for value in values]
    return sets


def make_jobs(
    data: Path, out: Path, words: Sequence[str], sets: Mapping[str, Sequence[Any]]
) -> list[Job]:
    """A run for each combination of the values, in `out/<setting>=<value>,...`.

    Raises:
        UsageError: there is nothing to combine, a setting or architecture does not exist, or a
            value is wrong.
    """
    if not sets:
        raise UsageError("nothing to sweep over; give --set mixup=0,0.2 or --settings FILE.toml")
    jobs = []
    for values in itertools.product(*sets.values()):
        options = dict(zip(sets, values, strict=True))
        name = ",".join(f"{key}={_short(value)}" for key, value in options.items())
        job = Job(data, out / name, tuple(words), options)
        _settings(job)
        jobs.append(job)
    return jobs


def run_sweep(
    jobs: Sequence[Job],
    *,
    processes: int = 1,
    ray: str | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> list[Outcome]:
    """Train all jobs that are not finished; returns the best first.

    Interrupted runs resume; finished ones are only read.

    Args:
        jobs: the runs.
        processes: number of parallel runs on this machine.
        ray: address of a Ray cluster that has the data and `out` under the same paths. `auto` is
            the cluster of this machine, `local` starts one with `processes` workers. None: no Ray.
        say: called with a line after each run.

    Raises:
        ToolError: Ray is not installed or its cluster cannot be reached.
        KwsError: a run failed; the others are finished and kept.
    """
    finished = {job.out: read_outcome(job) for job in jobs}
    outcomes = [outcome for outcome in finished.values() if outcome]
    todo = [job for job in jobs if not finished[job.out]]
    if outcomes:
        say(f"{len(outcomes)} of {len(jobs)} runs are already finished")
    results = _by_ray(todo, processes, ray) if ray else _by_processes(todo, processes)
    failures = []
    for job, failure in results:
        outcome = read_outcome(job)
        if outcome is None:
            failures.append(f"{job.out.name}: {failure}")
            say(failures[-1])
        else:
            outcomes.append(outcome)
            say(f"{outcome.folder}: validation {outcome.validation:.1%}")
    if failures:
        raise KwsError(
            f"{len(failures)} of {len(jobs)} runs failed; the first: {failures[0]}; correct it and "
            "run the command again"
        )
    return sorted(outcomes, key=lambda outcome: (-outcome.validation, outcome.folder))


def read_outcome(job: Job) -> Outcome | None:
    """The results of a run; None if it is not finished.

    Raises:
        BundleError: its bundle is damaged.
    """
    if not (job.out / run_files.BUNDLE / SETTINGS_FILE).is_file():
        return None
    bundle = load_bundle(job.out / run_files.BUNDLE)
    return Outcome(
        job.out.name,
        job.options,
        bundle.metrics["training"]["validation_accuracy"],
        bundle.metrics["accuracy"]["core"],
        len(bundle.model),
        bundle.arena_bytes,
        bundle.metrics.get("calibration", {}).get("hears", ""),
    )


def run_job(job: Job) -> str:
    """Train one run in its own process; returns the error message, empty if there was none."""
    from kws.model.train.training import train  # noqa: PLC0415 - TensorFlow, only in the worker

    try:
        with locked(job.out):
            train(TrainingJob(open_usable(job.data), job.out, _settings(job), name="sweep"))
    except KwsError as error:
        return str(error)
    return ""


def to_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """The results for scripts."""
    return [asdict(outcome) for outcome in outcomes]


def _by_processes(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, str]]:
    """Each job with its error message, in the order in which jobs end.

    Processes are spawned, because TensorFlow does not survive a fork.
    """
    if not jobs:
        return
    threads = max((os.cpu_count() or 1) // processes, 1)
    os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(threads))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        waiting = {pool.submit(run_job, job): job for job in jobs}
        for future in as_completed(waiting):
            error = future.exception()
            yield waiting[future], f"{type(error).__name__}: {error}" if error else future.result()


def _by_ray(jobs: Sequence[Job], processes: int, address: str) -> Iterator[tuple[Job, str]]:
    """Like `_by_processes`, on a Ray cluster."""
    ray: Any = require("ray", "ray", "a sweep on a Ray cluster")
    cluster: dict[str, Any] = {"address": address}
    if address == "local":
        cluster |= {"num_cpus": processes, "include_dashboard": False}
    try:
        ray.init(**cluster, log_to_driver=False, logging_level="error")
    except Exception as error:  # noqa: BLE001 - Ray raises bare ones if a node does not start
        reason = str(error).splitlines()[0]
        raise ToolError(f"no Ray cluster at {address} ({reason}); start one: ray start") from None
    try:
        remote = ray.remote(num_cpus=1, max_retries=2)(run_job)
        waiting = {remote.remote(job): job for job in jobs}
        while waiting:
            (done,), _ = ray.wait(list(waiting))
            job = waiting.pop(done)
            try:
                yield job, ray.get(done)
            except ray.exceptions.RayError as error:
                yield job, f"{type(error).__name__}: {str(error).splitlines()[-1]}"
    finally:
        ray.shutdown()


def _settings(job: Job) -> TrainSettings:
    values = {key: value for key, value in job.options.items() if key != ARCH}
    return settings_for(job.words, job.options.get(ARCH, DEFAULT_ARCH), values)


def _short(value: Any) -> str:
    """A value as text for a folder's name."""
    return Path(value).stem if isinstance(value, str) else show(value)
