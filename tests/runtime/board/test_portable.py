"""On cores without DSP instructions, the portable kernels give the host's bits."""

from __future__ import annotations

import subprocess
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kws import _core
from kws.host.build import firmware
from kws.host.build.programs import COMPILER
from kws.host.emulate.inference import Job
from tests.runtime.board.same_bits import assert_same_bits
from tests.runtime.fuzz.fuzz_seeds import seeds

ROWS = 4


def rows(rng: np.random.Generator, info: _core.TensorInfo) -> NDArray[Any]:
    """Random values of a tensor's type."""
    shape = (ROWS, *info.shape)
    if np.dtype(info.dtype).kind == "f":
        return rng.normal(0, 3, shape).astype(info.dtype)
    size = int(np.prod(shape)) * np.dtype(info.dtype).itemsize
    return np.frombuffer(rng.bytes(size), info.dtype).reshape(shape)


@pytest.mark.usefixtures("board_tools")
@pytest.mark.slow
def test_every_op_gives_the_hosts_bits() -> None:
    rng = np.random.default_rng(8)
    jobs = []
    for model in seeds().values():
        inputs = _core.Interpreter(model).inputs
        if inputs:
            jobs.append(Job(model, tuple(rows(rng, info) for info in inputs)))
    assert len(jobs) > 40
    assert_same_bits(jobs, tool="infer_portable")


@pytest.mark.usefixtures("board_tools")
def test_the_build_has_no_dsp_instructions() -> None:
    objdump = COMPILER.replace("g++", "objdump")
    listing = subprocess.run(
        [objdump, "-d", firmware.build_tool("qemu", "infer_portable").elf],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "\tmul" in listing
    assert "\tsmlad" not in listing
