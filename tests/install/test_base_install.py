# SPDX-License-Identifier: Apache-2.0
"""With only the base install, each command works, or one line names the missing extra.

Python sees only a folder with links to the packages of `pip install kws`. This needs no network,
and detects imports of packages that are installed for other reasons.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from kws.audio.sound_files import write_clip
from tests.paths import ROOT
from tests.tones import make_tones

MATRIX = ROOT / "kws" / "assets" / "matrix"
MODEL = ROOT / "kws" / "assets" / "yes_no" / "model.tflite"


def base_requirements() -> set[str]:
    """The normalized names of the base install's distributions."""
    names: set[str] = set()
    waiting = [("kws", "")]
    while waiting:
        name, extra = waiting.pop()
        for text in importlib.metadata.requires(name) or []:
            requirement = Requirement(text)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            wanted = canonicalize_name(requirement.name)
            if wanted not in names:
                names.add(wanted)
                waiting += [(wanted, ""), *((wanted, extra) for extra in requirement.extras)]
    return names


@pytest.fixture(scope="session")
def base_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the base install's packages and kws itself."""
    site = tmp_path_factory.mktemp("base") / "site"
    site.mkdir()
    for name in base_requirements():
        distribution = importlib.metadata.distribution(name)
        tops = {file.parts[0] for file in distribution.files or [] if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            source = Path(str(distribution.locate_file(top)))
            if not (site / top).exists():
                (site / top).symlink_to(source)
    metadata = Path(str(importlib.metadata.distribution("kws").locate_file("."))).resolve()
    for folder in metadata.glob("kws-*.dist-info"):
        (site / folder.name).symlink_to(folder)
    package = site / "kws"
    package.mkdir()
    for entry in (ROOT / "kws").iterdir():
        (package / entry.name).symlink_to(entry)
    if not any(package.glob("_core*.so")):
        (core,) = Path(sysconfig.get_path("purelib")).glob("kws/_core*.so")
        (package / core.name).symlink_to(core)
    return site


def run(site: Path, folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run kws with only the packages in `site`."""
    code = f"import sys; sys.path.append({str(site)!r}); from kws.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
    )


@pytest.fixture(scope="session")
def material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of the commands: a data set of tones, and a row for `kws infer`."""
    import numpy as np

    folder = tmp_path_factory.mktemp("material")
    make_tones(folder / "data")
    np.save(folder / "row.npy", np.zeros((1, 1960), np.int8))
    write_clip(folder / "clip.wav", np.zeros(16000, np.int16))
    return folder


WORKS: dict[str, list[object]] = {
    "run": ["run", MATRIX / "yes_slt.flac"],
    "convert": ["convert", MODEL, "--labels", "silence,unknown,yes,no", "--out", "bundle"],
    "set": ["set", "tiny", "--threshold", "180", "--out", "sensitive"],
    "features": ["features", MATRIX / "yes_slt.flac", "--out", "yes.npy"],
    "infer": ["infer", MODEL, "--input", "{material}/row.npy", "--out", "out.npy"],
    "test": ["test", "--board", "host"],
    "bench": ["bench"],
    "boards": ["boards"],
    "licences": ["licences"],
    "doctor": ["doctor"],
    "stats": ["stats", "--data", "{material}/data"],
    "version": ["--version"],
    "voices": ["voices"],
}

NEEDS: dict[str, tuple[str, list[object]]] = {
    "train": ("train", ["train", "--data", "{material}/data", "--words", "low", "--out", "run"]),
    "sweep": (
        "train",
        [
            "sweep",
            "--data",
            "{material}/data",
            "--words",
            "low",
            "--out",
            "runs",
            "--set",
            "seed=0,1",
        ],
    ),
    "models": ("train", ["models", "tiny_conv", "--board", "none"]),
    "evaluate": ("evaluate", ["evaluate", "--data", "{material}/data"]),
    "evaluate --out": ("evaluate", ["evaluate", "--data", "{material}/data", "--out", "report"]),
    "evaluate --png": ("plots", ["evaluate", "--data", "{material}/data", "--png", "matrix.png"]),
    "calibrate": ("evaluate", ["calibrate", "--data", "{material}/data", "--out", "bundle"]),
    "listen": ("live", ["listen", "--plain"]),
    "listen --web": ("live", ["listen", "--web", "--input", MATRIX / "yes_slt.flac"]),
    "record": ("live", ["record", "--words", "yes", "--out", "recorded"]),
    "set --plan": ("plots", ["set", MODEL.parent, "--out", "b", "--plan", "plan.svg"]),
    "features --png": (
        "plots",
        ["features", MATRIX / "yes_slt.flac", "--out", "yes.npy", "--png", "yes.png"],
    ),
    "convert --incremental": ("train", ["convert", "tiny", "--incremental", "--out", "small"]),
    "deploy --probe": ("probe", ["deploy", "--board", "nano33ble", "--probe"]),
}


def filled(arguments: list[object], material: Path) -> list[str]:
    return [str(argument).replace("{material}", str(material)) for argument in arguments]


@pytest.mark.parametrize("name", WORKS)
def test_works_without_extras(name: str, base_site: Path, material: Path, tmp_path: Path) -> None:
    done = run(base_site, tmp_path, *filled(WORKS[name], material))
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("name", NEEDS)
def test_missing_extra_gives_a_one_line_error(
    name: str, base_site: Path, material: Path, tmp_path: Path
) -> None:
    extra, arguments = NEEDS[name]
    done = run(base_site, tmp_path, *filled(arguments, material))
    assert done.returncode == 1
    assert done.stderr.startswith("kws: ")
    assert done.stderr.count("\n") == 1
    assert f"pip install 'kws[{extra}]'" in done.stderr


def test_every_command_shows_its_help(base_site: Path, tmp_path: Path) -> None:
    from typer.main import get_command

    from kws.cli.main import app

    for name in get_command(app).commands:  # type: ignore[attr-defined]
        done = run(base_site, tmp_path, name, "--help")
        assert done.returncode == 0, done.stderr
        assert "Usage" in done.stdout
