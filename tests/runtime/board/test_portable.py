"""On cores without DSP instructions, the portable kernels are bit-identical to the host's."""

from __future__ import annotations

import subprocess

import pytest

from kws.host.build import firmware
from kws.host.build.programs import COMPILER
from tests.bundle.compiled.compiled_jobs import jobs_of
from tests.runtime.board.same_bits import assert_same_bits
from tests.runtime.fuzz.fuzz_seeds import seeds


@pytest.mark.usefixtures("board_tools")
@pytest.mark.slow
def test_every_op_is_bit_identical_to_the_host() -> None:
    jobs = jobs_of([*seeds().values()])
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
