# SPDX-License-Identifier: Apache-2.0
"""Commands that `kws studio` started: each is a process of its own, which outlives the server.

A job's folder has `job.json` (the command), `log.txt` (its output) and, once it has ended,
`end.json` (its exit code). Its process holds a lock on the folder: a folder without the lock and
without `end.json` is from a process that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from kws.errors import KwsError, UsageError
from kws.file_locks import try_lock
from kws.files import atomic_write, make_directory
from kws.host.studio import job_process
from kws.host.studio.job_process import END, JOB, STOP
from kws.host.studio.project import JOBS, Project, read_json
from kws.host.studio.tasks import Task
from kws.host.studio.unchanged import changed_at

KEPT_JOBS = 200
"""Older folders of ended jobs are removed."""

MOST_TEXT = 20_000
"""Characters of a job's output that the state of the page contains."""

LOG, _PROCESS = "log.txt", "process.json"

_STEP = re.compile(r"^step (\d+) of (\d+): (.*?)(?:; (about \d+ min left) in all)?$")
_LEFT = re.compile(r"(about \d+ min left)")


class JobState(StrEnum):
    """What became of a job."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """By the user."""

    INTERRUPTED = "interrupted"
    """Its process was killed, or the machine was switched off."""


@dataclass(frozen=True)
class Job:
    """A job's folder, as it is now."""

    id: int
    folder: Path
    task: Task
    started: float
    """Seconds since 1970."""

    state: JobState
    ended: float | None

    def output(self) -> str:
        """The end of its output."""
        try:
            with (self.folder / LOG).open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - MOST_TEXT))
                return file.read().decode(errors="replace")
        except OSError:
            return ""

    def to_json(self) -> dict[str, Any]:
        """The job for the page."""
        text = self.output()
        lines = [line for line in text.splitlines() if line.strip()]
        is_running = self.state is JobState.RUNNING
        return {
            "id": self.id,
            "action": self.task.action,
            "of": self.task.of,
            "title": self.task.title,
            "command": self.task.command,
            "request": dict(self.task.request),
            "state": str(self.state),
            "started": round(self.started),
            "ended": None if self.ended is None else round(self.ended),
            "last": lines[-1] if lines else "",
            "step": _step(lines) if is_running else None,
            "text": None if is_running or self.task.action == "train" else text,
        }


