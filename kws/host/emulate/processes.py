# SPDX-License-Identifier: Apache-2.0
"""Runs emulator processes, which end with their owner."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from kws.errors import BoardError

PARALLEL = 2
"""Number of emulators that commands run in parallel."""


@dataclass(frozen=True)
class Ended:
    """Result of a process."""

    status: int
    output: bytes
    errors: bytes

    @property
    def reason(self) -> str:
        """The last line of its stderr."""
        lines = self.errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "no reason given"


class Processes:
    """Base of emulators. Leaving the `with` block kills running processes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._closed = True
            for process in self._running:
                _end(process)

    def _execute(
        self,
        command: list[str],
        timeout_s: float,
        *,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Ended | None:
        """Run a program to its end; None if it was killed after `timeout_s` seconds.

        Raises:
            BoardError: it did not start, or this was closed.
        """
        with self._start(command, folder, environment) as process:
            try:
                output, errors = process.communicate(timeout=timeout_s)
            except subprocess.TimeoutExpired:
                return None
            finally:
                self._stop(process)
        return Ended(process.returncode, output, errors)

    def _errors(
        self,
        command: list[str],
        timeout_s: float,
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[bytes]:
        """A program's lines on stderr; closing the iterator kills the program.

        Raises:
            BoardError: see `_execute`; or it ran longer than `timeout_s` seconds.
        """
        with self._start(command, None, environment, subprocess.DEVNULL) as process:
            late = threading.Event()

            def end() -> None:
                late.set()
                _end(process)

            killer = threading.Timer(timeout_s, end)
            killer.start()
            try:
                yield from process.stderr or ()
                if process.wait() < 0 or late.is_set():
                    raise BoardError(f"{command[0]} did not end within {timeout_s:.0f} s")
            finally:
                killer.cancel()
                self._stop(process)

    def _start(
        self,
        command: list[str],
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        output: int = subprocess.PIPE,
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise BoardError("the emulator was stopped")
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.PIPE,
                    cwd=folder,
                    env=environment,
                    process_group=0,
                )
            except OSError as error:
                raise BoardError(f"{command[0]}: {error.strerror}; try kws doctor") from None
            self._running.add(process)
        return process

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        _end(process)
        with self._lock:
            self._running.discard(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it with its children: an emulator's command may be a wrapper script."""
    if process.returncode is not None:
        return
    if not hasattr(os, "killpg"):  # Windows has no process groups of this kind
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
