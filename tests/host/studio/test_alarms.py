# SPDX-License-Identifier: Apache-2.0
"""False alarms of a report that were the user's word after all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from kws.audio.sound_files import write_clip
from kws.audio.surroundings import Surroundings
from kws.errors import DataError, UsageError
from kws.host.studio.alarms import alarm_facts, answer_alarm
from kws.host.studio.efforts import EFFORTS
from kws.host.studio.project import Project
from kws.host.studio.tasks import train_task
from kws.model.evaluate.evaluation import Evaluation
from kws.model.evaluate.judge.stream_metrics import FalseAlarm
from kws.model.evaluate.report.html_report import save_report
from tests.host.studio.conftest import Studio, add_trained_run
from tests.model.evaluate.report.made_evaluation import made_evaluation

if TYPE_CHECKING:
    from playwright.sync_api import Page

ALARM: dict[str, Any] = {
    "label": "yes",
    "peak": 150,
    "sound": "data:audio/wav;base64,",
    "path": "sound/home/mined/evening.wav",
    "seconds": [4.0, 6.5],
}


@pytest.fixture
def evening(project: Project) -> Path:
    """Ten seconds of talk in the project."""
    path = project.path / "sound" / "evening" / "evening.wav"
    write_clip(path, np.full(160_000, 100, np.int16))
    project.save("yes, no", "en", "", ["sound/evening"])
    return path


def alarm_in(path: Path | str) -> dict[str, Any]:
    return ALARM | {"path": str(path)}


def test_a_word_is_left_out_of_the_talk_from_the_next_training_on(
    project: Project, evening: Path
) -> None:
    add_trained_run(project.path, "good")
    good = EFFORTS["good"]
    before = train_task(project, good, lambda _: None)
    alarm = alarm_in("sound/evening/evening.wav")
    assert alarm_facts(project, alarm) == {
        **{name: ALARM[name] for name in ("label", "peak", "sound")},
        "mine": False,
    }
    track = answer_alarm(project, alarm, mine=True)
    assert track == evening.with_suffix(".txt")
    assert track.read_text() == "4.000\t6.500\tyes\n"
    assert alarm_facts(project, alarm)["mine"] is True
    assert answer_alarm(project, alarm, mine=True).read_text() == "4.000\t6.500\tyes\n"
    parts = Surroundings((evening.parent,)).talk(None, ["yes", "no"])
    assert [part.part for part in parts] == [(0.0, 0.35), (0.7, 1.0)]
    after = train_task(project, good, lambda _: before)
    assert after.arguments[-1] == "runs/good-2", "the talk has changed"
    answer_alarm(project, alarm, mine=False)
    assert alarm_facts(project, alarm)["mine"] is False
    assert train_task(project, good, lambda _: None).inputs == before.inputs


def test_nothing_outside_the_project_is_written(
    project: Project, tmp_path: Path, evening: Path
) -> None:
    outside = tmp_path / "radio" / "radio.wav"
    write_clip(outside, np.zeros(16_000, np.int16))
    (evening.parent / "link.wav").symlink_to(outside)
    for path in (outside, "../radio/radio.wav", "sound/evening/link.wav"):
        with pytest.raises(UsageError) as error:
            answer_alarm(project, alarm_in(path), mine=True)
        assert str(error.value) == (
            "radio.wav is not in this project; add this line to "
            f"{outside.resolve().with_suffix('.txt')}: 4.000 TAB 6.500 TAB yes"
        )
    assert [path.name for path in outside.parent.iterdir()] == ["radio.wav"]


def test_what_cannot_be_noted_is_one_clear_line(project: Project, evening: Path) -> None:
    word = ALARM | {"path": "", "seconds": None}
    assert alarm_facts(project, word)["mine"] is None
    with pytest.raises(UsageError, match="not from a recording of talk"):
        answer_alarm(project, word, mine=True)
    by_voice = alarm_in("runs/good/talk/espeak-en-us-m1_0badcafe.wav")
    assert alarm_facts(project, by_voice)["mine"] is None
    with pytest.raises(UsageError, match=r"gone.wav: no such file; train again"):
        answer_alarm(project, alarm_in("sound/evening/gone.wav"), mine=True)
    evening.with_suffix(".txt").write_text("we said yes to it")
    with pytest.raises(DataError, match=r"evening.txt: line 1: must be start, end"):
        answer_alarm(project, alarm_in("sound/evening/evening.wav"), mine=True)
    assert evening.with_suffix(".txt").read_text() == "we said yes to it"


def evaluation_of(talk: str) -> Evaluation:
    """An evaluation with false alarms in a recording of talk."""
    made = made_evaluation()
    assert made.stream
    excerpts = tuple(
        replace(excerpt, file=Path(talk), seconds=(2.0 * place, 2.0 * place + 2.5))
        if isinstance(excerpt.event, FalseAlarm)
        else excerpt
        for place, excerpt in enumerate(made.stream.excerpts)
    )
    return replace(made, stream=replace(made.stream, excerpts=excerpts))


def test_the_page_notes_it_and_takes_it_back(
    studio: Callable[[Path], Studio], page: Page, project: Project, evening: Path
) -> None:
    run = add_trained_run(project.path)
    save_report(run / "report", evaluation_of("sound/evening/evening.wav"))
    served = studio(project.path)
    page.goto(served.url)
    page.get_by_role("link", name="Judge").click()
    page.get_by_role("slider", name="Threshold").fill("100")
    said = page.get_by_role("button", name="That was my word").first
    said.click()
    page.get_by_text("Noted in sound/evening/evening.txt.").wait_for()
    track = evening.with_suffix(".txt")
    assert track.read_text() == "0.000\t2.500\tyes\n"
    page.reload()
    page.get_by_role("slider", name="Threshold").fill("100")
    pressed = page.get_by_role("button", name="That was my word", pressed=True)
    pressed.click()
    page.get_by_text("Removed from sound/evening/evening.txt.").wait_for()
    assert track.read_text() == ""
    assert pressed.count() == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("quick/alarms/0", {"mine": "yes"}),
        ("quick/alarms/0", [True]),
        ("quick/alarms/99", {"mine": True}),
        ("quick/alarms/-1", {"mine": True}),
        ("good/alarms/0", {"mine": True}),
    ],
)
def test_wrong_requests_write_nothing(
    studio: Callable[[Path], Studio], project: Project, evening: Path, path: str, body: object
) -> None:
    run = add_trained_run(project.path)
    save_report(run / "report", evaluation_of("sound/evening/evening.wav"))
    answered, _ = studio(project.path).request("POST", f"/api/runs/{path}", body)
    assert answered in {400, 404}
    assert not evening.with_suffix(".txt").exists()