class Jobs:
    """The jobs of a project; at most one runs. Methods may be called from several threads."""

    def __init__(self, project: Project) -> None:
        """Find the jobs of earlier servers; running ones continue."""
        self._project = project
        self._folder = project.path / JOBS
        self._lock = threading.RLock()
        self._ended: dict[int, Job] = {}

    def all(self) -> list[Job]:
        """All jobs, the newest first."""
        numbers = self._numbers()
        return [job for number in reversed(numbers) if (job := self._read(number))]

    def find(self, number: int) -> Job | None:
        """A job by its number, None if there is none."""
        return self._read(number)

    def last(self, out: str) -> Task | None:
        """The last training command that wrote the folder `out`, None if there is none."""
        tasks = (job.task for job in self.all())
        return next((it for it in tasks if it.action == "train" and it.arguments[-1] == out), None)

    def running(self) -> Job | None:
        """The job that runs now."""
        return next((job for job in self.all() if job.state is JobState.RUNNING), None)

    def start(self, task: Task) -> Job:
        """Start a command in the project's folder.

        Raises:
            BusyError: another job runs.
            KwsError: the job's folder could not be written, or no process could be started.
        """
        with self._lock:
            if busy := self.running():
                raise BusyError(f"{busy.task.title} is running; wait for its end, or stop it")
            number = max(self._numbers(), default=0) + 1
            folder = self._folder / f"{number:04}"
            make_directory(folder)
            description = {"task": asdict(task), "started": time.time()}
            atomic_write(folder / JOB, json.dumps(description, indent=2).encode())
            _start_process(self._project.path, folder)
            self._remove_old()
            job = self._read(number)
            if job is None:
                raise KwsError(f"{folder}: cannot be read; check the disk")
            return job

    def stop(self, number: int) -> None:
        """Ask a running job to stop, as Ctrl-C does; the second time, end it.

        Finished steps are kept.
        """
        job = self._read(number)
        if job is None or job.state is not JobState.RUNNING:
            return
        is_second = (job.folder / STOP).exists()
        with contextlib.suppress(KwsError):  # a full disk
            atomic_write(job.folder / STOP, b"")
        process = read_json(job.folder / _PROCESS)
        if isinstance(process, dict) and isinstance(process.get("group"), int):
            with contextlib.suppress(OSError):
                os.killpg(process["group"], signal.SIGTERM if is_second else signal.SIGINT)

    def _numbers(self) -> list[int]:
        try:
            names = [entry.name for entry in os.scandir(self._folder) if entry.is_dir()]
        except OSError:
            return []
        return sorted(int(name) for name in names if name.isdecimal())

    def _read(self, number: int) -> Job | None:
        # Looking at a lock takes it for a moment, which must not coincide with a start.
        with self._lock:
            return self._ended.get(number) or self._read_files(number)

    def _read_files(self, number: int) -> Job | None:
        folder = self._folder / f"{number:04}"
        # The lock first: a job that ends in between has its end.json by then.
        is_running = _is_locked(folder)
        about, end = read_json(folder / JOB), read_json(folder / END)
        try:
            task = Task(**{**about["task"], "arguments": tuple(about["task"]["arguments"])})
            started = float(about["started"])
        except (TypeError, KeyError, ValueError):
            return None
        if isinstance(end, dict) and isinstance(end.get("code"), int):
            was_stopped = end["code"] != 0 and (folder / STOP).exists()
            state = JobState.STOPPED if was_stopped else JobState.FAILED
            state = JobState.DONE if end["code"] == 0 else state
            job = Job(number, folder, task, started, state, float(end.get("ended", started)))
        elif is_running:
            return Job(number, folder, task, started, JobState.RUNNING, None)
        else:
            was_stopped = (folder / STOP).exists()
            state = JobState.STOPPED if was_stopped else JobState.INTERRUPTED
            job = Job(number, folder, task, started, state, changed_at(folder / LOG, started))
        self._ended[number] = job
        return job

    def _remove_old(self) -> None:
        for number in self._numbers()[:-KEPT_JOBS]:
            shutil.rmtree(self._folder / f"{number:04}", ignore_errors=True)
            self._ended.pop(number, None)


class BusyError(UsageError):
    """Another job runs."""


def _start_process(project: Path, folder: Path) -> None:
    """Start a job's process, in its own session: it survives the server and its terminal."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        if not try_lock(handle):
            raise KwsError(f"{folder}: is in use by another process; try again")
        # The process inherits the lock with the open folder.
        with (folder / LOG).open("ab") as log:
            process = subprocess.Popen(
                # -P: no Python file of the project's folder is imported.
                [sys.executable, "-P", "-m", job_process.__name__, str(folder), str(handle)],
                cwd=project,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(handle,),
                start_new_session=True,
            )
        try:
            atomic_write(folder / _PROCESS, json.dumps({"group": process.pid}).encode())
        except KwsError:  # a full disk: nobody could stop it
            os.killpg(process.pid, signal.SIGKILL)
            raise
        threading.Thread(target=process.wait, daemon=True).start()  # so that it is no zombie
    except OSError as error:
        raise KwsError(f"{folder}: the command cannot be started ({error.strerror})") from None
    finally:
        os.close(handle)


def _is_locked(folder: Path) -> bool:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not try_lock(handle)
    except OSError:  # a drive without locks
        return False
    finally:
        os.close(handle)


def _step(lines: list[str]) -> dict[str, Any] | None:
    """The step that the output of `kws wake` has reached, with the time left."""
    for place in range(len(lines) - 1, -1, -1):
        match = _STEP.match(lines[place])
        if match:
            left = match[4] or ""
            for line in lines[place + 1 :]:
                later = _LEFT.search(line)
                left = later[1] if later else left
            return {
                "number": int(match[1]), "of": int(match[2]), "title": match[3], "left": left
            }  # fmt: skip
    return None
