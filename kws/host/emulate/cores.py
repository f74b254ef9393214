# SPDX-License-Identifier: Apache-2.0
"""Runs the core on emulated processors without a board, to compare bits and count instructions.

QEMU emulates instructions, not time. The same sources are compiled with the same optimization as
firmware.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from kws.errors import BoardError, ToolError
from kws.host.build.boards import firmware_folder
from kws.host.build.firmware_cache import cached, sources_digest
from kws.host.build.platformio_run import ELF
from kws.host.build.programs import COMPILER, QEMU, find_tool
from kws.host.emulate.block_trace import TRACE_OPTIONS, Block, read_blocks
from kws.host.emulate.inference import Job, Outcome, image_of, read_outcomes
from kws.host.emulate.processes import Processes

_TIMEOUT_S = 600


@dataclass(frozen=True)
class Machine:
    """One of QEMU's machines, without an operating system."""

    name: str
    code: int
    """Address of the program."""
    ram: int
    """Address of its variables and stack, about 4 MB."""
    image: int
    """Address of its input, up to 16 MB."""
    output: tuple[str, ...]
    """Options that connect the program's output with QEMU's."""


@dataclass(frozen=True)
class Core:
    """A processor."""

    title: str
    compiler: str
    flags: tuple[str, ...]
    """For the compiler; `{src}` is the folder firmware/src."""
    files: tuple[str, ...]
    """Start-up code and output, in firmware/src/cores."""
    emulator: str
    machine: Machine | None
    """None for a Linux program in QEMU's user mode."""


_RISCV = "riscv64-unknown-elf-g++"
_XTENSA = "xtensa-lx106-elf-g++"
_LIBRARIES = {
    COMPILER: ("-lc_nano", "-lgcc"),
    _RISCV: ("-lc", "-lgcc"),
    _XTENSA: ("-lc", "-lgcc"),
}
_OWN_HEADERS = ("-nostdinc++", "-isystem{src}/cores/cxx")
"""For compilers without C++ headers."""

_SOFT = ("-mthumb", "-mfloat-abi=soft")
_HARD = ("-mthumb", "-mfloat-abi=hard")
_ARM_OUTPUT = (
    *("-serial", "none", "-chardev", "stdio,id=out"),
    *("-semihosting-config", "enable=on,target=native,chardev=out"),
)
_AN385 = Machine("mps2-an385", code=0, ram=0x20000000, image=0x21000000, output=_ARM_OUTPUT)
_AN500 = Machine("mps2-an500", code=0, ram=0x20000000, image=0x60000000, output=_ARM_OUTPUT)
_AN505 = Machine(
    "mps2-an505", code=0x10000000, ram=0x38000000, image=0x80000000, output=_ARM_OUTPUT
)
_AN547 = Machine(
    "mps3-an547", code=0x10000000, ram=0x31000000, image=0x70000000, output=_ARM_OUTPUT
)
_VIRT = Machine(
    "virt",
    code=0x80000000,
    ram=0x80400000,
    image=0x81000000,
    output=("-serial", "stdio", "-bios", "none", "-m", "64M"),
)
_SIM = Machine(
    "sim",
    code=0x50000000,
    ram=0x60000000,
    image=0x61000000,
    output=("-cpu", "lx106", "-serial", "none", "-semihosting", "-m", "64M"),
)

CORES = {
    # In QEMU only the micro:bit has a Cortex-M0, with 16 KB of RAM. Its instructions are a subset
    # of the Cortex-M3's, which is set to refuse unaligned addresses.
    "cortex-m0": Core(
        "Cortex-M0 (ARMv6-M, on a Cortex-M3)",
        COMPILER,
        ("-mcpu=cortex-m0", *_SOFT),
        ("cortex_m.cc",),
        QEMU,
        _AN385,
    ),
    "cortex-m3": Core(
        "Cortex-M3", COMPILER, ("-mcpu=cortex-m3", *_SOFT), ("cortex_m.cc",), QEMU, _AN385
    ),
    "cortex-m7": Core(
        "Cortex-M7",
        COMPILER,
        ("-mcpu=cortex-m7", *_HARD, "-mfpu=fpv5-d16"),
        ("cortex_m.cc",),
        QEMU,
        _AN500,
    ),
    "cortex-m33": Core(
        "Cortex-M33",
        COMPILER,
        ("-mcpu=cortex-m33", *_HARD, "-mfpu=fpv5-sp-d16"),
        ("cortex_m.cc",),
        QEMU,
        _AN505,
    ),
    "cortex-m55": Core(
        "Cortex-M55", COMPILER, ("-mcpu=cortex-m55", *_HARD), ("cortex_m.cc",), QEMU, _AN547
    ),
    "riscv32": Core(
        "RISC-V (RV32IMAC)",
        _RISCV,
        (
            *("-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany", "--specs=picolibc.specs"),
            *_OWN_HEADERS,
        ),
        ("riscv.cc",),
        "qemu-system-riscv32",
        _VIRT,
    ),
    # The core of the ESP8266, which is what QEMU and Debian's compiler have. The ESP32's cores
    # have more instructions, the ESP32-S3's also SIMD.
    "xtensa": Core(
        "Xtensa (lx106)",
        _XTENSA,
        ("-mtext-section-literals", *_OWN_HEADERS),
        ("xtensa.cc", "xtensa_arithmetic.cc"),
        "qemu-system-xtensa",
        _SIM,
    ),
    "aarch64": Core(
        "AArch64 Linux", "aarch64-linux-gnu-g++", (), ("linux.cc",), "qemu-aarch64", None
    ),
    "arm-linux": Core(
        "32-bit Arm Linux (Cortex-A53)",
        "arm-linux-gnueabihf-g++",
        ("-mcpu=cortex-a53", "-mfpu=neon-fp-armv8"),
        ("linux.cc",),
        "qemu-arm",
        None,
    ),
}
"""By name."""


