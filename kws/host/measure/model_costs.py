# SPDX-License-Identifier: Apache-2.0
"""Costs of the zoo's architectures on a microcontroller, and the accuracy of trained models.

An untrained model is converted, laid out by the core and run on the emulated board. The results are
cached. Weights hardly change the costs: equal weights may save a few instructions and bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kws import __version__, _core
from kws.bundle.checks import input_frames
from kws.bundle.layout import SETTINGS_FILE
from kws.bundle.reading import load_bundle
from kws.convert import quantize as conversion
from kws.convert.backend import quiet
from kws.convert.quantize import quantize
from kws.errors import KwsError
from kws.features.frontend_settings import FrontendSettings
from kws.features.spectrogram import to_float
from kws.files import atomic_write
from kws.host.measure.flash_table import flash_of
from kws.model import zoo
from kws.model.zoo import build_model, find_model, user_model


@dataclass(frozen=True)
class Cost:
    """The costs of one architecture."""

    name: str

    parameters: int
    """Number of weights of the Keras model, including its normalizations."""

    frames: int
    """New frames per inference: 49, fewer for a streaming model."""

    macs: int
    """Multiplications per inference in convolutions and dense layers."""

    size: int
    """Bytes of the .tflite file."""

    arena: int
    """Bytes of tensor arena."""

    flash: int
    """Bytes of the .tflite file and of its ops' kernels on the Cortex-M4F."""

    instructions: int | None
    """Instructions per inference on the emulated Cortex-M4F; None if no board was named."""

    cycles: int | None
    """Estimated Cortex-M4 cycles of these, without flash wait states."""


@dataclass(frozen=True)
class Trained:
    """A trained bundle."""

    arch: str
    words: tuple[str, ...]
    accuracy: float
    """Accuracy on its test clips, int8 on the core, 0 to 1."""

    path: Path


def measure(
    names: Sequence[str],
    classes: int,
    board: str | None,
    cache: Path,
    say: Callable[[str], object] = lambda _: None,
) -> list[Cost]:
    """Measure the costs of architectures, or read them from the cache.

    Args:
        names: architectures of the zoo, or Python files.
        classes: number of labels, including silence and unknown.
        board: an emulated board that counts instructions and cycles, or None.
        cache: folder of earlier results.
        say: called with a line before each measurement.

    Raises:
        UsageError: there is no such architecture.
        ToolError: TensorFlow, the compiler or the emulator is missing.
        KwsError: a model cannot be converted.
    """
    costs = []
    for name in names:
        find_model(name)
        file = cache / "costs" / f"{_key(name, classes, board)}.json"
        if file.is_file():
            costs.append(Cost(**json.loads(file.read_text(encoding="utf-8"))))
            continue
        say(f"measuring {name}; this takes a while the first time")
        costs.append(_measure(name, classes, board))
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, json.dumps(asdict(costs[-1])).encode())
    return costs


def find_trained(folders: Iterable[Path]) -> list[Trained]:
    """All bundles of `kws train` in these folders and their subfolders."""
    bundles = []
    for folder in folders:
        for file in sorted(folder.rglob(SETTINGS_FILE)):
            try:
                bundle = load_bundle(file.parent)
            except KwsError:
                continue  # a damaged bundle, or another program's file
            accuracy = bundle.metrics.get("accuracy", {}).get("core")
            if bundle.arch and accuracy is not None:
                bundles.append(Trained(bundle.arch, bundle.keywords, accuracy, file.parent))
    return bundles


def table(costs: Sequence[Cost], runs: Sequence[Trained]) -> Any:
    """A table of costs, 80 columns wide, with an architecture's best run per set of words."""
    from kws.tables import make_table  # noqa: PLC0415 - slow

    counted = any(cost.cycles is not None for cost in costs)
    headings = ["parameters", "MACs", "arena", "flash", *(["cycles"] if counted else []), "every"]
    out = make_table("model", *headings, frame=False)
    out.padding = (0, 1, 0, 0)
    for column in out.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    for cost in costs:
        numbers = [cost.parameters, cost.macs, cost.arena, cost.flash]
        out.add_row(
            cost.name,
            *(f"{number:,}" for number in numbers),
            *([f"{cost.cycles:,}" if cost.cycles else "-"] if counted else []),
            f"{20 * _stride(cost)} ms",
        )
    lines = [f"{cost.name}: {best}" for cost in costs for best in _best(cost.name, runs)]
    out.caption = "\n".join(
        [
            "costs of untrained models; flash: bytes of the model and its kernels; on a Nano",
            "the rest of the firmware takes about as much again (see kws build)",
            *(["test accuracy of trained models:", *lines] if lines else []),
        ]
    )
    return out


