"""Writes kws/host/measure/op_flash.json: parts of the kernels' flash, each with its kernels.

Run `python -m tools.op_flash` after changing kernels or compiler flags; `make bench` runs it
too. Needs the boards' compiler.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from kws import _core
from kws.host.build.platformio_run import run_platformio
from kws.host.build.programs import COMPILER, find_tool
from kws.host.measure import flash_table

TABLE = Path(flash_table.__file__).with_name(flash_table.TABLE)

_SECTION = re.compile(
    r"^ (\.(?:text|rodata|data)\S*)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S*/runtime/kernels/\S+\.o)$",
    re.MULTILINE,
)


def measure() -> str:
    """The text of the table."""
    users: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "result").mkdir()
        run_platformio("qemu_infer", None, work, work / "result")
        core = work / "build" / "qemu_infer" / "src" / "kws" / "runtime"
        objects = sorted(str(file) for file in core.rglob("*.o"))
        for kernel, name in sorted(_core.KERNELS.items(), key=lambda item: item[1]):
            for section in _linked(f"_ZN3kws7kernels{len(name) + 1}k{name}E", objects):
                users[section].append(kernel)
    # Sections with the same users are one part.
    parts: dict[tuple[str, ...], int] = defaultdict(int)
    for (_, _, size), names in users.items():
        parts[tuple(sorted(names))] += size
    version = subprocess.run(
        [find_tool(COMPILER), "-dumpfullversion"], capture_output=True, text=True, check=True
    ).stdout.strip()
    table = {
        "compiler": f"{COMPILER} {version}",
        "parts": [
            {"bytes": parts[names], "kernels": list(names)}
            for names in sorted(parts, key=lambda names: (len(names), names))
        ],
    }
    lines = ",\n".join("  " + json.dumps(part) for part in table.pop("parts"))
    return f'{{"compiler": {json.dumps(table["compiler"])}, "parts": [\n{lines}\n]}}\n'


def _linked(entry: str, objects: list[str]) -> set[tuple[str, str, int]]:
    """Object, name and size of the sections that the linker keeps for a kernel's registration."""
    linker = find_tool(COMPILER).with_name("arm-none-eabi-ld")
    command = [str(linker), "--gc-sections", "-e", entry, "--unresolved-symbols=ignore-all"]
    command += ["-o", "/dev/null", "--print-map", *objects]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    placed = done.stdout.partition("Linker script and memory map")[2]
    placed = re.sub(r"^( \S+)\n +0x", r"\1 0x", placed, flags=re.MULTILINE)
    return {(file, name, int(size, 16)) for name, size, file in _SECTION.findall(placed)}


if __name__ == "__main__":
    TABLE.write_text(measure(), encoding="utf-8")