class CoreEmulator(Processes):
    """Runs tools/infer.cc on an emulated processor.

    Raises:
        ToolError: compiler or emulator are missing, or the build failed.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._core = CORES[name]
        self._qemu = find_tool(self._core.emulator)
        self._elf = _build(name)

    def run(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Run jobs, each starting with cleared state. The inputs must be valid.

        Raises:
            BoardError: a model was rejected, or the emulator failed.
        """
        with tempfile.TemporaryDirectory(prefix="kws-core-") as folder:
            file = Path(folder) / "image.bin"
            file.write_bytes(image_of(jobs))
            environment = {**os.environ, "KWS_IMAGE": str(file)}
            ended = self._execute(self._command(file), _TIMEOUT_S, environment=environment)
        if ended is None:
            raise BoardError(f"{self._name}: the program did not end within {_TIMEOUT_S} s")
        if ended.status != 0:
            last = ended.output.decode("ascii", "replace").splitlines()[-1:] or [ended.reason]
            raise BoardError(f"{self._name}: {last[0].removeprefix('error: ')}")
        return read_outcomes(jobs, ended.output.decode("ascii"), self._name)

    def trace(self, job: Job) -> Iterator[Block]:
        """The executed blocks of code of a job; closing the iterator ends the run.

        Raises:
            BoardError: the emulator failed.
            ToolError: this QEMU cannot disassemble.
        """
        with tempfile.TemporaryDirectory(prefix="kws-core-") as folder:
            file = Path(folder) / "image.bin"
            file.write_bytes(image_of([job]))
            command = self._command(file, TRACE_OPTIONS)
            environment = {**os.environ, "KWS_IMAGE": str(file)}
            yield from read_blocks(self._errors(command, _TIMEOUT_S, environment))

    def _command(self, image: Path, options: Sequence[str] = ()) -> list[str]:
        machine = self._core.machine
        if machine is None:
            return [str(self._qemu), *options, str(self._elf)]
        escaped = str(image).replace(",", ",,")
        return [
            str(self._qemu),
            *options,
            *("-machine", machine.name),
            *("-display", "none"),
            *("-monitor", "none"),
            *machine.output,
            *("-kernel", str(self._elf)),
            *("-device", f"loader,file={escaped},addr={machine.image:#x},force-raw=on"),
        ]


def _build(name: str) -> Path:
    """The program for a processor, from the cache or built."""
    core = CORES[name]
    compiler = str(find_tool(core.compiler))
    source = firmware_folder() / "src"
    base = [
        compiler,
        *(flag.format(src=source) for flag in core.flags),
        "-std=c++17",
        f"-I{source}",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics",
        "-ffunction-sections",
        "-fdata-sections",
        "-fno-tree-loop-distribute-patterns",
    ]
    if core.machine is not None:
        base.append("-fno-use-cxa-atexit")
    link = ["-static"]
    if core.machine is not None:
        places = {"code": core.machine.code, "ram": core.machine.ram, "image": core.machine.image}
        link = [
            "-nostartfiles",
            "-nodefaultlibs",
            "-Wl,--gc-sections",
            f"-T{source / 'cores' / 'memory.ld'}",
            *(f"-Wl,--defsym=kws_{place}={address:#x}" for place, address in places.items()),
            "-Wl,--start-group",
            *_LIBRARIES[core.compiler],
            "-Wl,--end-group",
        ]

    def fill(work: Path, result: Path) -> None:
        def compiled(file: Path) -> str:
            target = work / f"{'_'.join(file.relative_to(source).parts)}.o"
            fast = "frontend" in file.parts or file.stem.endswith("_loops")
            _run([*base, "-O2" if fast else "-Os", "-c", str(file), "-o", str(target)])
            return str(target)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compiled, _sources(source, core)))
        _run([*base, *objects, *link, "-o", str(result / ELF)])

    digest = sources_digest(*base, *link, compiler=core.compiler)
    return cached(f"{name}-{digest.hexdigest()[:20]}", fill) / ELF


def _sources(source: Path, core: Core) -> list[Path]:
    """Features and inference: the core without pipeline and interfaces, and the tool."""
    core_files = [
        *(source / "kws" / "frontend").rglob("*.cc"),
        *(source / "kws" / "runtime").rglob("*.cc"),
        *(source / "kws").glob("status*.cc"),
        source / "kws" / "pipeline" / "feature_provider.cc",
        source / "serial" / "text.cc",
        source / "tools" / "infer.cc",
        *(source / "cores" / file for file in core.files),
    ]
    return sorted(core_files)


def _run(command: list[str]) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        lines = ended.stderr.strip().splitlines()
        error = next((line for line in lines if "error" in line), lines[-1] if lines else "?")
        raise ToolError(f"{Path(command[0]).name} failed: {error}")
