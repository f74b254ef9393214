# SPDX-License-Identifier: Apache-2.0
"""Writes the core's constant tables: `make tables`, after a change of frontend/params.h."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cc")
CORE = SOURCE.parents[1] / "kws" / "firmware" / "src"
TABLES = {
    "frontend": CORE / "kws" / "frontend" / "table_values.inc",
    "sigmoid": CORE / "kws" / "runtime" / "kernels" / "shared" / "sigmoid_values.inc",
    "softmax16": CORE / "kws" / "runtime" / "kernels" / "shared" / "softmax16_values.inc",
}
"""The file of each table that core_tables.cc prints."""


def tables() -> dict[Path, str]:
    """The text of each file.

    Raises:
        subprocess.CalledProcessError: the program does not compile, or the frontend's parameters do
            not suit its filter bank; stderr has the reason.
    """
    with tempfile.TemporaryDirectory(prefix="kws-tables-") as place:
        program = Path(place) / "core_tables"
        _run("g++", "-std=c++17", "-O1", f"-I{CORE}", str(SOURCE), "-o", str(program))
        return {file: _run(str(program), name) for name, file in TABLES.items()}


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    for file, text in tables().items():
        file.write_text(text, encoding="utf-8")
