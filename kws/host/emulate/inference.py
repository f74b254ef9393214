# SPDX-License-Identifier: Apache-2.0
"""Runs any supported model on raw quantized rows, on this machine or the emulated board."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kws import _core
from kws.bundle.bundle import DEFAULT_STRIDE
from kws.bundle.checks import open_model
from kws.bundle.reading import load_bundle
from kws.convert.tflite_import import read_model
from kws.errors import BoardError, UsageError, located, os_reason
from kws.features.spectrogram import windows_of
from kws.files import atomic_write
from kws.host.build.firmware import build_tool
from kws.host.emulate.qemu import Qemu

Array = npt.NDArray[np.generic]

_MAGIC = 0x4F53574B  # the same in tools/infer.cc
_JOB_WORDS = 5
_PSRAM_BYTES = 16 * 2**20


FRONTEND = b""
"""Instead of a model: the frontend, from int16[hops, 320] to int8[hops - 1, 40]."""


@dataclass(frozen=True)
class Job:
    """A model and its inputs."""

    model: bytes
    """A .tflite file, or on an emulated processor FRONTEND."""
    inputs: tuple[Array, ...]
    """An array of the right type per model input, one row (first dimension) per call."""


@dataclass(frozen=True)
class Outcome:
    """A job's results."""

    arena_used_bytes: int
    outputs: tuple[Array, ...]
    """An array per model output, shape (rows, elements per call)."""


def run_files(model: Path, inputs: Path, board: str) -> Outcome:
    """Run a model from a file or bundle on the rows of a NumPy file.

    Args:
        model: a .tflite file, C source with one, or a bundle's folder.
        inputs: rows of raw values, or a spectrogram; see `rows_of_frames`.
        board: an emulated board, or `host`.

    Raises:
        BundleError, ModelError, BoardError: the model cannot be read, or does not run.
        UsageError: the rows do not fit the model's inputs.
    """
    bundle = load_bundle(model) if model.is_dir() else None
    content = bundle.model if bundle else read_model(model)
    step = bundle.inference_stride if bundle else None
    rows = load_rows(inputs)
    with located(model):
        job = Job(content, rows_of_frames(content, rows, step))
        return on_host(job) if board == "host" else on_board(board, [job])[0]


def load_rows(file: Path) -> tuple[Array, ...]:
    """The arrays of an .npy file (one) or an .npz file (one for each input, in order).

    Raises:
        UsageError: the file is missing or of another kind, or its values have no rows.
    """
    try:
        loaded = np.load(file, allow_pickle=False)
        arrays = (loaded,) if isinstance(loaded, np.ndarray) else tuple(loaded.values())
    except OSError as error:
        raise UsageError(f"{file}: {os_reason(error)}") from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise UsageError(
            f"{file}: not a NumPy file of plain numbers; write it with numpy.save"
        ) from None
    if not arrays or any(values.ndim == 0 for values in arrays):
        raise UsageError(
            f"{file}: contains no rows; its first dimension must be the number of calls"
        )
    return arrays


def rows_of_frames(
    model: bytes, arrays: tuple[Array, ...], step: int | None = None
) -> tuple[Array, ...]:
    """The unchanged arrays or, for one spectrogram, a window for each call.

    Args:
        model: a .tflite file.
        arrays: as returned by `load_rows`. A spectrogram is int8[frames, 40], as `kws features`
            writes it, for a model that takes more than one frame at a time.
        step: frames from one call to the next; None for the default of bundles. A streaming model
            gets each frame once.

    Raises:
        ModelError: the core rejects the model.
        UsageError: the spectrogram is shorter than the model's window.
    """
    interpreter = open_model(model)
    inputs = interpreter.inputs
    frames: npt.NDArray[Any] = arrays[0]
    if len(arrays) != 1 or len(inputs) != 1 or frames.dtype != np.int8 or frames.ndim != 2:
        return arrays
    elements = int(np.prod(inputs[0].shape))
    if inputs[0].dtype != "int8" or frames.shape[1] != _core.CHANNELS:
        return arrays
    if elements % _core.CHANNELS or elements == _core.CHANNELS:
        return arrays
    length = elements // _core.CHANNELS
    if len(frames) < length:
        raise UsageError(
            f"{len(frames)} frames for a model that takes {length} at a time; pass the features of "
            "a longer recording"
        )
    streams = length < _core.SHORTEST_WINDOW
    return (windows_of(frames, length, length if streams else step or DEFAULT_STRIDE),)


def save_rows(file: Path, outputs: Sequence[Array]) -> None:
    """Write one output as .npy, several as .npz (output_0, output_1, ...).

    Raises:
        UsageError: there are several outputs and the name does not end in .npz.
        KwsError: the file could not be written; an old one is untouched.
    """
    data = io.BytesIO()
    if file.suffix == ".npz":
        named: dict[str, Any] = {f"output_{i}": values for i, values in enumerate(outputs)}
        np.savez(data, **named)
    elif len(outputs) == 1:
        np.save(data, outputs[0])
    else:
        raise UsageError(f"{file}: the model has {len(outputs)} outputs; choose an .npz file")
    atomic_write(file, data.getvalue())


