# SPDX-License-Identifier: Apache-2.0
"""Estimates the duty cycle of MLPerf Tiny's streaming wake word, for docs/benchmarks.md.

The benchmark computes a frame of features each 32 ms, then runs the model on the last 30 frames.
Its duty cycle is the share of the time that this takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from kws.convert.incremental.model import make_incremental
from kws.host.measure.benchmark import bench_board, bench_core
from tools.markdown import bullets, head, paragraph, replace_section, row
from tools.mlperf_models import wake_word

_FRAME_S = 0.032
_M4_HZ, _M33_HZ = 120e6, 96e6

# mlcommons/tiny at 1afd2c98, th_compute_lfbe_f32 with CMSIS-DSP at ec1bb752, arm-none-eabi-gcc 12.2
# -O3: mean over 24 frames of the benchmark's recording, with the timings of kws bench.
_FEATURES = 285_619

# mlcommons/tiny_results_v1.3 at cd605ea0, performance mode: an STM32L4R5 (120 MHz) and an STM32U385
# (96 MHz).
_ST_M4, _ST_M33 = 0.55914, 0.60364


@dataclass(frozen=True)
class _Cost:
    m4_instructions: int
    m33_instructions: int
    cycles: int


def section() -> list[str]:
    """The lines of the page's section, measured."""
    model = wake_word()
    whole, step = _cost(model), _cost(make_incremental(model, 1).model)
    return [
        "## MLPerf Tiny's streaming wake word",
        "",
        *paragraph(
            "The benchmark computes a frame of features each 32 ms, then runs the model on the "
            "last 30 frames. Its result is the duty cycle: the share of the time that this takes. "
            "The model here has the benchmark's shape and random weights; the benchmark's file "
            "needs 1,512,219 cycles."
        ),
        "",
        *head("per frame", "instructions, M4 / M33", "cycles", "M4, 120 MHz", "M33, 96 MHz"),
        _row("model", whole),
        _row("[incremental](compiled_and_incremental.md#incremental-models) model", step),
        _cycles_row("the benchmark's features, its own C code", _FEATURES),
        _cycles_row("features and model", _FEATURES + whole.cycles),
        _cycles_row("features and incremental model", _FEATURES + step.cycles),
        row("ST, measured on boards", "", "", _percent(_ST_M4), _percent(_ST_M33)),
        "",
        *bullets(
            "ST is STMicroelectronics' result in MLPerf Tiny v1.3 (closed division), with "
            "X-CUBE-AI 10.2 on an STM32L4R5 and an STM32U385. kws was not run on these boards: its "
            "figures exclude flash wait states, the microphone's interrupts and copies of samples.",
            "The Cortex-M33 has no timings here: the Cortex-M4's cycles are used, since both "
            "execute nearly the same instructions.",
            "The rules allow an incremental model: activations may be kept between the frames of a "
            "recording. Whether ST keeps them is not known.",
            "kws's frontend cannot compute the benchmark's features. They are the logarithm of 40 "
            "mel bands from 0 to 8,000 Hz of 64 ms with pre-emphasis, each 32 ms, in floating "
            "point; kws's use 125 to 7,500 Hz and 30 ms, each 20 ms, subtract noise and have "
            "adaptive gain. So the cost of the reference implementation's C code (with CMSIS-DSP, "
            "-O3) is added, estimated in the same way.",
            "The benchmark's own model has the same scores in kws and TFLM, for random inputs and "
            "for the calibration samples (`tests/runtime/test_mlperf_tiny.py`). Its 20 minutes of "
            "sound were not played.",
        ),
        "",
    ]


def _cost(model: bytes) -> _Cost:
    m4 = bench_board("qemu", model)
    m33 = bench_core("cortex-m33", model)
    return _Cost(m4.inference, m33.inference, m4.inference_cycles)


def _row(name: str, cost: _Cost) -> str:
    counts = f"{cost.m4_instructions:,} / {cost.m33_instructions:,}"
    return _cycles_row(name, cost.cycles, counts)


def _cycles_row(name: str, cycles: int, counts: str = "") -> str:
    shares = (cycles / (_FRAME_S * clock) for clock in (_M4_HZ, _M33_HZ))
    return row(name, counts, f"{cycles:,}", *map(_percent, shares))


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


if __name__ == "__main__":
    replace_section(section())
