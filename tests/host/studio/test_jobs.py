# SPDX-License-Identifier: Apache-2.0
"""Commands of the page: they equal the shown text, and survive the server."""

from __future__ import annotations

import http.client
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kws.audio.sound_files import load_clip, write_clip
from kws.errors import KwsError, UsageError
from kws.host.emulate.recordings import default_matrix
from kws.host.studio import job_process
from kws.host.studio.efforts import EFFORTS
from kws.host.studio.job_process import END, JOB, STOP
from kws.host.studio.jobs import BusyError, Jobs, JobState
from kws.host.studio.project import Project
from kws.host.studio.state import state_of
from kws.host.studio.tasks import Task, make_task
from tests.host.serial.sounding_board import SoundingBoard
from tests.host.studio.conftest import Serve, add_clips, add_trained_run, spoken

QUICK = {"effort": "quick"}

KILLS = 20


def long_task(project: Project, seconds: int = 60) -> Task:
    """A command that takes a minute and can be stopped."""
    write_clip(project.path / "quiet.wav", np.zeros(seconds * 16000, np.int16))
    return Task("listen", "", "Listen", ("listen", "--input", "quiet.wav", "--plain"))


def wait(jobs: Jobs, number: int, seconds: float = 60) -> JobState:
    """The state of a job after its end."""
    end = time.monotonic() + seconds
    while (job := jobs.find(number)) and job.state is JobState.RUNNING:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert job
    return job.state


def run_in_terminal(project: Project, command: str, *, check: bool = True) -> str:
    """Run a command as shown, in a shell in the project's folder; returns its error output."""
    program = f"{shlex.quote(sys.executable)} -c 'from kws.cli.main import main; main()'"
    line = command.replace("kws ", f"{program} ", 1)
    done = subprocess.run(
        line, shell=True, cwd=project.path, check=check, capture_output=True, text=True
    )
    return done.stderr


SLOW = (pytest.mark.slow, pytest.mark.emulator)


