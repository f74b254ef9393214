# SPDX-License-Identifier: Apache-2.0
"""The folder of a studio project: settings, recordings, refusals."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from kws import file_locks
from kws.audio.capture.record import speaker_hash
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.cli.studio_command import studio
from kws.errors import KwsError, ToolError, UsageError
from kws.host.studio.efforts import EFFORTS, finished_run, wake_arguments, wake_settings
from kws.host.studio.project import SETTINGS_FILE, Project
from kws.host.studio.tasks import train_task
from kws.model.wake.wake_word import CLIP_SETTINGS_FILE
from tests.host.studio.conftest import add_trained_run, spoken


def take() -> Pcm:
    return np.frombuffer(spoken(), "<i2").astype(np.int16)


def test_settings_survive_in_the_folder(project: Project) -> None:
    (project.path / "talk").mkdir()
    project.save("hey marvin", "de", "", ["talk"])
    again = Project(project.path)
    assert again.settings == project.settings
    assert again.words == ("hey_marvin",)
    assert again.settings.negatives == ("talk",)
    assert again.take_ms > 1000, "a phrase takes longer than a word"


@pytest.mark.parametrize(
    ("phrase", "language", "data", "reason"),
    [
        ("yes, yes", "en", "", "given twice"),
        ("unknown", "en", "", "unknown"),
        ("x" * 40, "en", "", "40 bytes"),
        ("a\nb", "en", "", "control characters"),
        ("yes", "", "", "language"),
        ("yes", "en", "nowhere", "no such folder"),
        ("../../yes", "en", "", "cannot be"),
        ("yes, \u043f\u0440\u0438\u0432\u0435\u0442", "en", "", "English voices cannot read"),
    ],
)
def test_wrong_settings_are_refused_and_change_nothing(
    project: Project, phrase: str, language: str, data: str, reason: str
) -> None:
    before = (project.path / SETTINGS_FILE).read_bytes()
    with pytest.raises(UsageError, match=reason):
        project.save(phrase, language, data, [])
    assert (project.path / SETTINGS_FILE).read_bytes() == before


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UsageError, match="other files"):
        Project(tmp_path)
    with pytest.raises(UsageError, match="file"):
        Project(tmp_path / "thesis.tex")
    assert [it.name for it in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_damaged_settings_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("phrase = ")
    with pytest.raises(KwsError, match=SETTINGS_FILE):
        Project(tmp_path)


def test_a_take_is_cut_and_saved_as_kws_record_does(project: Project) -> None:
    file, problem = project.add_take("yes", "Anna", take())
    assert file
    assert problem == ""
    assert file.name == f"{speaker_hash('Anna')}_nohash_0.wav"
    assert len(load_clip(file)) == 16000
    assert project.settings.speakers == {speaker_hash("Anna"): "Anna"}
    assert [(it.word, it.speaker) for it in project.takes()] == [("yes", speaker_hash("Anna"))]
    second, _ = project.add_take("yes", "Anna", take())
    assert second
    assert second != file


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda pcm: pcm // 400, "too quiet"),
        (lambda pcm: np.clip(pcm.astype(np.int32) * 9, -32768, 32767).astype(np.int16), "clipped"),
        (lambda pcm: np.roll(pcm, -17600), "cut off"),
    ],
)
def test_a_bad_take_is_not_saved(project: Project, change: object, reason: str) -> None:
    assert callable(change)
    file, problem = project.add_take("yes", "Anna", change(take()))
    assert file is None
    assert reason in problem
    assert "--" not in problem, "a page has no options"
    assert project.takes() == []


@pytest.mark.parametrize("name", ["../studio.toml", "..", "", "/etc/passwd", "x.wav"])
def test_only_recordings_are_found(project: Project, name: str) -> None:
    project.add_take("yes", "Anna", take())
    assert project.find_take("yes", name) is None
    assert project.find_take("..", "studio.toml") is None


def test_recordings_are_used_once_every_word_has_some(project: Project) -> None:
    quick = EFFORTS["quick"]
    project.add_take("yes", "Anna", take())
    assert "--recordings" not in wake_arguments(project, quick, "runs/quick")
    project.add_take("no", "Anna", take())
    assert "--recordings" in wake_arguments(project, quick, "runs/quick")


def test_sources_that_may_not_be_sold_can_be_left_out(project: Project) -> None:
    quick = EFFORTS["quick"]
    assert "--sellable" not in wake_arguments(project, quick, "runs/quick")
    project.save("yes, no", "en", "", [], sellable=True)
    assert "--sellable" in wake_arguments(Project(project.path), quick, "runs/quick")
    assert wake_settings(project, quick).sellable


def test_the_newest_finished_run_counts(project: Project) -> None:
    assert finished_run(project, "quick") is None
    add_trained_run(project.path, "quick")
    add_trained_run(project.path, "quick-2")
    (project.path / "runs" / "quick-3").mkdir()
    run = finished_run(project, "quick")
    assert run
    assert run.path.name == "quick-2"


def test_a_run_from_a_terminal_is_old_once_someone_was_recorded(project: Project) -> None:
    run = add_trained_run(project.path, "good")
    clips = run / CLIP_SETTINGS_FILE
    clips.write_text('words = ["yes", "no"]\n')
    assert _folder_of_training(project) == "runs/good"
    file, _ = project.add_take("yes", "Anna", take())
    assert file
    os.utime(clips, (1e9, 1e9))
    assert _folder_of_training(project) == "runs/good-2"
    os.utime(file, (0.9e9, 0.9e9))
    assert _folder_of_training(project) == "runs/good", "it learned from the recording"


def _folder_of_training(project: Project) -> str:
    return train_task(project, EFFORTS["good"], lambda _: None).arguments[-1]


def test_an_edited_settings_file_is_read_and_a_damaged_one_ignored(project: Project) -> None:
    file = project.path / SETTINGS_FILE
    text = file.read_text()
    file.write_text(text.replace('"yes, no"', '"left"'))
    os.utime(file, ns=(1, 1))
    assert project.words == ("left",)
    for broken in ("phrase = ", 'phrase = "a"\nwrong = 1', "phrase = 7", 'phrase = "unknown"'):
        file.write_text(broken)
        assert project.words == ("left",)
    project.save("up", "en", "", [])
    assert project.words == ("up",)


def test_windows_gets_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_locks, "fcntl", None)
    with pytest.raises(ToolError, match="runs on Linux and macOS; on Windows, use the commands"):
        studio(tmp_path / "new", browser=False)
    assert not (tmp_path / "new").exists()
