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
from tests.paths import ROOT

CLIPS = ROOT / "kws" / "assets" / "matrix"
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


def run_binary(
    *command: str | Path, given: bytes = b"", env: dict[str, str] | None = None
) -> bytes:
    """Standard output of a program that has to succeed; `given` is its standard input."""
    done = subprocess.run(command, input=given, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return done.stdout


def run(*command: str | Path, sound: bytes = b"", env: dict[str, str] | None = None) -> str:
    """The same as text; `sound` is its standard input."""
    return run_binary(*command, given=sound, env=env).decode()


def refusal(program: Path, sound: bytes) -> str:
    """Standard error of a program whose stubs have to reject its arguments."""
    done = subprocess.run([program], input=sound, capture_output=True, check=False)
    assert done.returncode == 4
    return done.stderr.decode()


def detections(bundle: Bundle, sound: Pcm) -> list[tuple[str, int, int]]:
    """Word, score and time in ms of each detection of `kws run`."""
    hits = host_device.play(Device(bundle), sound).heard
    return [(hit.label, hit.score, hit.time_ms) for hit in hits]


def lines(words: list[tuple[str, int, int]]) -> str:
    """The examples' output."""
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
