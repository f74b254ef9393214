# SPDX-License-Identifier: Apache-2.0
"""What Windows and macOS lack has a fallback; Linux finds it by hiding it, and with mypy."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

HIDDEN = ("crypt", "curses", "fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios",
          "tty")  # fmt: skip
"""Modules of the standard library that Windows lacks."""

# Other packages may import them: they have their own versions for Windows.
IMPORT_ALL = f"""
import builtins, importlib, sys
real = builtins.__import__

def refuse(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {{}}).get("__name__", "")
    if importer.split(".")[0] == "kws" and level == 0 and name.split(".")[0] in {HIDDEN}:
        raise ModuleNotFoundError(f"No module named {{name!r}}, which {{importer}} imports")
    return real(name, globals, locals, fromlist, level)

builtins.__import__ = refuse
for name in sys.argv[1:]:
    importlib.import_module(name)
print(len(sys.argv) - 1)
"""

GUARDED = {
    "kws/file_locks.py": {"flock", "LOCK_SH", "LOCK_EX", "LOCK_NB"},
    "kws/host/doctor.py": {"getgrall", "getgroups", "geteuid"},
    "kws/host/emulate/processes.py": {"SIGKILL"},
    "kws/host/live/terminal.py": {"tcgetattr", "tcsetattr", "TCSADRAIN", "setcbreak"},
    "kws/host/studio/jobs.py": {"killpg", "SIGKILL"},
    "kws/host/serial/ports.py": {"error", "getgrgid"},
}
"""Functions and constants that Windows lacks, by file. Each is called only where it exists."""


def modules() -> list[str]:
    files = sorted(file.relative_to(ROOT) for file in (ROOT / "kws").rglob("*.py"))
    return [
        ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        for file in files
        if not {"assets", "platform"} & set(file.parts)
    ]


@pytest.mark.long
def test_every_module_can_be_imported_without_posix() -> None:
    names = modules()
    assert "kws.cli.main" in names
    command = [sys.executable, "-c", IMPORT_ALL, *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split()[-1:] == [str(len(names))], done.stderr


@pytest.mark.slow
def test_calls_that_windows_lacks_are_guarded(tmp_path: Path) -> None:
    """mypy knows what the standard library has on each system."""
    done = subprocess.run(
        [*(sys.executable, "-m", "mypy", "--platform", "win32", "--cache-dir", str(tmp_path)),
         *("--no-error-summary", "kws")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    found: dict[str, set[str]] = {}
    for line in done.stdout.splitlines():
        missing = re.match(r'(\S+):\d+: error: Module has no attribute "(\w+)"', line)
        assert missing, line
        found.setdefault(missing[1], set()).add(missing[2])
    assert found == GUARDED
