# SPDX-License-Identifier: Apache-2.0
"""What the buttons of `kws studio` do: each is one `kws` command in the project's folder."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kws.audio.download import find_archive
from kws.audio.tts.voice_catalogue import read_catalogue
from kws.bundle.recognizer_settings import NEVER
from kws.errors import UsageError, did_you_mean
from kws.host.build.boards import boards
from kws.host.export.exporters import EXPORTERS
from kws.host.studio.efforts import (
    EFFORTS,
    Effort,
    Run,
    finished_run,
    run_name,
    runs_of,
    spoken_words,
    wake_arguments,
    wake_settings,
)
from kws.host.studio.project import (
    BROWSER_PORT,
    CARDS,
    EXPORTS,
    FIRMWARE,
    HOME,
    MOST_NAME,
    PAGES,
    RECORDINGS,
    SOUND,
    Project,
)

Request = Mapping[str, Any]

WEB = "web"
"""The exporter of a page, which is not in EXPORTERS."""

SOUNDS = ("speech_commands", "librispeech")
"""Data sets that the page offers: words by people, and talk."""

_TAKES = 10  # of each word, with a board

BOARDS_FILE = "boards.json"
"""File in a run with the output of `kws boards --json`."""


@dataclass(frozen=True)
class Task:
    """A command that a button runs."""

    action: str
    of: str
    """What it is for: an effort, a board or a voice."""

    title: str
    arguments: tuple[str, ...]
    """The command line without `kws`; paths start at the project's folder."""

    output: str = ""
    """File for the command's standard output; empty if it is for reading only."""

    inputs: str = ""
    """Identifies the recordings that the command reads."""

    request: Request = field(default_factory=dict)
    """The page's request, which repeats or resumes the command."""

    @property
    def command(self) -> str:
        """The command for a terminal."""
        line = shlex.join(("kws", *self.arguments))
        return f"{line} > {shlex.quote(self.output)}" if self.output else line


def make_task(project: Project, request: Request, last: Callable[[str], Task | None]) -> Task:
    """The command for a page's request.

    Args:
        project: the project.
        request: `action` and what it needs.
        last: the last command that wrote a run's folder; None if the page did not start it.

    Raises:
        UsageError: the request is invalid, or something that it needs is missing.
    """
    make = _TASKS.get(_text(request, "action"))
    if make is None:
        raise UsageError("no such action; reload the page")
    return replace(make(project, request, last), request=dict(request))


def train_task(project: Project, effort: Effort, last: Callable[[str], Task | None]) -> Task:
    """The command that trains, resumes or repeats a run with the present settings.

    A run with other settings or recordings is kept, and the next one gets its own folder.

    Raises:
        UsageError: there is no phrase.
    """
    if not project.words:
        raise UsageError("choose a word first")
    wake_settings(project, effort)
    newest = next(reversed(runs_of(project, effort.name)), None)
    task = _train(project, effort, newest.number if newest else 1)
    if newest and not _is_from(newest, task, last(_out(task)), project):
        task = _train(project, effort, newest.number + 1)
    return task


def _is_from(run: Run, task: Task, before: Task | None, project: Project) -> bool:
    """Whether a run is from the command `task`; `before` is the last one that the page started."""
    if before is None:  # started in a terminal
        return spoken_words(run) in {None, project.words} and run.began >= project.sound_time
    return before.arguments == task.arguments and before.inputs == task.inputs


def _train(project: Project, effort: Effort, number: int) -> Task:
    arguments = wake_arguments(project, effort, run_name(effort.name, number))
    title = f"Train: {effort.title.lower()}"
    return Task("train", effort.name, title, arguments, inputs=project.sound_hash)


def _out(task: Task) -> str:
    return task.arguments[-1]


def _train_request(project: Project, request: Request, last: Callable[[str], Task | None]) -> Task:
    return train_task(project, _effort(request), last)


def _voice(_: Project, request: Request, __: object) -> Task:
    name = _text(request, "name")
    known = [voice.name for voice in read_catalogue().others]
    if name not in known:
        raise UsageError(f"no voice {name!r}{did_you_mean(name, known)}")
    return Task("voice", name, f"Get the voice {name}", ("voices", "get", name))


def _download(_: Project, request: Request, __: object) -> Task:
    name = _text(request, "name")
    if name not in SOUNDS:
        raise UsageError(f"no data set {name!r}{did_you_mean(name, SOUNDS)}")
    title = f"Download {find_archive(name).name}"
    return Task("download", name, title, ("download", name, "--out", f"{SOUND}/{name}"))


