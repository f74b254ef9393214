# SPDX-License-Identifier: Apache-2.0
"""Every architecture of the zoo, compiled to C++, is bit-identical to the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from kws.convert.quantize import quantize
from kws.model.zoo import MODELS, build_model
from tests.bundle.compiled.compiled_jobs import interpreted_lines, jobs_of, on_this_machine
from tests.model.zoo.untrained import fit_normalizations, noise


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Statistics for quantized inputs")
def test_every_model_compiles_bit_exactly(tmp_path: Path) -> None:
    clips = noise(8)
    models = [quantize(fit_normalizations(build_model(n, 4, seed=5), clips), clips) for n in MODELS]
    jobs = jobs_of(models)
    assert len(jobs) == len(MODELS)
    expected = interpreted_lines(jobs)
    assert len(set(expected)) > len(jobs), "the outputs do not depend on the input"
    assert on_this_machine(jobs, tmp_path) == expected
