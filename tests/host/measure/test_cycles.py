# SPDX-License-Identifier: Apache-2.0
"""Estimated cycle counts equal those worked out by hand from the manual."""

from __future__ import annotations

import subprocess
from itertools import islice
from pathlib import Path

import pytest

from kws.errors import BoardError, ToolError
from kws.host.emulate.block_trace import Block, Instruction, read_blocks
from kws.host.emulate.qemu import Qemu
from kws.host.measure import cortex_m0plus
from kws.host.measure.cortex_m4 import sequence_cycles, timing
from kws.host.measure.cycle_count import Cycles, count_cycles

_NOP = timing(Instruction("nop", ""))


def cycles(code: str) -> int:
    """Cycle count of instructions separated by semicolons."""
    parts = [line.strip().partition(" ") for line in code.split(";")]
    return sequence_cycles(_NOP, [Instruction(name, rest.strip()) for name, _, rest in parts])


@pytest.mark.parametrize(
    ("code", "by_hand"),
    [
        ("add r0, r1, r2", 1),
        ("smlad r0, r1, r2, r0; mla r3, r1, r2, r3; smlal r4, r5, r1, r2", 3),
        ("ldr r0, [r1]", 2),
        ("ldr r0, [r1]; ldr r1, [r2]", 3),
        ("ldr.w r0, [r1, r5]; ldr r1, [r2]; ldrsh.w r2, [r3, #4]", 4),
        ("ldr r0, [r1], #4; add r2, r0, #1; ldr r3, [r4]", 5),
        ("ldr r0, [r1]; ldr r2, [r0]", 4),  # the second waits for its address
        ("ldr r0, [r1, r2]; str r0, [r3, #0x14]", 3),
        ("str r0, [r1, #4]; strb r2, [r1]", 2),
        ("add r0, r0, #4; ldr r1, [r0]", 4),  # a sum used as an address costs a cycle
        ("add r0, r0, #4; str r0, [r1]", 2),
        ("umull r4, r5, r1, r2; ldr r0, [r5]", 4),
        ("cmp r0, r1; ldr r2, [r0]", 3),
        ("ldrd r0, r1, [r2]; strd r0, r1, [r3]", 6),
        ("ldm r3!, {r0, r1, r2, r4}; push {r4, lr}", 5 + 3),
        ("ldr r7, [r0]; ldm r3, {r0, r1}; ldr r0, [r2]", 2 + 3 + 2),
        ("sdiv r0, r1, r2", 7),
        ("vldr s0, [r0]; vmul.f32 s1, s0, s0; vstr s1, [r0]", 2 + 1 + 2),
        ("vmul.f32 s1, s0, s0; vadd.f32 s2, s1, s0; vmov r0, s2", 1 + 2 + 1),
        ("vsqrt.f32 s0, s1; vfma.f32 s2, s3, s4; vdiv.f32 s5, s6, s7", 14 + 3 + 14),
        ("vpush {d8, d9}", 5),
        ("bne #0x10; cbz r0, #0x10; blt #0x10", 3),  # no branch is taken
        ("it ne; movne r0, r1; bic r0, r0, #1; bfi r0, r1, #0, #4", 4),
    ],
)
def test_instructions_have_the_cycles_of_the_manual(code: str, by_hand: int) -> None:
    assert cycles(code) == by_hand


