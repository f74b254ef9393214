# SPDX-License-Identifier: Apache-2.0
"""Audio inputs: microphones, and the inputs of a sound server."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from kws.audio.capture.portaudio import portaudio, reason_of
from kws.errors import AudioError

NODES = Path("/dev/snd")
"""Folder of the sound cards' device files on Linux."""


@dataclass(frozen=True)
class Input:
    """A microphone, or an input of a sound server."""

    index: int
    name: str
    rate: int
    """Native sampling rate, in Hz."""
    channels: int
    default: bool


def list_inputs() -> list[Input]:
    """Every input that PortAudio knows.

    Raises:
        ToolError: PortAudio is missing.
        AudioError: the sound system does not answer.
    """
    sound = portaudio()
    try:
        default = sound.default.device[0]
        if default < 0:
            default = next((api["default_input_device"] for api in sound.query_hostapis()), -1)
        return [
            Input(
                device["index"],
                device["name"],
                round(device["default_samplerate"]),
                device["max_input_channels"],
                device["index"] == default,
            )
            for device in sound.query_devices()
            if device["max_input_channels"] > 0
        ]
    except sound.PortAudioError as error:
        raise AudioError(f"the sound system does not answer ({reason_of(error)})") from None


def find_input(wanted: str | None, inputs: Sequence[Input]) -> Input:
    """Find an input by number, name or part of a name; None for the default.

    Raises:
        AudioError: no input matches, or more than one.
    """
    if not inputs:
        raise AudioError(why_none())
    if wanted is None:
        return next((one for one in inputs if one.default), inputs[0])
    fitting = [one for one in inputs if wanted in (str(one.index), one.name)]
    fitting = fitting or [one for one in inputs if wanted.lower() in one.name.lower()]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(f"{one.index} {one.name}" for one in fitting)
        raise AudioError(f"microphone {wanted!r} could be any of {names}; choose one by its number")
    raise AudioError(
        f"no microphone {wanted!r}; plug it in, or choose from kws listen --list-devices"
    )


def inputs_text(inputs: Sequence[Input]) -> str:
    """One line per input.

    Raises:
        AudioError: there is no input.
    """
    if not inputs:
        raise AudioError(why_none())
    width = max(len(one.name) for one in inputs)
    return "\n".join(
        f"{one.index:3}  {one.name:<{width}}  {one.rate} Hz{'  (default)' if one.default else ''}"
        for one in inputs
    )


def inputs_json(inputs: Sequence[Input]) -> str:
    """The inputs as a JSON list, which may be empty."""
    return json.dumps([asdict(one) for one in inputs])


def why_none(nodes: Path = NODES) -> str:
    """Why PortAudio finds no input, and what to do."""
    captures = sorted(nodes.glob("pcm*c")) if nodes.is_dir() else []
    if captures and not any(os.access(node, os.R_OK | os.W_OK) for node in captures):
        return (
            f"no permission for the microphone ({captures[0]}); add yourself to the group audio: "
            "sudo usermod -aG audio $USER, then log in again"
        )
    return "no microphone found; plug one in"