def on_host(job: Job) -> Outcome:
    """Run every row of a job; the model's state carries over from row to row.

    Raises:
        ModelError: the core rejects the model.
        UsageError: the rows do not match the model's inputs.
    """
    interpreter = open_job(job)
    rows = len(job.inputs[0])
    outputs = [
        np.empty((rows, int(np.prod(info.shape))), info.dtype) for info in interpreter.outputs
    ]
    for row in range(rows):
        answer = interpreter.invoke(*(values[row] for values in job.inputs))
        for output, values in zip(outputs, answer, strict=True):
            output[row] = values.reshape(-1)
    return Outcome(interpreter.arena_used_bytes, tuple(outputs))


def on_board(board: str, jobs: Sequence[Job], *, tool: str = "infer") -> list[Outcome]:
    """Run jobs in one run of the emulated board, each starting with cleared state.

    Args:
        board: an emulated board.
        jobs: the jobs to run, in order.
        tool: the program: `infer`, or `infer_portable` without the processor's own kernels.

    Raises:
        BoardError: the board rejects a model, or the emulator failed.
        ModelError, UsageError: see `on_host`.
    """
    for job in jobs:
        open_job(job)
    elf = build_tool(board, tool).elf
    with Qemu() as emulator:
        text = emulator.run(elf, image_of(jobs), timeout_s=600).text
    return read_outcomes(jobs, text, board)


def read_outcomes(jobs: Sequence[Job], text: str, machine: str) -> list[Outcome]:
    """The outcomes in the output of tools/infer.cc.

    Args:
        jobs: the jobs that ran, with inputs that `open_job` accepts.
        text: the output.
        machine: the name of the board or processor, for errors.

    Raises:
        BoardError: the board rejects a model.
    """
    lines = iter(text.splitlines())
    outcomes = []
    for number, job in enumerate(jobs):
        first = next(lines, "nothing")
        if not first.startswith("arena "):
            raise BoardError(f"model {number} on {machine}: {first.removeprefix('error: ')}")
        rows = [bytes.fromhex(next(lines, "")) for _ in range(len(job.inputs[0]))]
        if job.model == FRONTEND:
            features = np.frombuffer(b"".join(rows), np.int8).reshape(-1, _core.CHANNELS)
            outcomes.append(Outcome(0, (features,)))
            continue
        outputs = _arrays(rows, open_job(job).outputs)
        outcomes.append(Outcome(int(first.removeprefix("arena ")), outputs))
    return outcomes


def open_job(job: Job) -> _core.Interpreter:
    """The core's interpreter for a job's model, after a check of the inputs."""
    interpreter = open_model(job.model)
    if len(interpreter.inputs) != len(job.inputs):
        raise UsageError(
            f"the model has {len(interpreter.inputs)} inputs, but there are {len(job.inputs)} "
            "arrays; pass one for each (several in an .npz file)"
        )
    if len({len(values) for values in job.inputs}) != 1:
        raise UsageError("the inputs have different numbers of rows; pass the same number of each")
    for info, values in zip(interpreter.inputs, job.inputs, strict=True):
        wanted = int(np.prod(info.shape))
        given = int(np.prod(values.shape[1:]))
        if values.dtype != info.dtype or given != wanted:
            raise UsageError(
                f"input {info.name or '?'}: the model takes rows of {wanted} {info.dtype} "
                f"(shape {list(info.shape)}), the array has rows of {given} {values.dtype}"
            )
    return interpreter


def image_of(jobs: Sequence[Job]) -> bytes:
    """The input of tools/infer.cc, which documents the layout."""
    table: list[int] = [_MAGIC, len(jobs)]
    data = bytearray(4 * (2 + _JOB_WORDS * len(jobs)))
    for job in jobs:
        model = _append(data, job.model)
        rows = np.concatenate([_as_bytes(values) for values in job.inputs], axis=1)
        table += [model, len(job.model), *rows.shape, _append(data, rows.tobytes())]
    data[: 4 * len(table)] = struct.pack(f"<{len(table)}I", *table)
    if len(data) > _PSRAM_BYTES:
        raise UsageError(
            f"models and rows need {len(data)} bytes, but the emulated board has {_PSRAM_BYTES}; "
            "pass fewer rows"
        )
    return bytes(data)


def _as_bytes(values: Array) -> npt.NDArray[np.uint8]:
    """The bytes of each row, shape (rows, bytes of one)."""
    row_bytes = int(np.prod(values.shape[1:])) * values.dtype.itemsize
    return np.frombuffer(values.tobytes(), np.uint8).reshape(len(values), row_bytes)


def _append(data: bytearray, part: bytes) -> int:
    data += bytes(-len(data) % 16)
    offset = len(data)
    data += part
    return offset


def _arrays(rows: Sequence[bytes], infos: Sequence[_core.TensorInfo]) -> tuple[Array, ...]:
    sizes = [int(np.prod(info.shape)) * np.dtype(info.dtype).itemsize for info in infos]
    joined = np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), sum(sizes))
    edges = np.cumsum([0, *sizes])
    return tuple(
        np.ascontiguousarray(joined[:, start:end]).view(info.dtype)
        for info, start, end in zip(infos, edges[:-1], edges[1:], strict=True)
    )
