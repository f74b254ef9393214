# SPDX-License-Identifier: Apache-2.0
"""Runs text-to-speech programs and reads their WAV output."""

from __future__ import annotations

import struct
import subprocess

import numpy as np

from kws.audio.tts.engines.speech import Sound, resample
from kws.errors import ToolError

_TIMEOUT_S = 300.0
"""For a list of 1,700 words on a busy machine; usually it takes less than a second."""


def output(command: list[str], text: str = "") -> str:
    """Run a program on `text`; returns its output as text.

    Raises:
        ToolError: it failed.
    """
    return run(command, text).decode("utf-8", "replace")


def run(command: list[str], text: str = "") -> bytes:
    """Run a program on `text`; returns its output.

    Raises:
        ToolError: it failed.
    """
    try:
        done = subprocess.run(
            command, input=text.encode(), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ToolError(
            f"{command[0]} did not end within {_TIMEOUT_S:g} s; if the machine is busy, run the "
            "same command again later"
        ) from None
    except OSError as error:
        raise ToolError(f"{command[0]} cannot be run: {error}; reinstall it") from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise ToolError(
            f"{command[0]} failed: {lines[-1]}; try its command line: {' '.join(command)}"
        )
    return done.stdout


def samples(wav: bytes, speed: float) -> Sound:
    """The samples of a 16-bit mono WAV, played `speed` times as fast, at 16 kHz.

    Ignores the length fields, which are wrong in a piped file.
    """
    start = wav.find(b"data")
    if start < 0:
        return np.zeros(0, np.float32)
    (rate,) = struct.unpack_from("<I", wav, 24)
    body = wav[start + 8 :]
    pcm = np.frombuffer(body[: len(body) // 2 * 2], "<i2").astype(np.float32) / np.float32(32768)
    return resample(pcm, rate * speed)
