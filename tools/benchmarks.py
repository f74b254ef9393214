# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md: costs of the core and of TFLM. `make bench` runs it.

Instructions, cycles and bytes come from the emulated board, so each run writes the same, except
for the comparison with LiteRT on this machine. `python -m tools.litert_speed` and `python -m
tools.mlperf_wake_word` write only their section of the page.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.emulate.cores import CORES
from kws.host.measure.benchmark import (
    BoardFigures,
    bench_board,
    bench_core,
    bench_flash,
    bench_host,
    host_text,
)
from kws.host.measure.footprint import Footprint
from tools import litert_speed, mlperf_wake_word, op_flash, shape_costs
from tools.markdown import BENCHMARKS, bullets, head, numbered, paragraph, row
from tools.mlperf_models import ds_cnn

ROOT = Path(__file__).resolve().parents[1]
MICRO_SPEECH = (
    ROOT.parent / "shared" / "data" / "tflm_micro_speech" / "micro_speech_quantized.tflite"
)

# TFLM at 90b983c2 with its own flags, arm-none-eabi-gcc 12.2, on the same emulated board:
# reference kernels (-O2; flash with -Os), then CMSIS-NN (-O2). TFLM's cycles are rounded; they use
# the same timings.
TFLM = {
    "TinyConv inference, cycles": ("not traced", "2,046,000"),
    "DS-CNN inference, cycles": ("not traced", "9,300,000"),
    "frontend, cycles per 20 ms hop": ("110,000 (C)", "same"),
    "TinyConv inference, instructions": ("9,312,960", "1,495,360"),
    "DS-CNN inference, instructions": ("43,112,080", "7,697,840"),
    "frontend, instructions per 20 ms hop": ("85,122 (C), 105,067 (model)", "same"),
    "arena TinyConv, bytes": ("6,788", "6,836"),
    "arena DS-CNN, bytes": ("22,772", "22,820"),
    "stack of an inference, bytes": ("616", "1,240"),
    "flash of a TinyConv program, bytes (1)": ("30,488", "57,980"),
    "flash with frontend, bytes (2)": ("50,392", "78,688"),
    "flash of the whole firmware, bytes (3)": ("none", "none"),
}


HEAD = (
    "# Benchmarks",
    "",
    *paragraph(
        "Executed instructions, cycles and bytes in QEMU (MPS2-AN386, Cortex-M4F). No board was "
        "measured. `make bench` writes this page; do not edit it."
    ),
    "",
)


def notes(tiny_conv: str, flash: Footprint) -> list[str]:
    """The explanation of the first table's figures.

    Args:
        tiny_conv: description of the TinyConv model.
        flash: footprint of the default firmware.
    """
    board, pipeline = flash.flash["board"], flash.flash["pipeline"]
    return [
        *bullets(
            f"TinyConv is {tiny_conv}. DS-CNN has the shape of MLPerf Tiny's keyword spotter, with "
            "random weights.",
            "TFLM is commit 90b983c2 with its own flags and the same compiler; flash of the "
            "reference kernels is measured with -Os.",
            "Cycles are estimates for a Cortex-M4: executed instructions, in order, with the "
            "timings of Arm's Technical Reference Manual (DDI 0439; "
            "`kws/host/measure/cortex_m4.py`). They exclude flash wait states, caches, prefetch "
            "and unaligned addresses, and include instructions skipped by a condition.",
            "Flash excludes the model. All kws figures are for one firmware, built with "
            "`kws build --board qemu`.",
        ),
        "",
        *numbered(
            "Interpreter, kernels of the model, and board (start-up, microphone, serial port, "
            f"LED: {board:,} bytes). No C library function is called.",
            "The same and the frontend; for TFLM, the C frontend.",
            f"The same and {pipeline:,} bytes for parts that TFLM's programs do not have: "
            "recognizer, responder, serial commands, stored settings, sample ring and main.",
        ),
        "",
        *bullets(
            "The most expensive loops are compiled with -O2 or written in assembly; all other code "
            "is compiled for size.",
            "Without its DSP kernels, AVERAGE_POOL_2D of this DS-CNN needs 50,254 instructions. "
            "Softmax has no DSP kernel: SMMULR in the exponentials reduces twelve outputs from "
            "2,299 to 2,068 instructions.",
        ),
    ]


def ops_table(title: str, figures: BoardFigures) -> list[str]:
    """A table of the costs of each op of a model."""
    share = 100 * figures.interpreter_cycles / figures.inference_cycles
    interpreter = f"{figures.interpreter_cycles:,} ({share:.2f} %)"
    return [
        f"## {title}",
        "",
        "| op | instructions | cycles |",
        "|---|---|---|",
        *(f"| {op.op} | {op.instructions:,} | {op.cycles:,} |" for op in figures.ops),
        f"| the interpreter itself | {figures.interpreter:,} | {interpreter} |",
        f"| **together** | **{figures.inference:,}** | **{figures.inference_cycles:,}** |",
        "",
    ]


def flash_of_programs(flash: Footprint) -> tuple[int, int, int]:
    """Flash without the model: of a TinyConv program, with the frontend, of the whole firmware.

    The first two exclude recognizer, responder, sample ring and main, which TFLM's programs do not
    have.
    """
    program = flash.flash_without("model")
    with_frontend = program - flash.flash["pipeline"]
    return with_frontend - flash.flash["frontend"], with_frontend, program


