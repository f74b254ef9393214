"""The same training with other settings, many at once: here in processes, or on a cluster."""

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
from kws.audio.dataset import open_dataset
from kws.bundle.reading import load_bundle
from kws.errors import KwsError, ToolError, UsageError
from kws.model.train.run_folder import settings_for

Options = dict[str, Any]
"""Fields of TrainSettings, SampleSettings and Augmentation, and `model`."""


@dataclass(frozen=True)
class Job:
    """One training run of a sweep. Holds plain values, so that it travels to other processes."""

    data: Path
    out: Path
    words: tuple[str, ...]
    options: Options


@dataclass(frozen=True)
class Outcome:
    """What a run gave."""

    folder: str
    """Of the run, named by its options."""

    options: Options
    validation: float
    """Mean recall of the classes on the validation clips: what the order goes by."""

    test: float
    """The same on the test clips, int8 on the core."""

    size: int
    """Bytes of the .tflite file."""

    arena: int
    """Bytes of tensor arena."""


def parse_sets(texts: Iterable[str]) -> dict[str, list[Any]]:
    """What `--set learning_rate=0.01,0.003` says: a setting and its values.

    Raises:
        UsageError: a text is not of that form.
    """
    found: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        if not equals or not key or not values:
            raise UsageError(f"--set {text}: write a setting and its values, as mixup=0,0.2")
        found[key.strip().replace("-", "_")] = [_value(v.strip()) for v in values.split(",")]
    return found


def read_sets(file: Path) -> dict[str, list[Any]]:
    """The same from a TOML file: `learning_rate = [0.01, 0.003]`.

    Raises:
        KwsError: it cannot be read.
        UsageError: a value is no list.
    """
    table = config.read_toml(file)
    for key, values in table.items():
        if not isinstance(values, list) or not values:
            raise UsageError(f"{file}: {key} is no list; write {key} = [{values}, ...]")
    return table


def jobs_of(
    data: Path, out: Path, words: Sequence[str], sets: Mapping[str, Sequence[Any]]
) -> list[Job]:
    """A run for each combination of the values, in `out/<setting>=<value>,...`.

    Raises:
        UsageError: nothing to choose from, an unknown setting or an unknown model.
        KwsError: a value is out of range.
    """
    if not sets:
        raise UsageError("nothing to sweep over; give --set mixup=0,0.2 or --settings FILE.toml")
    jobs = []
    for values in itertools.product(*sets.values()):
        options = dict(zip(sets, values, strict=True))
        name = ",".join(f"{key}={_short(value)}" for key, value in options.items())
        try:
            settings_for(tuple(words), **_with_model(options))
        except TypeError as error:
            raise UsageError(f"{name}: {_unknown(error, options)}") from None
        jobs.append(Job(data, out / name, tuple(words), options))
    return jobs


def run_sweep(
    jobs: Sequence[Job],
    *,
    processes: int = 1,
    ray: str | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> list[Outcome]:
    """Train what is not trained yet; the best comes first.

    A run that was killed goes on where it was; a finished one is read.

    Args:
        jobs: what to train.
        processes: runs at a time on this machine.
        ray: address of a Ray cluster (`auto`: the one that this machine is part of; `local`: one of
            `processes` workers made here), which has to see the data and `out` under the same
            paths; None for processes of our own.
        say: is given a line after each run.

    Raises:
        ToolError: Ray is not installed or its cluster cannot be reached.
        KwsError: a run failed; the others are finished and kept.
    """
    outcomes = [done for job in jobs if (done := read_outcome(job))]
    todo = [job for job in jobs if read_outcome(job) is None]
    if outcomes:
        say(f"{len(outcomes)} of {len(jobs)} runs are finished already")
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
            f"{len(failures)} of {len(jobs)} runs failed, first {failures[0]}; run the same again "
            "when it is mended"
        )
    return sorted(outcomes, key=lambda outcome: (-outcome.validation, outcome.folder))


def read_outcome(job: Job) -> Outcome | None:
    """What a finished run gave, None if it is not finished.

    Raises:
        BundleError: its bundle is damaged.
    """
    if not (job.out / "bundle" / "bundle.toml").is_file():
        return None
    bundle = load_bundle(job.out / "bundle")
    return Outcome(
        job.out.name,
        job.options,
        bundle.metrics["training"]["validation_accuracy"],
        bundle.metrics["accuracy"]["core"],
        len(bundle.model),
        bundle.arena_bytes,
    )


def run_job(job: Job) -> str:
    """Train one run; gives what went wrong, empty if nothing did. Called in other processes."""
    from kws.model.train.loop import train  # noqa: PLC0415 - TensorFlow, in the worker alone

    try:
        settings = settings_for(job.words, **_with_model(job.options))
        train(open_dataset(job.data), job.out, settings, name="sweep")
    except KwsError as error:
        return str(error)
    return ""


def to_json(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """For scripts."""
    return [asdict(outcome) for outcome in outcomes]


def table(outcomes: Sequence[Outcome]) -> Any:
    """For the terminal."""
    from rich.table import Table  # noqa: PLC0415 - for terminals only

    out = Table()
    out.add_column("run")
    for column in ("validation", "test", "bytes", "arena"):
        out.add_column(column, justify="right")
    for outcome in outcomes:
        out.add_row(
            outcome.folder,
            f"{outcome.validation:.1%}",
            f"{outcome.test:.1%}",
            f"{outcome.size:,}",
            f"{outcome.arena:,}",
        )
    return out


def _by_processes(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, str]]:
    """Each job and what went wrong, as they end. TensorFlow does not survive a fork: spawn."""
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
    """The same on a Ray cluster."""
    try:
        import ray  # noqa: PLC0415 - optional and slow
    except ImportError:
        raise ToolError("Ray is not installed; sweeps on it need: pip install 'kws[ray]'") from None
    where: dict[str, Any] = {"address": address}
    if address == "local":
        where |= {"num_cpus": processes, "include_dashboard": False}
    try:
        ray.init(**where, log_to_driver=False, logging_level="error")
    except Exception as error:  # noqa: BLE001 - Ray raises bare ones where a node does not start
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


def _with_model(options: Options) -> dict[str, Any]:
    return {"model": "tiny_conv", **options}


def _value(text: str) -> Any:
    """A number if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _short(value: Any) -> str:
    """A value in a folder's name."""
    return Path(value).stem if isinstance(value, str) else str(value)


def _unknown(error: TypeError, options: Options) -> str:
    """Which setting does not exist."""
    named = [key for key in options if f"'{key}'" in str(error)]
    return f"no setting {named[0] if named else error}; docs/training.md lists them"