@pytest.mark.parametrize(
    "request_",
    [
        {"action": "page", **QUICK},
        {"action": "export", "kind": "arduino", **QUICK},
        {"action": "export", "kind": "web", **QUICK},
        {"action": "threshold", "value": 180, **QUICK},
        pytest.param({"action": "boards", **QUICK}, marks=SLOW),
        pytest.param({"action": "test", "board": "qemu", **QUICK}, marks=SLOW),
        pytest.param({"action": "build", "board": "nano33ble", **QUICK}, marks=SLOW),
        pytest.param({"action": "train", "effort": "good"}, marks=(pytest.mark.slow,)),
    ],
    ids=lambda request_: str(request_["action"]),
)
def test_a_button_does_what_its_command_does(
    tmp_path: Path,
    request_: dict[str, Any],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both leave the same files and the same page."""
    if request_["action"] in {"boards", "test", "build"}:
        request.getfixturevalue("board_tools")
    small = {"voices": 6, "takes": 2, "alike": 2, "sentences": 0, "epochs": 1}
    monkeypatch.setitem(EFFORTS, "good", replace(EFFORTS["good"], settings=small))
    projects = []
    for name in ("button", "terminal"):
        project = Project(tmp_path / name)
        project.save("yes, no", "en", "", [])
        add_clips(add_trained_run(project.path))
        projects.append(project)
    button, terminal = projects
    jobs = Jobs(button)
    task = make_task(button, request_, jobs.last)
    job = jobs.start(task)
    # A model that hears nothing ends kws wake with an error, and is there.
    ends = {JobState.DONE, JobState.FAILED} if task.action == "train" else {JobState.DONE}
    assert wait(jobs, job.id, 600) in ends, job.output()
    run_in_terminal(terminal, task.command, check=task.action != "train")
    shown = [state_of(project, Jobs(project)) for project in projects]
    same = {"pages", "exports", "firmware", "boards", "boards_for", "efforts"}
    assert {key: shown[0][key] for key in same} == {key: shown[1][key] for key in same}
    files = [written(project) for project in projects]
    assert files[0] == files[1]
    assert len(files[0]) > 5


@pytest.mark.process
def test_a_boards_microphone_records_the_words(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = Jobs(project)
    request = {"action": "record", "speaker": "Anna B"}
    task = make_task(project, request, jobs.last)
    assert task.command == (
        "kws record --words yes,no --out recordings --takes 10 --window-ms 1000 "
        "--speaker 'Anna B' --port auto"
    )
    quiet = np.random.default_rng(2).normal(0, 20, 8000).astype(np.int16)
    clip = load_clip(default_matrix() / "yes_slt.flac")
    with SoundingBoard(np.concatenate([quiet, clip, quiet])) as board:
        arguments = tuple(
            {"auto": str(board.device), "10": "1"}.get(it, it) for it in task.arguments
        )
        job = jobs.start(replace(task, arguments=arguments))
        assert wait(jobs, job.id) is JobState.DONE, job.output()
    assert project.name_speaker("Anna B") in {take.speaker for take in project.takes()}
    assert [take.word for take in project.takes()] == ["no", "yes"]
    assert set(project.settings.speakers.values()) == {"Anna B"}
    with pytest.raises(UsageError, match="name"):
        make_task(project, {"action": "record", "speaker": " "}, jobs.last)


@pytest.mark.parametrize(
    "request_",
    [
        {"action": "voice", "name": "en_US-libritts_r-medium"},
        {"action": "download", "name": "speech_commands"},
        {"action": "selftest", "board": "nano33ble"},
        {"action": "monitor", "board": "nano33ble"},
        pytest.param({"action": "deploy", "board": "nano33ble", **QUICK}, marks=SLOW),
    ],
    ids=lambda request_: str(request_["action"]),
)
def test_a_button_fails_like_its_command(
    project: Project,
    request_: dict[str, Any],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is no board, and no network."""
    if request_["action"] == "deploy":
        request.getfixturevalue("board_tools")
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    add_trained_run(project.path)
    jobs = Jobs(project)
    task = make_task(project, request_, jobs.last)
    job = jobs.start(task)
    assert wait(jobs, job.id, 300) is JobState.FAILED, job.output()
    shown = job.output().strip().splitlines()[-1]
    assert shown.startswith("kws: ")
    assert run_in_terminal(project, task.command, check=False).strip().splitlines()[-1] == shown


def written(project: Project) -> dict[str, bytes]:
    """What commands have written, apart from logs and checkpoints of a training."""
    folders = ("pages", "exports", "firmware", "runs/quick", "runs/good/bundle", "runs/good/data")
    return {
        str(file.relative_to(project.path)): file.read_bytes()
        for folder in folders
        for file in (project.path / folder).rglob("*")
        if file.is_file()
    }


def test_a_command_with_an_output_file_writes_it_only_once_complete(project: Project) -> None:
    jobs = Jobs(project)
    good = Task("boards", "", "List", ("boards", "--json"), "boards.json")
    assert wait(jobs, jobs.start(good).id) is JobState.DONE
    assert len(json.loads((project.path / "boards.json").read_text())) > 5
    bad = Task("boards", "", "List", ("boards", "--model", "nowhere", "--json"), "bad.json")
    job = jobs.start(bad)
    assert wait(jobs, job.id) is JobState.FAILED
    assert "nowhere" in job.output()
    assert not (project.path / "bad.json").exists()


def test_no_python_file_of_the_project_is_imported(project: Project) -> None:
    for name in ("numpy", "typer", "kws", "json"):
        (project.path / f"{name}.py").write_text("raise SystemExit('imported')")
    jobs = Jobs(project)
    job = jobs.start(Task("boards", "", "List", ("boards",)))
    assert wait(jobs, job.id) is JobState.DONE, job.output()


def test_one_command_runs_at_a_time(project: Project) -> None:
    jobs = Jobs(project)
    first = jobs.start(long_task(project))
    with pytest.raises(BusyError, match="Listen is running"):
        jobs.start(long_task(project))
    jobs.stop(first.id)
    assert wait(jobs, first.id) is JobState.STOPPED
    second = jobs.start(long_task(project, 1))
    assert wait(jobs, second.id) is JobState.DONE


def test_a_new_server_adopts_the_running_command(project: Project) -> None:
    number = Jobs(project).start(long_task(project)).id
    again = Jobs(project)
    running = again.running()
    assert running
    assert running.id == number
    again.stop(number)
    assert wait(again, number) is JobState.STOPPED


def test_a_stop_is_kept_if_its_signal_was_lost(project: Project, tmp_path: Path) -> None:
    """An interrupt can be lost while the process of a job still imports modules."""
    task = asdict(long_task(project))
    (tmp_path / JOB).write_text(json.dumps({"task": task}))
    (tmp_path / STOP).touch()
    lock = os.open(tmp_path, os.O_RDONLY)
    command = [sys.executable, "-m", job_process.__name__, str(tmp_path), str(lock)]
    subprocess.run(command, cwd=project.path, pass_fds=(lock,), check=True, timeout=50)
    os.close(lock)
    assert json.loads((tmp_path / END).read_text())["code"] != 0


def test_a_killed_command_is_interrupted(project: Project) -> None:
    jobs = Jobs(project)
    job = jobs.start(long_task(project))
    group = json.loads((job.folder / "process.json").read_text())["group"]
    time.sleep(0.5)
    os.killpg(group, signal.SIGKILL)
    assert wait(jobs, job.id) is JobState.INTERRUPTED
    assert jobs.running() is None


def test_starting_from_many_threads_starts_one(project: Project) -> None:
    jobs, started, refused = Jobs(project), [], []
    task = long_task(project)

    def start() -> None:
        try:
            started.append(jobs.start(task))
        except KwsError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(50):  # pages ask for the state meanwhile
        jobs.all()
    for thread in threads:
        thread.join()
    assert len(started) == 1
    assert all("is running" in line for line in refused)
    jobs.stop(started[0].id)
    assert wait(jobs, started[0].id) is JobState.STOPPED


def test_a_page_starts_and_stops_a_training(studio: Serve, project: Project) -> None:
    served = studio(project.path)
    number = served.start(action="train", effort="quick")
    status, content = served.request("POST", "/api/jobs", {"action": "page", "effort": "quick"})
    assert status == 400, content
    end = time.monotonic() + 120
    while not served.state()["jobs"][0]["step"]:
        assert time.monotonic() < end
        time.sleep(0.2)
    assert served.state()["efforts"][0]["run"] == "unfinished"
    served.request("POST", f"/api/jobs/{number}/stop")
    job = served.end_of(number)
    assert job["state"] == "stopped"
    assert "the same command resumes" in job["last"]
    again = served.json("POST", "/api/command", {"action": "train", "effort": "quick"})
    assert again["command"] == job["command"], "it resumes in the same folder"
    served.json(
        "PUT",
        "/api/settings",
        {"phrase": "yes", "language": "en", "data": "", "negatives": [], "sellable": False},
    )
    other = served.json("POST", "/api/command", {"action": "train", "effort": "quick"})
    assert other["command"].endswith("runs/quick-2"), "other words get their own folder"


def test_a_killed_server_loses_nothing(studio: Serve, project: Project) -> None:
    """Killed at random moments of recording; what a page was told to be saved is there."""
    rng = random.Random(7)
    saved = set()
    for _ in range(KILLS):
        served = studio(project.path)
        killer = threading.Timer(rng.uniform(0.05, 1.0), served.kill)
        killer.start()
        try:
            while True:
                status, content = served.request(
                    "POST", "/api/takes?word=yes&speaker=anna", spoken()
                )
                assert status == 201, content
                saved.add(json.loads(content)["name"])
        except (OSError, http.client.HTTPException):  # the latter: killed within its answer
            pass
        killer.join()
    assert len(saved) > KILLS
    shown = {take["name"] for take in studio(project.path).state()["takes"]}
    assert saved <= shown
    assert len(shown) <= len(saved) + KILLS, "at most one take per kill was not acknowledged"


def test_a_second_studio_is_refused_and_ctrl_c_ends_the_first(
    studio: Serve, project: Project
) -> None:
    first = studio(project.path)
    with pytest.raises(AssertionError, match="another kws command is using this folder"):
        studio(project.path)
    assert first.interrupt() == 130
    assert "the same command opens the page again" in first.errors()
    assert studio(project.path).state()["words"] == ["yes", "no"]
