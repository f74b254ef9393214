# SPDX-License-Identifier: Apache-2.0
"""The notebook in examples/ is valid, runs from top to bottom, and prints the hits of `kws run`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import KWS
from tests.paths import ROOT

NOTEBOOK = ROOT / "examples" / "notebook" / "first_words.ipynb"
RECORDINGS = ROOT / "kws" / "assets" / "matrix"

RUNNER = """
import json, sys
namespace = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)
"""
"""Runs all code cells in order, as Jupyter does."""

FAKE_MICROPHONE = f"""
import kws, numpy, soundfile
word, _ = soundfile.read({str(RECORDINGS / "no_awb.flac")!r}, dtype="int16")
def endless():
    yield from numpy.array_split(numpy.concatenate([word, numpy.zeros_like(word)]), 20)
    raise AssertionError("the notebook listens for longer than it says")
kws.microphone = endless
"""


def read() -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return notebook


def run(notebook: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a notebook in a folder other than its own."""
    path = folder / "notebook.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-c", RUNNER, path],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=60,
    )


def hits(text: str) -> list[tuple[str, ...]]:
    """Recording, word, time and score of each hit that the notebook printed."""
    return re.findall(r"^(\w+): (\w+) at (\d+\.\d+) s, score (\d+)$", text, re.MULTILINE)


def hits_of_kws_run(names: list[str]) -> list[tuple[str, ...]]:
    """The same, from `kws run`."""
    files = [RECORDINGS / f"{name}.flac" for name in names]
    done = subprocess.run(
        [*KWS, "run", "--json", *files], capture_output=True, text=True, check=True
    )
    return [
        (name, one["label"], f"{one['time']:.2f}", str(one["score"]))
        for name, file in zip(names, json.loads(done.stdout)["files"], strict=True)
        for one in file["heard"]
    ]


def test_the_file_is_a_notebook_of_format_4_without_outputs() -> None:
    notebook = read()
    assert notebook.keys() == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"].keys() >= {"name", "display_name"}
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in ids)
    for cell in notebook["cells"]:
        keys = {"cell_type", "id", "metadata", "source"}
        if cell["cell_type"] == "code":
            keys |= {"execution_count", "outputs"}
            assert (cell["execution_count"], cell["outputs"]) == (None, [])
        else:
            assert cell["cell_type"] == "markdown"
        assert cell.keys() == keys
        lines = cell["source"]
        assert all(line.endswith("\n") for line in lines[:-1])
        assert lines[-1].strip()


def test_links_lead_to_pages() -> None:
    text = "".join(line for cell in read()["cells"] for line in cell["source"])
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not (NOTEBOOK.parent / link).is_file()] == []


def test_all_cells_run_and_print_the_hits_of_kws_run(tmp_path: Path) -> None:
    notebook = read()
    done = run(notebook, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (cell,) = (cell for cell in notebook["cells"] if cell["id"] == "hits")
    names = re.findall(r'"(\w+_\w+)"', "".join(cell["source"]))
    expected = hits_of_kws_run(names)
    assert [word for _, word, _, _ in expected] == ["yes", "no", "yes"]
    assert hits(done.stdout) == expected
    assert "frames, channels: (49, 40)" in done.stdout
    assert re.search(r"^    time +silence +unknown +yes +no$", done.stdout, re.MULTILINE)
    times = re.findall(r"^ +(\d\.\d\d) s(?: +\d+){4}$", done.stdout, re.MULTILINE)
    assert times == ["0.28", "0.64", "1.00"]


def test_the_microphone_cell_listens_for_the_given_time(tmp_path: Path) -> None:
    notebook = read()
    cell = notebook["cells"][[cell["id"] for cell in notebook["cells"]].index("microphone")]
    source = "".join(cell["source"])
    assert source.startswith("LISTEN_S = 0 ")
    cell["source"] = [FAKE_MICROPHONE, source.replace("LISTEN_S = 0 ", "LISTEN_S = 2 ", 1)]
    done = run(notebook, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    (heard,) = [hit for hit in hits(done.stdout) if hit[0] == "microphone"]
    assert heard[1:] == hits_of_kws_run(["no_awb"])[0][1:]


@pytest.mark.parametrize("broken", ["load", "microphone"])
def test_a_broken_cell_is_found(broken: str, tmp_path: Path) -> None:
    notebook = read()
    for cell in notebook["cells"]:
        if cell["id"] == broken:
            cell["source"] = [*cell["source"], "\nmodel.no_such_name"]
    done = run(notebook, tmp_path)
    assert done.returncode == 1
    assert "no_such_name" in done.stderr
