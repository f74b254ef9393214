# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of kws and LiteRT with XNNPACK on this machine, for docs/benchmarks.md.

Both use one thread and alternate, and processor time is counted, so other programs hardly matter.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kws import _core
from kws.bundle.built_in import default_bundle_path
from kws.bundle.reading import load_bundle
from kws.convert.backend import import_tensorflow
from tools.markdown import head, paragraph, replace_section, row
from tools.mlperf_models import ds_cnn

_BUILT_IN = ("yes_no", "tiny", "ten_words")
_ROUNDS = 20
_ROUND_S = 0.05
_BATCH = 16  # inferences between two looks at the clock


def section() -> list[str]:
    """The lines of the page's section, measured."""
    models = {
        f"`{name}`": load_bundle(default_bundle_path().with_name(name)).model for name in _BUILT_IN
    }
    models["DS-CNN"] = ds_cnn()
    return [
        "## Speed on a PC",
        "",
        *paragraph(
            "Inferences per second of kws, divided by those of LiteRT with XNNPACK (TensorFlow "
            f"{import_tensorflow().__version__}). Both use one thread and are called from Python, "
            f"kws once for {_BATCH} windows and LiteRT once for each, which matters for `tiny`; "
            f"they alternate in one run, of which the best of {_ROUNDS} rounds counts. Processor: "
            f"{_processor()}. These figures vary from run to run. kws is bit-identical to TFLM; "
            "XNNPACK rounds differently."
        ),
        "",
        *head("model", "kws / LiteRT"),
        *(row(name, f"{_ratio(model):.2f}") for name, model in models.items()),
        "",
    ]


def _ratio(model: bytes) -> float:
    """Inferences per second of kws, divided by LiteRT's."""
    tf = import_tensorflow()
    core = _core.Interpreter(model)
    shape = core.inputs[0].shape
    values = np.random.default_rng(0).integers(-128, 128, (_BATCH, *shape)).astype(np.int8)
    litert = tf.lite.Interpreter(model_content=model, num_threads=1)
    litert.allocate_tensors()
    place = litert.get_input_details()[0]["index"]

    def run_litert() -> None:
        for value in values:
            litert.set_tensor(place, value)
            litert.invoke()

    def run_core() -> None:
        core.invoke_batch(values, threads=1)

    runners = (run_core, run_litert)
    best = [0.0, 0.0]
    for _ in range(_ROUNDS):
        best = [max(b, _speed(run)) for b, run in zip(best, runners, strict=True)]
    return best[0] / best[1]


def _speed(run: Callable[[], None]) -> float:
    """Batches per second of processor time."""
    run()  # warms the caches
    count, start = 0, time.process_time()
    while (spent := time.process_time() - start) < _ROUND_S:
        run()
        count += 1
    return count / spent


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "PC"


if __name__ == "__main__":
    replace_section(section())
