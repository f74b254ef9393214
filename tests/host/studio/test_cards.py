# SPDX-License-Identifier: Apache-2.0
"""Sounds that the model heard or missed, sorted for the next training."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kws.audio.dataset import Split
from kws.audio.long_recordings import has_recordings
from kws.audio.sound_cards import HEARD, MISSED
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import UsageError
from kws.host.emulate.recordings import default_matrix
from kws.host.studio import cards
from kws.host.studio.cards import add_card, all_cards, card_facts, find_card, sort_card
from kws.host.studio.efforts import EFFORTS
from kws.host.studio.jobs import Jobs, JobState
from kws.host.studio.project import HOME, Project
from kws.host.studio.tasks import Task, make_task, train_task
from tests.host.studio.conftest import add_trained_run, spoken

SOUND = np.frombuffer(spoken(), "<i2").astype(np.int16)


def test_a_word_becomes_a_recording(project: Project) -> None:
    file = add_card(project, MISSED, "yes", 0, SOUND)
    (card,) = all_cards(project)
    assert (card.path, card.kind, card.label, card.score) == (file, MISSED, "yes", 0)
    assert re.fullmatch(r"\d\d:\d\d:\d\d", str(card_facts(card)["time"]))
    assert sort_card(project, card, "mine", "Anna") == ""
    assert all_cards(project) == []
    (take,) = project.takes()
    assert take.word == "yes"
    assert project.settings.speakers[take.speaker] == "Anna"


def test_a_false_alarm_becomes_talk_for_the_next_training(project: Project) -> None:
    add_trained_run(project.path, "good")
    good = EFFORTS["good"]
    before = train_task(project, good, lambda _: None)
    add_card(project, HEARD, "no", 231, SOUND)
    (card,) = all_cards(project)
    sort_card(project, card, "other", "")
    assert all_cards(project) == []
    (clip,) = (project.path / HOME / "mined").glob("*.wav")
    assert clip.name.endswith("_no.wav")
    assert has_recordings(project.path / HOME, Split.TRAIN, "speech")
    assert project.settings.negatives == (HOME,)
    after = train_task(project, good, lambda _: before)
    assert after.inputs != before.inputs
    assert after.arguments[-1] == "runs/good-2", "the first model is kept"
    assert "--negatives" not in after.arguments, "without other talk there is none for validation"
    (project.path / "talk").mkdir()
    project.save("yes, no", "en", "", ["talk", HOME])
    both = train_task(project, good, lambda _: before)
    assert both.arguments[-6:-2] == ("--negatives", "talk", "--negatives", HOME)


def listened(project: Project, action: str) -> Task:
    """A finished `kws listen`, with a recording of *yes* in place of the microphone."""
    wav = project.path / "yes.wav"
    write_clip(wav, load_clip(default_matrix() / "yes_slt.flac"))
    jobs = Jobs(project)
    task = make_task(project, {"action": action, "effort": "quick"}, jobs.last)
    job = jobs.start(replace(task, arguments=(*task.arguments, "--input", str(wav), "--fast")))
    end = time.monotonic() + 60
    while (now := jobs.find(job.id)) and now.state is JobState.RUNNING:
        assert time.monotonic() < end
        time.sleep(0.1)
    assert now
    assert now.state is JobState.DONE, now.output()
    return task


@pytest.mark.process
def test_what_woke_the_model_at_home_is_talk_once_there_is_some(project: Project) -> None:
    add_trained_run(project.path)
    (project.path / "talk").mkdir()
    (project.path / HOME).mkdir(parents=True)
    project.save("yes, no", "en", "", ["talk", HOME])
    good = EFFORTS["good"]
    assert HOME not in train_task(project, good, lambda _: None).arguments
    task = listened(project, "home")
    assert task.command == "kws listen --model runs/quick/bundle --keep sound/home --plain"
    assert HOME in train_task(project, good, lambda _: None).arguments


@pytest.mark.process
def test_what_kws_listen_hears_becomes_cards(project: Project) -> None:
    add_trained_run(project.path)
    task = listened(project, "sort")
    assert task.command == "kws listen --model runs/quick/bundle --cards cards --plain"
    (card,) = all_cards(project)
    assert (card.kind, card.label) == (HEARD, "yes")
    project.save("left", "en", "", [])
    assert all_cards(project) == [], "a word of another project"


def test_a_board_may_be_the_microphone(project: Project) -> None:
    add_trained_run(project.path)
    request = {"action": "sort", "effort": "quick", "board": True}
    task = make_task(project, request, lambda _: None)
    assert "--port auto" in task.command


def test_a_discarded_card_leaves_nothing(project: Project) -> None:
    add_card(project, HEARD, "yes", 255, SOUND)
    sort_card(project, all_cards(project)[0], "discard", "")
    assert all_cards(project) == []
    assert project.takes() == []
    assert not (project.path / HOME).exists()


def test_a_bad_sound_is_not_a_recording_and_stays(project: Project) -> None:
    add_card(project, MISSED, "yes", 0, SOUND // 400)
    (card,) = all_cards(project)
    assert "too quiet" in sort_card(project, card, "mine", "")
    assert all_cards(project) == [card]
    assert project.takes() == []


@pytest.mark.parametrize(
    ("kind", "label", "score"),
    [("other", "yes", 1), (HEARD, "../x", 1), (HEARD, "left", 1), (HEARD, "yes", 256)],
)
def test_invalid_cards_are_refused(project: Project, kind: str, label: str, score: int) -> None:
    with pytest.raises(UsageError):
        add_card(project, kind, label, score, SOUND)
    assert not (project.path / "cards").exists()


def test_other_files_are_no_cards(project: Project) -> None:
    add_card(project, HEARD, "yes", 1, SOUND)
    (project.path / "cards" / "notes.wav").write_bytes(b"")
    assert len(all_cards(project)) == 1
    for name in ("notes.wav", "../studio.toml", ""):
        assert find_card(project, name) is None
    with pytest.raises(UsageError):
        sort_card(project, all_cards(project)[0], "rm", "")


def test_too_many_cards_are_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "MOST", 2)
    for score in (1, 2):
        add_card(project, HEARD, "yes", score, SOUND)
    with pytest.raises(UsageError, match="sort some first"):
        add_card(project, HEARD, "yes", 3, SOUND)


def test_a_phrase_with_underscores_is_read_back(tmp_path: Path) -> None:
    project = Project(tmp_path / "phrase")
    project.save("hey big marvin", "en", "", [])
    add_card(project, HEARD, "hey_big_marvin", 200, SOUND)
    assert all_cards(project)[0].label == "hey_big_marvin"
