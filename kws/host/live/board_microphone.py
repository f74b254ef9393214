# SPDX-License-Identifier: Apache-2.0
"""A board's microphone as the sound source of `kws listen` and `kws record`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Generator

from kws.audio.capture.blocks import Block, Notice, empty_block
from kws.errors import BoardError
from kws.host.deploy.board_finder import BoardFinder
from kws.host.serial.lines import Boot, Fault
from kws.host.serial.ports import Link, Port, PortError, PortLostError
from kws.host.serial.sample_stream import SampleStream, follow_samples

_RETRY_SECONDS = 0.1
_END_SECONDS = 0.5


class BoardMicrophone:
    """Streams a board's microphone; reconnects if the board disconnects."""

    def __init__(self, finder: BoardFinder, sha8: str | None = None) -> None:
        """Open the board's port.

        Args:
            finder: finds the board.
            sha8: first 8 digits of the SHA-256 of the model on this machine; a board with another
                model causes a notice. None: there is no model on this machine.

        Raises:
            BoardError: there is no board, or its port cannot be opened.
        """
        self._finder = finder
        self._sha8 = sha8
        self._port, self._link = finder.first()

    def blocks(self) -> Generator[Block | Notice, None, None]:
        """Endless live sound: 16 kHz, at least one block every 0.1 s."""
        while True:
            try:
                with self._link as link:
                    yield from self._hear(link)
            except PortLostError:
                text = f"{self._port.device}: the board disconnected; waiting for it to reconnect"
            except BoardError as error:
                text = f"{error} (kws waits for it)"
            yield Notice(text, connected=False)
            yield from self._again(text)

    def _hear(self, link: Link) -> Generator[Block | Notice, None, None]:
        stream = SampleStream(link, self._finder.baud)
        name, connected = link.device, False
        lost = 0
        try:
            for arrival in follow_samples(stream, link, None):
                if isinstance(arrival.line, Boot):
                    name = f"{arrival.line.board} at {link.device}"
                    if self._sha8 not in (None, arrival.line.sha8):
                        yield Notice(
                            f"{name}: it runs another model, {arrival.line.model}; the display "
                            "shows this machine's model",
                            connected=connected,
                        )
                if isinstance(arrival.line, Fault):
                    yield Notice(f"{name}: {arrival.line.text}", connected=connected)
                if stream.missing > lost:
                    text = f"{name}: {stream.missing - lost} samples were lost in transfer"
                    lost = stream.missing
                    yield Notice(text, connected=connected)
                if not connected and len(arrival.pcm):
                    connected = True
                    yield Notice(f"listening to the microphone of {name}", connected=True)
                yield Block(arrival.pcm, time.monotonic() if len(arrival.pcm) else 0.0)
        except GeneratorExit:
            _end(stream, link)
            raise

    def _again(self, reported: str) -> Generator[Block | Notice, None, None]:
        """Wait until the board is back and its port can be opened."""
        last: Port = self._port
        while True:
            # Empty blocks let the caller do other work.
            yield empty_block()
            time.sleep(_RETRY_SECONDS)
            try:
                if back := self._finder.again(last):
                    self._port, self._link = back
                    return
            except PortError as error:
                if str(error) != reported:
                    reported = str(error)
                    yield Notice(reported, connected=False)


def _end(stream: SampleStream, link: Link) -> None:
    """Stop the board's samples, so that its port returns to the usual rate."""
    with contextlib.suppress(BoardError):
        stream.ask(0)
        end = time.monotonic() + _END_SECONDS
        while time.monotonic() < end and b" lost" not in link.read(_RETRY_SECONDS):
            pass
