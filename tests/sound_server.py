# SPDX-License-Identifier: Apache-2.0
"""A sound server for tests; the microphone records the sound played to the sink."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from kws.audio.pcm import Pcm
from kws.audio.sound_files import write_clip

DEVICE = "kws_mic"
"""The microphone's name."""

_SINK = "kws"
_PROGRAMS = ("pulseaudio", "pactl", "paplay")


def missing_programs() -> list[str]:
    """Required programs that are not installed."""
    paths = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    return [name for name in _PROGRAMS if not any((p / name).is_file() for p in paths)]


class SoundServer:
    """PulseAudio on a socket in `folder`, with one sink; the sink's monitor is the microphone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "native"
        self._module = ""
        (folder / ".asoundrc").write_text(
            f'pcm.{DEVICE} {{ type pulse device "{_SINK}.monitor" '
            'hint { show on description "what tests play" } }\n'
        )
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables with which a program uses this server."""
        private = str(self._folder)
        return {
            **os.environ,
            "HOME": private,
            "XDG_RUNTIME_DIR": private,
            "PULSE_RUNTIME_PATH": private,
            "PULSE_SERVER": f"unix:{self._socket}",
        }

    def start(self) -> None:
        """Start the server, without a microphone."""
        with (self._folder / "server.log").open("ab") as output:
            self._server = subprocess.Popen(
                [
                    *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1"),
                    *("--use-pid-file=no", "--disable-shm=yes", "--log-level=error"),
                    *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={self._socket}"),
                ],
                env=self.environment,
                stdout=output,
                stderr=output,
            )
        end = time.monotonic() + 60
        while self._pactl("info").returncode:
            if time.monotonic() > end or self._server.poll() is not None:
                raise AssertionError((self._folder / "server.log").read_text())
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server and its microphone."""
        self._module = ""
        if self._server:
            self._server.terminate()
            self._server.wait(60)

    def plug(self) -> None:
        """Plug in the microphone, if it is not plugged in."""
        if not self._module:
            done = self._pactl(
                "load-module", "module-null-sink", f"sink_name={_SINK}", "rate=48000", "channels=1"
            )
            assert done.returncode == 0, done.stderr
            self._module = done.stdout.strip()

    def unplug(self) -> None:
        """Unplug the microphone, if it is plugged in."""
        if self._module:
            assert self._pactl("unload-module", self._module).returncode == 0
            self._module = ""

    def play(self, pcm: Pcm) -> None:
        """Play sound (int16[n], 16 kHz) to the microphone; return when it ends."""
        clip = self._folder / "played.wav"
        write_clip(clip, pcm)
        # The server buffers half a second, so that a delayed player causes no gap.
        command = ["paplay", "--device", _SINK, "--latency-msec", "500", str(clip)]
        subprocess.run(command, env=self.environment, check=True, timeout=120)

    def _pactl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["pactl", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
