"""One program that runs several compiled models on rows of raw values."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kws import _core
from kws.bundle.compiled.program import Place, compile_model
from kws.bundle.compiled.program_source import HEADER, SOURCE, program_cc, program_h
from kws.host.emulate.inference import Job, on_host
from tests.paths import ROOT

ROWS = 4
SOURCES = ROOT / "kws" / "firmware" / "src"


def write_jobs(jobs: Sequence[Job], folder: Path) -> None:
    """The C++ of all models and of the table `kJobs`, which src/tools/compiled_rows.h describes."""
    includes, tables, rows = [], [], []
    for i, job in enumerate(jobs):
        program = compile_model(job.model)
        place = folder / f"m{i}"
        place.mkdir(parents=True)
        namespace = f"kws::m{i}"
        (place / HEADER).write_text(f"#pragma once\n{program_h(namespace)}")
        runs_task = i % 2 == 1  # as a first model, or as a second look
        (place / SOURCE).write_text(program_cc(program, namespace, runs_task=runs_task))
        includes.append(f'#include "m{i}/{HEADER}"')
        tables += [_places(f"in{i}", program.inputs), _places(f"out{i}", program.outputs)]
        sizes = len(program.inputs), len(program.outputs)
        runs = sum(not call.once for call in program.calls) if runs_task else 0
        rows.append(f"    {{m{i}::kCompiledModel, in{i}, {sizes[0]}, out{i}, {sizes[1]}, {runs}}},")
    text = "\n".join(
        [
            "#pragma once",
            *includes,
            '#include "tools/compiled_rows.h"',
            "namespace kws {",
            *tables,
            "inline const CompiledJob kJobs[] = {",
            *rows,
            "};",
            "}  // namespace kws",
        ]
    )
    (folder / "model_settings.h").write_text(text)


def _places(name: str, places: Sequence[Place]) -> str:
    values = ", ".join(f"{{{place.offset}, {place.bytes}}}" for place in places)
    return f"inline constexpr CompiledModel::Place {name}[] = {{{values}}};"


def row_bytes(job: Job) -> bytes:
    """All inputs of each row, row by row."""
    count = len(job.inputs[0])
    parts = [np.frombuffer(x.tobytes(), np.uint8).reshape(count, -1) for x in job.inputs]
    return np.concatenate(parts, axis=1).tobytes()


def interpreted_lines(jobs: Sequence[Job]) -> list[str]:
    """The expected lines of a program with these jobs: the interpreter's outputs."""
    lines = []
    for job in jobs:
        outputs = on_host(job).outputs
        lines += [
            b"".join(values[row].tobytes() for values in outputs).hex()
            for row in range(len(job.inputs[0]))
        ]
    return lines


def rows(rng: np.random.Generator, info: _core.TensorInfo) -> NDArray[Any]:
    """Random values of a tensor's type."""
    shape = (ROWS, *info.shape)
    if np.dtype(info.dtype).kind == "f":
        return rng.normal(0, 3, shape).astype(info.dtype)
    size = int(np.prod(shape)) * np.dtype(info.dtype).itemsize
    return np.frombuffer(rng.bytes(size), info.dtype).reshape(shape)


def jobs_of(models: Sequence[bytes]) -> list[Job]:
    """A job per model that has an input."""
    rng = np.random.default_rng(5)
    inputs = [(model, _core.Interpreter(model).inputs) for model in models]
    return [
        Job(model, tuple(rows(rng, info) for info in infos)) for model, infos in inputs if infos
    ]


def on_this_machine(jobs: Sequence[Job], folder: Path) -> list[str]:
    """The lines printed by a host program with the compiled models."""
    generated = folder / "generated"
    write_jobs(jobs, generated)
    sources = [
        *sorted((SOURCES / "kws" / "runtime").rglob("*.cc")),
        *(SOURCES / name for name in ("kws/status.cc", "serial/text.cc")),
        *sorted(generated.rglob("*.cc")),
        Path(__file__).with_name("host_main.cc"),
    ]
    include = [f"-I{path}" for path in (SOURCES, generated)]

    def compiled(numbered: tuple[int, Path]) -> Path:
        number, source = numbered
        target = folder / f"{number}.o"
        command = ["g++", "-std=c++17", "-O1", "-Wall", "-Wextra", *include]
        done = subprocess.run(
            [*command, "-c", source, "-o", target], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        return target

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, enumerate(sources)))
    program = folder / "program"
    subprocess.run(["g++", *objects, "-o", program], check=True)
    data = b"".join(struct.pack("<I", len(job.inputs[0])) + row_bytes(job) for job in jobs)
    return (
        subprocess.run([program], input=data, capture_output=True, check=True)
        .stdout.decode()
        .splitlines()
    )
