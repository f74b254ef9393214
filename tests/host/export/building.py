# SPDX-License-Identifier: Apache-2.0
"""Builds and runs exports."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.emulate import host_device

STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def run(*command: str | Path, sound: bytes = b"", env: dict[str, str] | None = None) -> str:
    """Standard output of a program that has to succeed; `sound` is its standard input."""
    done = subprocess.run(command, input=sound, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


def detections(bundle: Bundle, sound: Pcm) -> list[tuple[str, int, int]]:
    """Word, score and time in ms of each detection of `kws run`."""
    hits = host_device.play(Device(bundle), sound).heard
    return [(hit.label, hit.score, hit.time_ms) for hit in hits]


def lines(words: list[tuple[str, int, int]]) -> str:
    """What the examples print."""
    return "".join(f"{word} {score} @{time}\n" for word, score, time in words)


def slow_files(build: Path) -> list[str]:
    """Loops and files of the frontend that were compiled without -O2."""
    commands = json.loads((build / "compile_commands.json").read_text())
    critical = [
        command
        for command in commands
        if "/kws/frontend/" in command["file"] or command["file"].endswith("_loops.cc")
    ]
    assert len(critical) > 10
    options = {
        command["file"]: [word for word in command["command"].split() if word.startswith("-O")]
        for command in critical
    }
    return [file for file, levels in options.items() if levels[-1:] != ["-O2"]]
