# SPDX-License-Identifier: Apache-2.0
"""What `kws listen` does when something was heard, or was not: run commands, keep the sound."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from kws.audio.capture.record import loudest_second
from kws.audio.sound_files import write_clip
from kws.errors import UsageError
from kws.files import make_directory
from kws.host.emulate.padding import Pcm
from kws.host.serial.lines import Heard

_MOST = 8  # commands that run at once


class Commands:
    """Runs a command whenever its word is heard; listening goes on meanwhile."""

    def __init__(self, rules: Sequence[str], labels: Sequence[str], *, shell: bool) -> None:
        """`rules`: texts such as `yes=play ding.wav`; several of a word all run.

        Raises:
            UsageError: a rule without `=`, of a word that the model does not know, of a program
                that is not there, or with quotes that do not close.
        """
        self._shell = shell
        self._rules: list[tuple[str, str | list[str]]] = []
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        for rule in rules:
            word, mark, command = rule.partition("=")
            if not mark or not command.strip():
                raise UsageError(f"--on {rule!r}: write it as word=command")
            if word not in labels[1:]:
                raise UsageError(
                    f"--on {rule!r}: the model has no word {word!r}; it has {', '.join(labels[1:])}"
                )
            self._rules.append((word, command if shell else _split(rule, command)))

    def run(self, heard: Heard) -> list[str]:
        """Start what belongs to a word; gives a line for each command that could not be started.

        The command finds KWS_WORD, KWS_SCORE and KWS_TIME_MS in its environment. It gets no input;
        what it prints goes to stderr.
        """
        notices = []
        for word, command in self._rules:
            if word != heard.label:
                continue
            if len(self._running) >= _MOST:
                notices.append(f"{word}: {_MOST} commands still run; this one was left out")
                continue
            about = {"WORD": word, "SCORE": str(heard.score), "TIME_MS": str(heard.time_ms)}
            try:
                process = subprocess.Popen(
                    command,
                    shell=self._shell,
                    stdin=subprocess.DEVNULL,
                    stdout=_stderr(),
                    env={**os.environ, **{f"KWS_{key}": value for key, value in about.items()}},
                )
            except OSError as error:
                notices.append(f"{word}: the command did not start: {error.strerror}")
                continue
            self._running.append((word, process))
        return notices

    @property
    def running(self) -> int:
        """How many commands have not ended."""
        return sum(process.poll() is None for _, process in self._running)

    def ended(self) -> list[str]:
        """A line for each command that failed since the last call."""
        notices = []
        for word, process in list(self._running):
            if process.poll() is not None:
                self._running.remove((word, process))
                if process.returncode:
                    notices.append(f"{word}: its command ended with exit code {process.returncode}")
        return notices


class Misses:
    """Keeps sound that the user wants to label later."""

    def __init__(self, folder: Path) -> None:
        """Raises KwsError where the folder cannot be made."""
        self._folder = folder
        make_directory(folder)

    def keep(self, recent: Pcm) -> Path:
        """Write the loudest second of what was heard last, where a data set's clips have the word.

        Raises:
            KwsError: the file could not be written.
        """
        now = datetime.now().astimezone()
        # Moved into a word's folder, the part before the last _ counts as the speaker.
        path = self._folder / f"{now:%Y%m%d_%H%M%S}{now.microsecond // 1000:03}.wav"
        write_clip(path, loudest_second(recent))
        return path


def _split(rule: str, command: str) -> list[str]:
    try:
        parts = shlex.split(command)
    except ValueError:
        raise UsageError(f"--on {rule!r}: a quote is not closed") from None
    if shutil.which(parts[0]) is None:
        raise UsageError(
            f"--on {rule!r}: there is no program {parts[0]!r}; for a line of shell, add --shell"
        )
    return parts


def _stderr() -> int | None:
    """Where commands print: not into what a script reads of kws."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return None
