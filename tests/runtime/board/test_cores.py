# SPDX-License-Identifier: Apache-2.0
"""On other processors, features and all ops are bit-identical to the host's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from kws import _core
from kws.features.frontend_settings import HOP
from kws.host.build.programs import PACKAGES
from kws.host.emulate.cores import CORES, CoreEmulator
from kws.host.emulate.inference import FRONTEND, Job, on_host
from kws.host.measure.cycle_count import INFERENCE, instructions, part_costs
from kws.host.measure.cycle_estimate import random_rows
from tests.bundle.compiled.compiled_jobs import jobs_of
from tests.runtime.fuzz.fuzz_seeds import seeds
from tests.runtime.ops.cases import Case
from tests.runtime.ops.elementwise_cases import ELEMENTWISE, long_windows
from tests.runtime.ops.filter_cases import FILTERS
from tests.runtime.ops.typed_cases import TYPED
from tools.mlperf_models import ds_cnn

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=CORES)
def core(request: pytest.FixtureRequest) -> Iterator[tuple[str, CoreEmulator]]:
    name = request.param
    for tool in (CORES[name].compiler, CORES[name].emulator):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed: apt-get install {PACKAGES[tool][0]}")
    with CoreEmulator(name) as emulator:
        yield name, emulator


def test_every_op_is_bit_identical_to_the_host(core: tuple[str, CoreEmulator]) -> None:
    jobs = jobs_of([*seeds().values()]) + [case.job for case in long_windows()]

    def add(case: Case) -> None:
        jobs.append(case.job)

    for drawn in (*ELEMENTWISE.values(), *FILTERS.values(), *TYPED.values()):
        drawn.each(add)
    assert len(jobs) > 500
    for outcome, job in zip(core[1].run(jobs), jobs, strict=True):
        host = on_host(job)
        assert outcome.arena_used_bytes == host.arena_used_bytes
        for values, expected in zip(outcome.outputs, host.outputs, strict=True):
            np.testing.assert_array_equal(values.view(np.uint8), expected.view(np.uint8))


def test_features_are_bit_identical_to_the_hosts(core: tuple[str, CoreEmulator]) -> None:
    rng = np.random.default_rng(5)
    sound = rng.standard_normal((150, HOP)) * 10 ** rng.uniform(0, 4.5, (150, 1))
    pcm = sound.clip(-32768, 32767).astype(np.int16)
    (outcome,) = core[1].run([Job(FRONTEND, (pcm,))])
    expected = _core.features(pcm.reshape(1, -1), threads=1)[0]
    assert len(expected) == len(pcm) - 1
    np.testing.assert_array_equal(outcome.outputs[0], expected)


def test_instructions_stay_below_their_limits(core: tuple[str, CoreEmulator]) -> None:
    limits = {
        "cortex-m0": 18_500_000,
        "cortex-m7": 4_000_000,
        "cortex-m33": 4_000_000,
        "cortex-m55": 1_480_000,
        "aarch64": 5_500_000,
        "xtensa": 27_000_000,
    }
    name, emulator = core
    model = ds_cnn()
    blocks = emulator.trace(Job(model, random_rows(model)))
    parts = dict(part_costs(blocks, [instructions]))
    assert parts[INFERENCE][0] <= limits.get(name, 25_000_000)
