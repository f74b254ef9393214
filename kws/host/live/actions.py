# SPDX-License-Identifier: Apache-2.0
"""Actions of `kws listen`: run commands on detections, save sound."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from kws.audio.capture.record import loudest_part
from kws.audio.dataset import Split
from kws.audio.mined_recordings import (
    AFTER_MS,
    MINED_FOLDER,
    MinedClip,
    add_clip,
    day_and_time,
    file_name,
    manifest_text,
)
from kws.audio.pcm import Pcm
from kws.audio.sound_cards import HEARD, MOST, NEAR, read_cards, write_card
from kws.audio.sound_files import write_clip
from kws.errors import KwsError, UsageError
from kws.files import descriptor, make_directory
from kws.host.live.listener import NearMiss
from kws.host.serial.lines import Heard
from kws.labels import SILENCE, UNKNOWN, word_of

_MOST = 8  # commands that run at once
_NEAR_EVERY_MS = 30_000


class Commands:
    """Runs a command each time its word is detected, without blocking."""

    def __init__(self, rules: Sequence[str], labels: Sequence[str], *, shell: bool) -> None:
        """`rules`: texts such as `yes=play ding.wav`; all rules of a word run.

        Raises:
            UsageError: a rule has no `=`, an unknown word, a missing program or an unclosed quote.
        """
        self._shell = shell
        words = [label for label in labels if label != SILENCE]
        self._rules: list[tuple[str, str | list[str]]] = []
        self._running: list[tuple[str, subprocess.Popen[bytes]]] = []
        for rule in rules:
            word, mark, command = rule.partition("=")
            word = word_of(word)
            if not mark or not command.strip():
                raise UsageError(f"--on {rule!r}: write it as word=command")
            if word not in words:
                raise UsageError(
                    f"--on {rule!r}: the model has no word {word!r}; it has {', '.join(words)}"
                )
            self._rules.append((word, command if shell else _split(rule, command)))

    def run(self, heard: Heard) -> list[str]:
        """Start the commands of a word; returns a line for each that could not be started.

        Their environment has KWS_WORD, KWS_SCORE and KWS_TIME_MS. They get no input; their output
        goes to stderr.
        """
        notices = []
        for word, command in self._rules:
            if word != heard.label:
                continue
            if len(self._running) >= _MOST:
                notices.append(f"{word}: {_MOST} commands still run; this one was skipped")
                continue
            about = {"WORD": word, "SCORE": str(heard.score), "TIME_MS": str(heard.time_ms)}
            try:
                process = subprocess.Popen(
                    command,
                    shell=self._shell,
                    stdin=subprocess.DEVNULL,
                    stdout=descriptor(sys.stderr),  # scripts read the stdout of kws
                    env={**os.environ, **{f"KWS_{key}": value for key, value in about.items()}},
                )
            except OSError as error:
                notices.append(f"{word}: the command did not start: {error.strerror}")
                continue
            self._running.append((word, process))
        return notices

    @property
    def running(self) -> int:
        """Number of running commands."""
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


class WakeUps:
    """Saves the sound of detections, as a data set for `kws train --negatives`."""

    def __init__(self, folder: Path, most: int, source: str) -> None:
        """Make the folder.

        Args:
            folder: the data set; one of an earlier run is extended.
            most: maximum number of recordings in it.
            source: name of the sound source.

        Raises:
            DataError: the folder holds another data set.
            KwsError: it cannot be made.
        """
        self._folder, self._most, self._source = folder, most, source
        self._waiting: deque[tuple[Heard, int]] = deque()
        self._full = False
        manifest_text(folder)
        make_directory(folder / MINED_FOLDER)

    def add(self, heard: Heard, now_ms: int) -> None:
        """Schedule saving the sound around a detection; `unknown` is ignored.

        Args:
            heard: the detection.
            now_ms: milliseconds of sound since the start.
        """
        if heard.label != UNKNOWN:
            self._waiting.append((heard, now_ms))

    def write_due(self, now_ms: int, recent: Callable[[int], Pcm], *, all_due: bool) -> list[str]:
        """Write recordings that have enough sound after the keyword; returns a line for each.

        Args:
            now_ms: milliseconds of sound since the start.
            recent: returns the last seconds of sound, until so many milliseconds ago.
            all_due: the sound has ended, so write all.
        """
        notices = []
        while self._waiting and (all_due or now_ms >= self._waiting[0][1] + AFTER_MS):
            heard, at_ms = self._waiting.popleft()
            try:
                notices += self._write(heard, at_ms, recent(0))
            except KwsError as error:  # a full disk does not end listening
                notices.append(str(error))
        return notices

    def _write(self, heard: Heard, at_ms: int, pcm: Pcm) -> list[str]:
        count = sum(1 for _ in (self._folder / MINED_FOLDER).glob("*.wav"))
        was_full, self._full = self._full, count >= self._most
        if self._full:
            line = f"{self._folder}: holds {count} recordings; delete some or raise --keep-most"
            return [] if was_full else [line]
        day, time = day_and_time()
        clip = MinedClip(
            f"{MINED_FOLDER}/{file_name(day, time, heard.label)}",
            Split.TRAIN,
            day,
            self._source,
            at_ms / 1000,
            heard.label,
            heard.score,
        )
        return [f"{add_clip(self._folder, clip, pcm)}: the sound of a detection"]


class Cards:
    """Saves words that were heard or nearly heard, for the user to sort; see `sound_cards`."""

    def __init__(self, folder: Path) -> None:
        """Make the folder; cards of an earlier run stay.

        Raises:
            KwsError: it cannot be made.
        """
        self._folder = folder
        self._waiting: deque[tuple[str, str, int, int]] = deque()  # kind, word, score, end in ms
        self._near_ms = -_NEAR_EVERY_MS
        self._full = False
        make_directory(folder)

    def add(self, heard: Heard, now_ms: int) -> None:
        """Schedule saving the sound of a detection; `unknown` is ignored.

        Args:
            heard: the detection.
            now_ms: milliseconds of sound since the start.
        """
        if heard.label != UNKNOWN:
            self._waiting.append((HEARD, heard.label, heard.score, now_ms + AFTER_MS))

    def add_near(self, miss: NearMiss) -> None:
        """Schedule saving the sound of a near miss, at most one in half a minute: talk has many."""
        if miss.time_ms - self._near_ms >= _NEAR_EVERY_MS:
            self._near_ms = miss.time_ms
            self._waiting.append((NEAR, miss.label, miss.score, miss.time_ms + AFTER_MS))

    def write_due(self, now_ms: int, recent: Callable[[int], Pcm], *, all_due: bool) -> list[str]:
        """Write the cards that have enough sound after the word; returns a line for each.

        Args:
            now_ms: milliseconds of sound since the start.
            recent: returns seconds of sound that ended so many milliseconds ago.
            all_due: the sound has ended, so write all.
        """
        due = [it for it in self._waiting if all_due or now_ms >= it[3]]
        notices = []
        for item in due:
            self._waiting.remove(item)
            kind, label, score, end_ms = item
            try:
                notices += self._write(kind, label, score, recent(max(0, now_ms - end_ms)))
            except KwsError as error:  # a full disk does not end listening
                notices.append(str(error))
        return notices

    def _write(self, kind: str, label: str, score: int, pcm: Pcm) -> list[str]:
        was_full, self._full = self._full, len(read_cards(self._folder)) >= MOST
        if self._full:
            line = f"{self._folder}: {MOST} sounds wait to be sorted; sort or delete some"
            return [] if was_full else [line]
        what = "a word that was heard" if kind == HEARD else "a word that was nearly heard"
        return [f"{write_card(self._folder, kind, label, score, pcm)}: {what}"]


class Misses:
    """Saves sound that the user wants to label later."""

    def __init__(self, folder: Path, samples: int) -> None:
        """Make the folder.

        Args:
            folder: receives the clips.
            samples: length of a clip: the model's window.

        Raises:
            KwsError: it cannot be made.
        """
        self._folder, self._samples = folder, samples
        make_directory(folder)

    def keep(self, recent: Pcm) -> Path:
        """Write the loudest part of the recent sound, positioned as in a data set's clips.

        Raises:
            KwsError: the file could not be written.
        """
        # If the user moves it into a word's folder, the day counts as the speaker.
        day, time = day_and_time()
        path = self._folder / file_name(f"{day}_nohash_{time}")
        write_clip(path, loudest_part(recent, self._samples))
        return path


def _split(rule: str, command: str) -> list[str]:
    if sys.platform == "win32":  # a backslash separates folders
        command = command.replace("\\", "\\\\")
    try:
        parts = shlex.split(command)
    except ValueError:
        raise UsageError(f"--on {rule!r}: a quote is not closed") from None
    if shutil.which(parts[0]) is None:
        raise UsageError(
            f"--on {rule!r}: there is no program {parts[0]!r}; for a shell command, add --shell"
        )
    return parts
