# SPDX-License-Identifier: Apache-2.0
"""A microphone that may be unplugged and plugged in again."""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

from kws.audio.capture.blocks import Block, Notice, empty_block
from kws.audio.capture.input_stream import TICK_SECONDS, InputStream
from kws.audio.capture.inputs import Input, find_input, list_inputs
from kws.audio.capture.portaudio import libraries_silent, portaudio, reason_of
from kws.errors import AudioError

_ANSWER_SECONDS = 10.0  # until the user is told that the sound server does not answer
_RETRY_SECONDS = 0.5
_CLOSE_SECONDS = 2.0
_LATENCY_SECONDS = 0.04  # of PortAudio's buffer
_BLOCKS_PER_SECOND = 50  # PortAudio's blocks
_MAX_CHANNELS = 8  # sound servers offer many unused ones

_T = TypeVar("_T")


class Microphone:
    """Audio from one input, which may be unplugged and plugged in again."""

    def __init__(self, wanted: str | None = None) -> None:
        """`wanted`: see `find_input`.

        Raises:
            ToolError: PortAudio is missing.
        """
        self._sound = portaudio()
        self._wanted = wanted
        self._stuck = False
        self._waits = True
        self.title = ""
        """The input's name and rate, once it is open."""

    def blocks(self) -> Generator[Block | Notice, None, None]:
        """Endless live sound: 16 kHz, at least one block per 0.1 s.

        If the input is busy, refused or unplugged, this yields one notice and retries until it
        works. It waits for an input missing at the start only if that input was named.

        Raises:
            AudioError: at the start, no input was named and there is none, or the sound system
                does not answer.
        """
        reported = ""
        self._waits = self._wanted is not None
        with libraries_silent(permanently=lambda: self._stuck):
            while True:
                try:
                    raw, stream = yield from self._patiently(self._open)
                    try:
                        reported, self._waits = "", True
                        yield Notice(f"listening to {self.title}", connected=True)
                        yield from stream.blocks()
                    finally:
                        self._close(raw)
                    yield Notice(
                        f"{self.title} is disconnected; plug it in again (kws waits for it)",
                        connected=False,
                    )
                except AudioError as error:
                    if not self._waits:
                        raise
                    if str(error) != reported:
                        reported = str(error)
                        yield Notice(f"{reported} (kws waits for it)", connected=False)
                # Wait in steps, so that the reader can do other things in the meantime.
                for _ in range(round(_RETRY_SECONDS / TICK_SECONDS)):
                    time.sleep(TICK_SECONDS)
                    yield empty_block()
                yield from self._patiently(self._restart_portaudio)

    def _patiently(self, work: Callable[[], _T]) -> Generator[Block | Notice, None, _T]:
        """Call PortAudio in a thread, and yield empty blocks until it returns.

        A sound server that loses its input at this moment may never answer; the reader can still
        stop.
        """
        results: queue.SimpleQueue[tuple[_T | None, Exception | None]] = queue.SimpleQueue()

        def run() -> None:
            try:
                results.put((work(), None))
            except Exception as error:  # noqa: BLE001 - raised below
                results.put((None, error))

        threading.Thread(target=run, daemon=True).start()
        end = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                result, error = results.get(timeout=TICK_SECONDS)
            except queue.Empty:
                try:
                    if time.monotonic() > end:
                        if not self._waits:
                            self._give_up()
                            raise AudioError(
                                "the sound system does not answer; restart it, or pass a "
                                "microphone with --device to wait for it"
                            )
                        end = math.inf
                        text = "the sound system does not answer; stop with Ctrl-C and try again"
                        yield Notice(text, connected=False)
                    yield empty_block()
                except GeneratorExit:
                    self._give_up()
                    raise
                continue
            if error is not None:
                raise error
            return cast(_T, result)

    def _restart_portaudio(self) -> None:
        """Restart PortAudio, because it looks for inputs only when it starts."""
        if self._stuck:
            return
        with contextlib.suppress(self._sound.PortAudioError):
            self._sound._terminate()
        with contextlib.suppress(self._sound.PortAudioError):
            self._sound._initialize()

    def _open(self) -> tuple[Any, InputStream]:
        device = find_input(self._wanted, list_inputs())
        stream = InputStream(device.rate)
        try:
            raw = self._start(device, stream)
        except self._sound.PortAudioError as error:
            raise AudioError(f"microphone {device.name}: {reason_of(error)}") from None
        self.title = f"{device.name} at {device.rate} Hz"
        return raw, stream

    def _start(self, device: Input, stream: InputStream) -> Any:
        """Open one channel if the input supports it, otherwise all channels, which are averaged."""
        first_error: Exception | None = None
        for channels in sorted({1, 2, min(device.channels, _MAX_CHANNELS)}):
            try:
                raw = self._sound.InputStream(
                    device=device.index,
                    samplerate=device.rate,
                    channels=channels,
                    dtype="float32",
                    blocksize=device.rate // _BLOCKS_PER_SECOND,
                    latency=_LATENCY_SECONDS,
                    callback=stream.take,
                    finished_callback=stream.finish,
                )
                raw.start()
            except self._sound.PortAudioError as error:
                first_error = first_error or error
                continue
            return raw
        raise first_error or AudioError(f"microphone {device.name}: it has no channels")

    def _close(self, raw: Any) -> None:
        """Close a stream. If the sound server stops at this moment, closing may never return."""

        def close() -> None:
            raw.abort(ignore_errors=True)
            raw.close(ignore_errors=True)

        closing = threading.Thread(target=close, daemon=True)
        closing.start()
        closing.join(_CLOSE_SECONDS)
        if closing.is_alive():
            self._give_up()

    def _give_up(self) -> None:
        """Never call PortAudio again, because it hangs in a thread."""
        if not self._stuck:
            self._stuck = True
            atexit.register(_exit_now)


def _exit_now() -> None:
    """Exit with code 1 without waiting: libraries would wait forever for the hanging thread."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(1)