def _threshold(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    value = request.get("value")
    if type(value) is not int or not 0 <= value <= NEVER:
        raise UsageError(f"a threshold is between 0 and {NEVER}")
    arguments = ("set", f"{run}/bundle", "--threshold", str(value))
    return Task("threshold", name, f"Set the threshold to {value}", arguments)


def _boards(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    arguments = ("boards", "--model", f"{run}/bundle", "--json")
    return Task("boards", name, "Compare the boards", arguments, f"{run}/{BOARDS_FILE}")


def _page(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    arguments = ("export", WEB, "--model", f"{run}/bundle", "--out", f"{PAGES}/{name}")
    return Task("page", name, "Make the page to try", arguments)


def _home(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    arguments = ("listen", "--model", f"{run}/bundle", "--keep", HOME, *_microphone(request))
    return Task("home", name, "Listen at home", arguments)


def _sort(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    arguments = ("listen", "--model", f"{run}/bundle", "--cards", CARDS, *_microphone(request))
    return Task("sort", name, "Listen and keep the words", arguments)


def _record(project: Project, request: Request, _: object) -> Task:
    speaker = _text(request, "speaker").strip()
    if not project.words:
        raise UsageError("choose a word first")
    if not 0 < len(speaker) <= MOST_NAME:
        raise UsageError(f"enter a name of up to {MOST_NAME} characters")
    arguments = (
        *("record", "--words", ",".join(project.words), "--out", RECORDINGS),
        *("--takes", str(_TAKES), "--window-ms", str(project.take_ms)),
        *("--speaker", speaker),
        *(_port(request) or ("--port", "auto")),
    )
    return Task("record", "", "Record with a board", arguments)


def _microphone(request: Request) -> tuple[str, ...]:
    """Options for this machine's microphone, or for the board's on USB."""
    is_board = request.get("board") is True
    return (*((_port(request) or ("--port", "auto")) if is_board else ()), "--plain")


def _test(project: Project, request: Request, _: object) -> Task:
    run, _name = _model(project, request)
    board = _board(request)
    # Whether the model is good is for step Judge; here the board has to do what this machine does.
    arguments = (
        *("test", "--board", board, "--model", f"{run}/bundle", "--data", f"{run}/data"),
        *("--pass-rate", "0"),
    )
    return Task("test", board, f"Run in the emulator: {board}", arguments)


def _build(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    board = _board(request)
    out = f"{FIRMWARE}/{name}-{board}"
    arguments = ("build", "--board", board, "--model", f"{run}/bundle", "--out", out)
    return Task("build", board, f"Build for {board}", arguments)


def _deploy(project: Project, request: Request, _: object) -> Task:
    run, _name = _model(project, request)
    board = _board(request)
    arguments = ("deploy", "--board", board, "--model", f"{run}/bundle", *_port(request))
    return Task("deploy", board, f"Write to {board}", arguments)


def _selftest(_: Project, request: Request, __: object) -> Task:
    board = _board(request)
    return Task("selftest", board, f"Test {board}", ("selftest", "--board", board, *_port(request)))


def _monitor(_: Project, request: Request, __: object) -> Task:
    board = _board(request)
    arguments = ("monitor", "--board", board, "--level", *_port(request))
    return Task("monitor", board, f"Watch {board}", arguments)


def _export(project: Project, request: Request, _: object) -> Task:
    run, name = _model(project, request)
    kind = _text(request, "kind")
    if kind not in {WEB, *EXPORTERS}:
        raise UsageError(f"no export {kind!r}{did_you_mean(kind, EXPORTERS)}")
    out = f"{EXPORTS}/{name}-{kind}"
    arguments = ("export", kind, "--model", f"{run}/bundle", "--out", out)
    return Task("export", kind, f"Export: {kind}", arguments)


_TASKS: dict[str, Callable[[Project, Request, Callable[[str], Task | None]], Task]] = {
    "train": _train_request,
    "voice": _voice,
    "download": _download,
    "threshold": _threshold,
    "boards": _boards,
    "page": _page,
    "home": _home,
    "sort": _sort,
    "record": _record,
    "test": _test,
    "build": _build,
    "deploy": _deploy,
    "selftest": _selftest,
    "monitor": _monitor,
    "export": _export,
}


def _port(request: Request) -> tuple[str, ...]:
    """Options for a board at the browser's USB; empty for one at this machine's."""
    return ("--port", BROWSER_PORT) if request.get("browser") is True else ()


def _effort(request: Request) -> Effort:
    effort = EFFORTS.get(_text(request, "effort"))
    if effort is None:
        raise UsageError("no such effort; reload the page")
    return effort


def _model(project: Project, request: Request) -> tuple[str, str]:
    """The folder of an effort's finished run, from the project's folder, and the effort's name."""
    effort = _effort(request)
    run = finished_run(project, effort.name)
    if run is None:
        raise UsageError(f"there is no finished model ({effort.title.lower()}); train it first")
    return run_name(effort.name, run.number), effort.name


def _board(request: Request) -> str:
    name = _text(request, "board")
    known = [board.name for board in boards()]
    if name not in known:
        raise UsageError(f"there is no board {name!r}{did_you_mean(name, known)}")
    return name


def _text(request: Request, key: str) -> str:
    value = request.get(key)
    if not isinstance(value, str):
        raise UsageError(f"the request has no {key}; reload the page")
    return value