def compiled_table(bundle: Bundle, interpreted: Footprint) -> list[str]:
    """Flash and arena of a compiled model, compared with the interpreter."""
    flash = bench_flash("qemu", Device(bundle).as_compiled())
    names = ("flash of a TinyConv program", "flash with frontend", "flash of the whole firmware")
    sizes = zip(names, flash_of_programs(interpreted), flash_of_programs(flash), strict=True)
    link = "[how](compiled_and_incremental.md#compiled-models)"
    return [
        "## Compiled",
        "",
        f"The same with `--compiled` ({link}), for the built-in bundle `tiny`.",
        "",
        "| bytes | interpreted | compiled |",
        "|---|---|---|",
        *(f"| {name} ({i}) | {a:,} | {b:,} |" for i, (name, a, b) in enumerate(sizes, 1)),
        f"| flash of the model | {interpreted.flash['model']:,} | {flash.flash['model']:,} |",
        f"| arena | {bundle.arena_bytes:,} | {bundle.program.arena_bytes:,} |",
        "",
    ]


def cores_table(tiny: bytes, separable: bytes) -> list[str]:
    """Instructions on other processors, as far as their compilers and emulators are installed."""
    rows = []
    for name, core in CORES.items():
        if shutil.which(core.compiler) is None or shutil.which(core.emulator) is None:
            sys.stderr.write(f"{name} is left out: {core.compiler} or {core.emulator} is missing\n")
            continue
        small, large = bench_core(name, tiny), bench_core(name, separable)
        figures = (small.hop, small.inference, large.inference)
        rows.append(row(f"{core.title}: `{name}`", *(f"{figure:,}" for figure in figures)))
    return [
        "## Other processors",
        "",
        *paragraph(
            "Executed instructions in QEMU, which does not emulate time: `kws bench --board NAME`. "
            "Features and all ops are bit-identical to the host's on all of them (a test of `make "
            "test-all`). Cortex-M7, M33 and 32-bit Arm Linux run the Cortex-M4's loops; the "
            "Cortex-M55's convolutions and products use Helium, the Cortex-M0's loops are in "
            "assembly, AArch64's use its vector instructions. The others run the portable loops. "
            "Xtensa's lx106, the ESP8266's core, stands in for the ESP32's, which Debian's "
            "compiler and QEMU do not have: the ESP32 and ESP32-S3 have more instructions, the "
            "ESP32-S3 also SIMD, so their counts are different."
        ),
        "",
        *head("", "frontend per hop", "`tiny`", "DS-CNN"),
        *rows,
        "",
    ]


def main() -> None:
    """Measure and print; write docs/benchmarks.md and the flash of each op."""
    op_flash.TABLE.write_text(op_flash.measure(), encoding="utf-8")
    bundle = load_bundle(default_bundle_path().with_name("tiny"))
    tiny_model = bench_board("qemu", bundle.model)
    public = bench_board("qemu", MICRO_SPEECH.read_bytes()) if MICRO_SPEECH.is_file() else None
    separable_model = ds_cnn()
    separable = bench_board("qemu", separable_model)
    tiny = public or tiny_model
    flash = bench_flash("qemu", Device(bundle))
    alone, with_frontend, program = flash_of_programs(flash)
    measured = {
        "TinyConv inference, cycles": f"{tiny.inference_cycles:,}",
        "DS-CNN inference, cycles": f"{separable.inference_cycles:,}",
        "frontend, cycles per 20 ms hop": f"{tiny.hop_cycles:,} (worst {tiny.hop_cycles_max:,})",
        "TinyConv inference, instructions": f"{tiny.inference:,}",
        "DS-CNN inference, instructions": f"{separable.inference:,}",
        "frontend, instructions per 20 ms hop": f"{tiny.hop:,} (worst {tiny.hop_max:,})",
        "arena TinyConv, bytes": f"{tiny.arena:,}",
        "arena DS-CNN, bytes": f"{separable.arena:,}",
        "stack of an inference, bytes": f"{tiny.inference_stack:,}",
        "flash of a TinyConv program, bytes (1)": f"{alone:,}",
        "flash with frontend, bytes (2)": f"{with_frontend:,}",
        "flash of the whole firmware, bytes (3)": f"{program:,}",
    }
    name = "micro_speech_quantized.tflite" if public else "the default model"
    lines = [
        *HEAD,
        *head("", "kws", "TFLM", "TFLM + CMSIS-NN"),
        *(row(title, f"**{value}**", *TFLM[title]) for title, value in measured.items()),
        "",
        *notes(name, flash),
        "",
        *compiled_table(bundle, flash),
        *ops_table("The built-in bundle `tiny`", tiny_model),
        *(ops_table("micro_speech_quantized.tflite", public) if public else []),
        *ops_table("DS-CNN", separable),
        *mlperf_wake_word.section(),
        *cores_table(bundle.model, separable_model),
        *litert_speed.section(),
        *shape_costs.section(),
        "## Flash of the default firmware, by part",
        "",
        "| part | bytes |",
        "|---|---|",
        *(f"| {part} | {size:,} |" for part, size in flash.flash.items()),
        "",
    ]
    BENCHMARKS.write_text("\n".join(lines), encoding="utf-8")
    sys.stdout.write("\n".join(lines[len(HEAD) : len(HEAD) + 2 + len(measured)]) + "\n\n")
    sys.stdout.write(host_text(bench_host(bundle.model)) + f"\n{BENCHMARKS} written\n")


if __name__ == "__main__":
    main()
