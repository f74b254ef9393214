# SPDX-License-Identifier: Apache-2.0
"""The process of a job: it runs a `kws` command and writes down its exit code.

    python -m kws.host.studio.job_process FOLDER DESCRIPTOR

It runs in the project's folder, in its own session. DESCRIPTOR is the open, locked folder; the
command inherits it too, so the folder is locked until both have ended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from kws.files import atomic_write

JOB, STOP, END = "job.json", "stop", "end.json"
"""Files in a job's folder: the command, the wish to stop it, and its exit code."""

_KWS = "import sys; sys.argv[0] = 'kws'; from kws.cli.main import main; main()"


def main(folder: Path, lock: int) -> None:
    """Run the command of a job.

    Args:
        folder: the job's folder.
        lock: descriptor of the locked folder.
    """
    task = json.loads((folder / JOB).read_text(encoding="utf-8"))["task"]
    stopped = threading.Event()
    # The command is in the same group, so it gets the signal, too. A handler, unlike SIG_IGN, is
    # not inherited.
    signal.signal(signal.SIGINT, lambda *_: stopped.set())
    if (folder / STOP).exists():  # an interrupt during an import of this process may be lost
        stopped.set()
    command = [sys.executable, "-P", "-c", _KWS, *task["arguments"]]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "100"}
    part = Path(f"{task['output']}.part")
    with ExitStack() as stack:
        out = stack.enter_context(part.open("wb")) if task["output"] else None
        process = subprocess.Popen(command, stdout=out, env=environment, pass_fds=(lock,))
        if stopped.is_set():  # before the command existed
            process.send_signal(signal.SIGINT)
        code = process.wait()
    if task["output"] and code == 0:
        part.replace(task["output"])
    elif task["output"]:
        part.unlink(missing_ok=True)
    end = {"code": code, "ended": time.time()}
    atomic_write(folder / END, json.dumps(end).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
