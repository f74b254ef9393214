# SPDX-License-Identifier: Apache-2.0
"""All commands: their group in the help, an example, and the message after Ctrl-C."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kws.cli import (
    board_commands,
    bundle_commands,
    conversion_commands,
    data_commands,
    evaluation_commands,
    live_commands,
    port_commands,
    studio_command,
    training_commands,
)
from kws.errors import StoppedError

_UNCHANGED = "nothing was written; run the same command again"


@dataclass(frozen=True)
class Command:
    """One command."""

    function: Callable[..., None]

    example: str
    """A command line, without `kws` and the command's name."""

    kept: str = _UNCHANGED
    """The files kept after Ctrl-C and how to continue; {out} stands for the option's value."""

    words: str = ""
    """The command's words; empty if they match the function's name."""

    @property
    def name(self) -> str:
        """The command's words."""
        return self.words or self.function.__name__.removesuffix("_command")

    @property
    def epilog(self) -> str:
        """The last lines of its help."""
        return f"Example: kws {self.name} {self.example}".rstrip()


GROUPS: dict[str, tuple[Command, ...]] = {
    "Start": (
        Command(
            studio_command.studio,
            "marvin",
            "running commands continue; the same command opens the page again",
        ),
    ),
    "Data": (
        Command(data_commands.phrase_command, "'hey marvin'"),
        Command(
            data_commands.synth,
            "--words yes,no --out data/spoken",
            "{out} keeps the finished clips; the same command resumes",
        ),
        Command(
            data_commands.record,
            "--words yes,no --out data/ours",
            "{out} keeps the good clips; the same command adds more",
        ),
        Command(
            data_commands.download,
            "speech_commands --out data/speech_commands",
            "{out}.tar.gz.part keeps the received bytes; the same command resumes",
        ),
        Command(data_commands.stats, "--data data/speech_commands"),
    ),
    "Train": (
        Command(
            training_commands.train,
            "--data data/speech_commands --words yes,no --out runs/yes_no",
            "{out} keeps the complete epochs; the same command resumes",
        ),
        Command(
            training_commands.wake,
            "'hey marvin' --out runs/marvin",
            "{out} keeps the complete steps; the same command resumes",
        ),
        Command(
            training_commands.sweep,
            "--data data/speech_commands --words yes,no --out runs/sweep --set mixup=0,0.2",
            "{out} keeps the complete runs; the same command resumes",
        ),
        Command(
            board_commands.models,
            "tiny_conv ds_cnn_s",
            "measured figures are kept; the same command resumes",
        ),
    ),
    "Judge": (
        Command(
            evaluation_commands.evaluate,
            "--data data/speech_commands --model runs/yes_no/bundle --stream --out report",
        ),
        Command(
            evaluation_commands.calibrate,
            "--data data/speech_commands --model runs/yes_no/bundle --negatives data/talk",
            "the bundle is unchanged; run the same command again",
        ),
        Command(
            evaluation_commands.enroll,
            "runs/marvin/bundle data/ours --negatives data/talk",
            "the bundle is unchanged; run the same command again",
        ),
        Command(evaluation_commands.mine_command, "talk.wav"),
    ),
    "Run": (
        Command(live_commands.run, "yes.wav"),
        Command(live_commands.listen, "--model ten_words"),
    ),
    "Boards": (
        Command(
            board_commands.boards,
            "--model tiny",
            "built and measured parts are kept; the same command resumes",
        ),
        Command(board_commands.build, "--board nano33ble --model tiny"),
        Command(board_commands.test, "--board qemu"),
        Command(port_commands.deploy, "--board nano33ble --model tiny"),
        Command(port_commands.selftest, ""),
        Command(port_commands.monitor, ""),
    ),
    "Tools": (
        Command(conversion_commands.convert, "model.tflite --labels yes,no --out runs/model"),
        Command(conversion_commands.set_command, "yes_no --threshold 180 --out runs/sensitive"),
        Command(board_commands.bench, "--board qemu --model tiny"),
        Command(bundle_commands.features, "yes.wav --out yes.npy --png yes.png"),
        Command(bundle_commands.infer, "yes_no --input yes.npy --out scores.npy"),
        Command(bundle_commands.licences, "--model ten_words"),
        Command(board_commands.doctor, ""),
    ),
}
"""Grouped by `kws --help` heading, in the same order."""


EXPORTS = {
    "web": Command(bundle_commands.export_web, "--out page --serve", words="export web"),
    "arduino": Command(bundle_commands.export_arduino, "--out kws_yes_no", words="export arduino"),
    "cmake": Command(bundle_commands.export_cmake, "--out kws_yes_no", words="export cmake"),
    "esp-idf": Command(bundle_commands.export_esp_idf, "--out kws_yes_no", words="export esp-idf"),
    "esphome": Command(bundle_commands.export_esphome, "--out esphome", words="export esphome"),
    "platformio": Command(
        bundle_commands.export_platformio, "--out lib/kws_yes_no", words="export platformio"
    ),
    "tflm": Command(bundle_commands.export_tflm, "--out kws_tflm", words="export tflm"),
    "zephyr": Command(bundle_commands.export_zephyr, "--out kws_yes_no", words="export zephyr"),
}
"""By the word after `kws export`."""

GET_VOICE = Command(
    data_commands.get_voice,
    "en_US-libritts_r-medium",
    "the received bytes are kept; the same command resumes",
    words="voices get",
)


def stoppable(command: Command) -> Callable[..., None]:
    """The command's function; Ctrl-C becomes a line about the kept files."""

    @functools.wraps(command.function)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command.function(*arguments, **options)
        except KeyboardInterrupt:
            kept = command.kept.format_map(options)
            if command.kept.startswith("{out}") and not Path(kept.partition(" keeps ")[0]).exists():
                kept = _UNCHANGED
            raise StoppedError(f"stopped; {kept}") from None

    return run
