"""Compiled models are bit-identical to the interpreter on the host and the emulated Cortex-M4."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.convert.incremental.model import make_incremental
from kws.host.build.firmware_cache import cached_build
from kws.host.emulate.inference import Job
from kws.host.emulate.qemu import Qemu
from tests.bundle.compiled.compiled_jobs import (
    interpreted_lines,
    jobs_of,
    on_this_machine,
    row_bytes,
    write_jobs,
)
from tests.oracle_data import model_file
from tests.runtime.fuzz.fuzz_seeds import seeds

FAMILIES = ("bc_resnet", "crnn", "ds_cnn", "low_latency_svdf", "lstm", "mixed_net", "tiny_conv")
BUILT_IN = ("yes_no", "ten_words", "tiny")


def all_models() -> list[bytes]:
    """Models with every op and of each family; streaming, built-in and incremental models."""
    models = [*seeds().values()]
    models += [model_file(name).read_bytes() for name in FAMILIES]
    assets = default_bundle_path().parent
    built_in = [(assets / name / "model.tflite").read_bytes() for name in BUILT_IN]
    return [*models, *built_in, make_incremental(built_in[-1], 2).model]


@pytest.fixture(scope="module")
def jobs() -> list[Job]:
    return jobs_of(all_models())


@pytest.fixture(scope="module")
def expected(jobs: list[Job]) -> list[str]:
    lines = interpreted_lines(jobs)
    assert len(jobs) > 50
    assert len(set(lines)) > 2 * len(jobs), "the outputs do not depend on the input"
    return lines


def on_emulated_board(environment: str, jobs: Sequence[Job], folder: Path) -> list[str]:
    """The lines printed by firmware with all models."""
    generated = folder / "firmware"
    write_jobs(jobs, generated)
    elf = cached_build(environment, generated) / "firmware.elf"
    table, data = [0x4353574B], b""
    start = -(-4 * (1 + 2 * len(jobs)) // 16) * 16
    for job in jobs:
        table += [len(job.inputs[0]), start + len(data)]
        data += row_bytes(job)
        data += bytes(-len(data) % 16)
    image = struct.pack(f"<{len(table)}I", *table).ljust(start, b"\0") + data
    with Qemu() as emulator:
        return emulator.run(elf, image, timeout_s=600).text.splitlines()


def test_on_the_host(jobs: list[Job], expected: list[str], tmp_path: Path) -> None:
    assert on_this_machine(jobs, tmp_path) == expected


@pytest.mark.usefixtures("board_tools")
def test_on_the_emulated_board(jobs: list[Job], expected: list[str], tmp_path: Path) -> None:
    assert on_emulated_board("qemu_compiled", jobs, tmp_path) == expected


@pytest.mark.usefixtures("board_tools")
@pytest.mark.slow
def test_on_a_board_without_dsp(jobs: list[Job], expected: list[str], tmp_path: Path) -> None:
    assert on_emulated_board("qemu_compiled_portable", jobs, tmp_path) == expected
