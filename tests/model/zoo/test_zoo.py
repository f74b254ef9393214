# SPDX-License-Identifier: Apache-2.0
"""Every architecture of the zoo converts untrained, and the core is bit-identical to TFLM."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from kws import _core
from kws.convert.quantize import quantize
from kws.errors import UsageError
from kws.model import zoo
from kws.model.train.named_settings import settings_for
from kws.model.zoo import MODELS, build_model, find_model
from tests.model.zoo.untrained import fit_normalizations, noise
from tests.paths import ROOT
from tests.runtime.families import random_rows
from tests.runtime.oracles import assert_same

CLASSES = 12


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")
@pytest.mark.parametrize("name", MODELS)
def test_model_converts_and_is_bit_identical_to_tflm(name: str) -> None:
    clips = noise(8)
    model = fit_normalizations(build_model(name, CLASSES, seed=1), clips)
    data = quantize(model, clips)
    interpreter = _core.Interpreter(data)
    shape = interpreter.inputs[0].shape
    rows = random_rows(shape, 2 * 1960 // int(np.prod(shape)))
    scores = {interpreter.invoke(row)[0].tobytes() for row in rows}
    assert len(scores) > 1, "the scores do not depend on the input"
    assert_same(data, [[row] for row in rows], litert=False)


def test_same_seed_gives_the_same_weights() -> None:
    first, again, other = (build_model("tiny_conv", 4, seed).get_weights() for seed in (1, 1, 2))
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], other[0])


def test_error_about_a_missing_model_lists_those_that_exist() -> None:
    with pytest.raises(UsageError, match="no architecture 'huge'; choose from bc_resnet_1, bc_res"):
        find_model("huge")


@pytest.mark.parametrize(
    "file", sorted(Path(zoo.__file__).parent.glob("*.py")), ids=lambda file: file.stem
)
def test_model_files_are_not_tied_to_tensorflow(file: Path) -> None:
    """A model can be trained with KERAS_BACKEND jax or torch."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    assert not names & {"tensorflow", "jax", "torch"}


@pytest.mark.parametrize("name", MODELS)
def test_each_model_has_a_source_and_a_recipe(name: str) -> None:
    entry = MODELS[name]
    assert entry.summary
    assert entry.source
    settings = settings_for(("a",), name, {})
    known = {**vars(settings), **vars(settings.samples), **vars(settings.samples.augmentation)}
    for key, value in entry.recipe.items():
        assert known[key] == value
    assert settings_for(("a",), name, {"epochs": 7}).epochs == 7


def test_a_model_needs_only_a_file_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dummy.py").write_text(
        "from kws.model.zoo.entry import ZooModel\n"
        "MODELS = {'dummy': ZooModel(lambda *sizes: sizes, 'a dummy', 'a test')}\n"
    )
    monkeypatch.setattr(zoo, "__path__", [*zoo.__path__, str(tmp_path)])
    assert sorted(zoo.collect_models()) == sorted([*MODELS, "dummy"])


def test_docs_list_the_files_that_name_a_model() -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    page = (ROOT / "docs" / "models.md").read_text()
    command = re.search(r"`git grep -lw (\w+)`", page)
    assert command
    name = command[1]
    run = subprocess.run(
        ["git", "grep", "-lw", name], cwd=ROOT, capture_output=True, text=True, check=True
    )
    listed = set(re.findall(r"^\| `([\w./]+\.\w+)` \|", page, re.M))
    assert {file.replace("NAME", name) for file in listed} == set(run.stdout.splitlines())


@pytest.mark.parametrize(
    ("name", "frames", "least", "stride"),
    [
        ("tcs_resnet", 49, 1, 6),
        ("tcs_resnet", 25, 1, 6),  # more inferences than needed would bring nothing
        ("tcs_resnet", 74, 1, 9),
        ("tcs_resnet", 150, 1, 16),  # at least three results per second
        ("tcs_resnet_fine", 74, 1, 16),
        ("tcs_resnet", 49, 9, 9),
        ("tcs_resnet", 74, 9, 13),
        ("tcs_resnet_fine", 49, 9, 16),  # a longer stride of its own
    ],
)
def test_a_longer_window_runs_less_often(name: str, frames: int, least: int, stride: int) -> None:
    assert find_model(name).stride_for(frames, least) == stride