_LOOPS = """
.syntax unified
.cpu cortex-m4
.thumb
.section .vectors, "a"
.word 0x20010000, start + 1
.text
.macro mark name
.type \\name, %function
\\name: bx lr
.size \\name, . - \\name
.endm
mark KwsMarkNothing
mark KwsMarkHop
mark KwsMarkInference
mark KwsMarkOp
mark KwsMarkEnd
mark KwsMarkDone
.type function, %function
function: adds r2, #1
  bx lr
.size function, . - function
.type start, %function
start:
  bl KwsMarkNothing
  bl KwsMarkEnd
  bl KwsMarkHop
  movs r0, #100
1: subs r0, #1
  bne 1b
  bl KwsMarkEnd
  ldr r1, =0x20000000
  bl KwsMarkInference
  movs r0, #10
2: ldr r2, [r1]
  ldr r3, [r1, #4]
  smlad r4, r2, r3, r4
  subs r0, #1
  bne 2b
  bl KwsMarkEnd
  bl KwsMarkOp
  bl KwsMarkEnd
  bl KwsMarkOp
  bl function
  bl KwsMarkEnd
  bl KwsMarkDone
  b .
.size start, . - start
"""


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory, board_tools: None) -> Path:
    folder = tmp_path_factory.mktemp("loops")
    (folder / "loops.s").write_text(_LOOPS)
    elf = folder / "loops.elf"
    subprocess.run(
        [
            *("arm-none-eabi-gcc", "-nostdlib", "-mthumb", "-mcpu=cortex-m4"),
            "-Wl,--section-start=.vectors=0,-Ttext=0x40,-e,start",
            *(str(folder / "loops.s"), "-o", str(elf)),
        ],
        check=True,
    )
    return elf


def test_executed_loops_have_the_cycles_of_the_manual(loops: Path) -> None:
    with Qemu() as emulator:
        counted = count_cycles(emulator.trace(loops, b"", timeout_s=60))
    assert counted == Cycles(
        # MOVS; per iteration SUBS and BNE, which needs three cycles except the last time.
        hops=(1 + 100 * (1 + 3) - 2,),
        # Two loads need three cycles.
        inference=1 + 10 * (3 + 1 + 1 + 3) - 2,
        ops=(3 + 1 + 3,),  # BL, ADDS, BX
    )


def test_a_benchmark_that_stops_early_is_an_error(loops: Path) -> None:
    with Qemu() as emulator, pytest.raises(BoardError, match="before its end"):
        count_cycles(islice(emulator.trace(loops, b"", timeout_s=60), 20))


def test_a_program_that_does_not_end_is_stopped(loops: Path) -> None:
    with Qemu() as emulator, pytest.raises(BoardError, match="did not end within 1 s"):
        for _ in emulator.trace(loops, b"", timeout_s=1):
            pass


def test_an_emulator_without_disassembler_is_named() -> None:
    lines = [b"IN: main", b"OBJD-T: 0348", b"Trace 0: 0x7f [00800408/00000170/00000110/0] main"]
    with pytest.raises(ToolError, match="cannot disassemble"):
        list(read_blocks(lines))


@pytest.mark.parametrize(
    ("code", "by_hand"),
    [
        ("muls r0, r1; adds r0, #1; add r8, r3; lsls r1, r2, #3", 4),
        ("ldr r0, [r1, #4]; ldrsh r2, [r1, r3]; strb r2, [r0]", 6),
        ("ldm r0!, {r4, r5, r6, r7}; push {r4, lr}", 5 + 3),
        ("bne #0x10; bl #0x10", 1 + 2),  # a taken branch has another cycle
        ("pop {r4, pc}", 3 + 2 - 1),
        ("mrs r0, primask; dsb sy", 6),
    ],
)
def test_m0plus_instructions_have_the_cycles_of_the_manual(code: str, by_hand: int) -> None:
    parts = [line.strip().partition(" ") for line in code.split(";")]
    found = sum(cortex_m0plus.cycles(Instruction(name, rest.strip())) for name, _, rest in parts)
    assert found == by_hand


def test_a_taken_branch_of_the_m0plus_costs_a_cycle_more() -> None:
    branch = Block("loop", 0x10, 0x14, (Instruction("subs", "r0, #1"), Instruction("bne", "#0x10")))
    after = Block("loop", 0x14, 0x16, (Instruction("nop", ""),))
    assert cortex_m0plus.block_cycles(branch, branch) == 3
    assert cortex_m0plus.block_cycles(branch, after) == 1
