# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kws.bundle.reading import load_bundle
from kws.errors import KwsError, ToolError, UsageError
from kws.model.train import sweep
from kws.model.train.sweep import Job, make_jobs, parse_sets, read_outcome, read_sets, run_sweep

WORDS = ("low", "high")
SMALL: dict[str, list[Any]] = {"epochs": [1], "copies": [1], "batch_size": [16]}


def test_sets_are_read_from_the_command_line_and_from_toml(tmp_path: Path) -> None:
    given = parse_sets(["learning-rate=0.01,0.003", "arch=tiny_conv,ds_cnn_s", "epochs=3"])
    assert given == {
        "learning_rate": [0.01, 0.003],
        "arch": ["tiny_conv", "ds_cnn_s"],
        "epochs": [3],
    }
    file = tmp_path / "sweep.toml"
    file.write_text("mixup = [0, 0.2]\n")
    assert read_sets(file) == {"mixup": [0, 0.2]}


def test_each_combination_is_a_run_in_its_folder(tmp_path: Path) -> None:
    jobs = make_jobs(tmp_path, tmp_path / "out", WORDS, parse_sets(["mixup=0,0.2", "seed=1,2"]))
    assert [job.out.name for job in jobs] == [
        "mixup=0,seed=1",
        "mixup=0,seed=2",
        "mixup=0.2,seed=1",
        "mixup=0.2,seed=2",
    ]
    assert jobs[2].options == {"mixup": 0.2, "seed": 1}


@pytest.mark.parametrize(
    ("sets", "says"),
    [
        ([], "nothing to sweep over"),
        (["mixup"], "--set mixup: write a setting and its values"),
        (["mixup="], "--set mixup=: write"),
        (["mixer=1"], "no setting 'mixer'; the nearest are mixup"),
        (["model=tiny_conv"], "no setting 'model'"),
        (["epochs=many"], "epochs is 'many'; it must be a whole number"),
        (["arch=huge"], "no architecture 'huge'"),
        (["epochs=0"], "epochs is 0"),
    ],
)
def test_wrong_settings_are_refused_before_anything_runs(
    tmp_path: Path, sets: list[str], says: str
) -> None:
    with pytest.raises(KwsError, match=says):
        make_jobs(tmp_path, tmp_path / "out", WORDS, parse_sets(sets))


def test_toml_without_lists_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text("mixup = 0.2\n")
    with pytest.raises(UsageError, match="mixup is not a list"):
        read_sets(file)


@pytest.mark.slow
def test_runs_are_trained_in_processes_ordered_and_read_again(
    tones_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = {**SMALL, "learning_rate": [1e-9, 0.01]}
    jobs = make_jobs(tones_folder, tmp_path / "out", WORDS, sets)
    said: list[str] = []
    outcomes = run_sweep(jobs, processes=2, say=said.append)
    assert len(outcomes) == 2
    assert outcomes[0].validation >= outcomes[1].validation
    for outcome in outcomes:
        bundle = load_bundle(tmp_path / "out" / outcome.folder / "bundle")
        assert outcome.test == bundle.metrics["accuracy"]["core"]
        assert bundle.metrics["training"]["learning_rate"] == outcome.options["learning_rate"]

    def forbidden(*args: object) -> Any:
        raise AssertionError("a finished run was trained again")

    monkeypatch.setattr(sweep, "run_job", forbidden)
    assert run_sweep(jobs) == outcomes


@pytest.mark.slow
def test_a_run_that_fails_does_not_stop_the_others(tones_folder: Path, tmp_path: Path) -> None:
    good, bad = make_jobs(tones_folder, tmp_path / "out", WORDS, {**SMALL, "seed": [1, 2]})
    bad = Job(tmp_path / "nowhere", bad.out, bad.words, bad.options)
    with pytest.raises(KwsError, match=r"1 of 2 runs failed; the first: epochs=1.*nowhere"):
        run_sweep([bad, good])
    assert read_outcome(good) is not None
    assert read_outcome(bad) is None


@pytest.mark.slow
def test_two_workers_of_a_ray_cluster_train(
    tones_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'kws[ray]'")
    monkeypatch.setenv("RAY_raylet_start_wait_time_s", "300")  # the machine may be busy
    jobs = make_jobs(tones_folder, tmp_path / "out", WORDS, {**SMALL, "seed": [1, 2]})
    outcomes = run_sweep(jobs, processes=2, ray="local")
    assert {outcome.options["seed"] for outcome in outcomes} == {1, 2}


def test_missing_ray_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    jobs = make_jobs(tmp_path, tmp_path / "out", WORDS, SMALL)
    with pytest.raises(ToolError, match=r"pip install 'kws\[ray\]'"):
        run_sweep(jobs, ray="auto")
