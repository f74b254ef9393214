# SPDX-License-Identifier: Apache-2.0
"""Sound that only ffmpeg decodes, through a pipe."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from pathlib import Path
from typing import IO, cast

import numpy as np
import numpy.typing as npt

from kws.errors import AudioError

_HEADER_BYTES = 24  # of an .au file: mark, offset of the sound, its length, coding, rate, channels


class FfmpegStream:
    """One recording, decoded by ffmpeg."""

    subtype = "FFMPEG"
    exact = False
    is_whole = False  # unknown before the end
    frames: int | None = None  # unknown before the end

    def __init__(self, path: Path, program: str) -> None:
        """Start ffmpeg.

        Raises:
            AudioError: ffmpeg finds no sound in the file.
        """
        self._path = path
        # Files only: a playlist may contain URLs.
        command = [program, "-v", "error", "-nostdin", "-protocol_whitelist", "file,pipe"]
        command += ["-i", f"file:{path}", "-map", "0:a:0", "-c:a", "pcm_f32be", "-f", "au", "-"]
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - open while ffmpeg runs
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._stderr
        )
        self._sound = cast("IO[bytes]", self._process.stdout)
        header = self._sound.read(_HEADER_BYTES)
        if len(header) < _HEADER_BYTES or header[:4] != b".snd":
            reason = self._reason()
            self.close()
            raise AudioError(
                f"{path}: ffmpeg finds no sound in it ({reason}); convert it to WAV or remove it"
            )
        offset, _, _, self.rate, self.channels = struct.unpack(">5I", header[4:])
        self._sound.read(offset - _HEADER_BYTES)

    def read(self, frames: int) -> npt.NDArray[np.float32]:
        """The next samples, float32[n, channels] from -1 to 1; none at the end."""
        data = self._sound.read(frames * self.channels * 4)
        whole = len(data) // (self.channels * 4) * self.channels
        samples = np.frombuffer(data, ">f4", whole).astype(np.float32)
        return samples.reshape(-1, self.channels)

    def skip(self, frames: int) -> None:
        """Skip samples."""
        while frames and (count := len(self.read(min(frames, 1 << 16)))):
            frames -= count

    def damage(self) -> str | None:
        """Damage reported by ffmpeg after everything is read; None if there is none."""
        if self._process.wait() == 0 and "partial file" not in self._reason():
            return None
        return f"cut off or damaged (ffmpeg: {self._reason()})"

    def close(self) -> None:
        """Stop ffmpeg."""
        self._sound.close()
        self._process.kill()
        self._process.wait()
        self._stderr.close()

    def _reason(self) -> str:
        """The last line on stderr."""
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1].removeprefix(f"file:{self._path}: ") if lines else "no message"