def to_json(costs: Sequence[Cost], runs: Sequence[Trained]) -> list[dict[str, Any]]:
    """The costs and all runs as values for JSON."""
    return [
        {
            **asdict(cost),
            "trained": [
                {"words": list(run.words), "accuracy": run.accuracy, "path": str(run.path)}
                for run in runs
                if run.arch == cost.name
            ],
        }
        for cost in costs
    ]


def macs(model: bytes) -> int:
    """Multiplications of one run of a .tflite file in convolutions and dense layers."""
    with quiet():
        from tensorflow.lite.python import (  # noqa: PLC0415 - slow
            schema_py_generated as schema,
        )
    parsed = schema.ModelT.InitFromPackedBuf(model, 0)
    graph = parsed.subgraphs[0]
    operators = schema.BuiltinOperator
    total = 0
    for op in graph.operators:
        code = parsed.operatorCodes[op.opcodeIndex].builtinCode
        if code not in {
            operators.CONV_2D,
            operators.DEPTHWISE_CONV_2D,
            operators.FULLY_CONNECTED,
        }:
            continue
        weights = graph.tensors[op.inputs[1]].shape
        outputs = int(np.prod(graph.tensors[op.outputs[0]].shape))
        if code == operators.CONV_2D:
            total += outputs * int(np.prod(weights[1:]))
        elif code == operators.DEPTHWISE_CONV_2D:
            total += outputs * int(np.prod(weights[1:3]))
        else:
            total += outputs * int(weights[-1])
    return total


def _measure(name: str, classes: int, board: str | None) -> Cost:
    from kws.host.measure.benchmark import bench_board  # noqa: PLC0415 - slow

    model = build_model(name, classes, 0)
    clips = _clips()
    _settle(model, clips)
    data = quantize(model, clips)
    interpreter = _core.Interpreter(data)
    figures = bench_board(board, data) if board else None
    return Cost(
        name,
        int(model.count_params()),
        input_frames(interpreter.inputs[0].shape),
        macs(data),
        len(data),
        interpreter.arena_used_bytes,
        len(data) + flash_of(interpreter.kernels).together,
        figures.inference if figures else None,
        figures.inference_cycles if figures else None,
    )


def _clips() -> Any:
    """Noise with the levels of spectrograms."""
    frontend = FrontendSettings()
    values = np.random.default_rng(0).normal(-40, 40, (8, frontend.frames, frontend.channels))
    return np.clip(values, -128, 127).astype(np.int8)


def _settle(model: Any, clips: Any) -> None:
    """Fit the normalizations to the clips; otherwise untrained scores nearly vanish."""
    for layer in model.layers:
        if hasattr(layer, "momentum"):
            layer.momentum = 0.0
    model(to_float(clips), training=True)


def _stride(cost: Cost) -> int:
    """Hops from one inference to the next."""
    return cost.frames if cost.frames < FrontendSettings().frames else find_model(cost.name).stride


def _best(name: str, runs: Sequence[Trained]) -> list[str]:
    best: dict[tuple[str, ...], float] = {}
    for run in runs:
        if run.arch == name:
            best[run.words] = max(best.get(run.words, 0.0), run.accuracy)
    return [f"{accuracy:.1%} ({', '.join(words)})" for words, accuracy in best.items()]


def _key(name: str, classes: int, board: str | None) -> str:
    """A cache key that changes with everything that the costs depend on."""
    from kws.host.build.boards import firmware_folder  # noqa: PLC0415 - only to read files

    digest = hashlib.sha256(f"{__version__} {name} {classes} {board}".encode())
    sources = [Path(conversion.__file__), Path(conversion.__file__).with_name("slim.py")]
    sources += sorted(Path(zoo.__file__).parent.glob("*.py"))
    sources += sorted((firmware_folder() / "src").rglob("*.*"))
    if user_model.is_own(name):
        sources.append(Path(name))
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()[:24]
