# SPDX-License-Identifier: Apache-2.0
"""Reads keys, typed lines or piped input without waiting for them."""

from __future__ import annotations

import os
import queue
import select
import threading

CAN_SELECT = os.name != "nt"
"""Whether select() takes files; on Windows it takes only sockets."""

_MOST = 4096


class TypedInput:
    """Input from a descriptor such as stdin's. On Windows, a thread waits for it."""

    def __init__(self, number: int | None) -> None:
        """`number`: the descriptor, or None for no input."""
        self._number = number
        self._arrived: queue.SimpleQueue[bytes] | None = None
        if number is not None and not CAN_SELECT:
            self._arrived = queue.SimpleQueue()
            threading.Thread(target=_follow, args=(number, self._arrived), daemon=True).start()

    def read(self) -> bytes:
        """Some of the input since the last call; empty if there is none, or after its end."""
        if self._number is None or not self._is_ready(self._number):
            return b""
        arrived = self._arrived
        data = os.read(self._number, _MOST) if arrived is None else arrived.get()
        if not data:
            self._number = None
        return data

    def _is_ready(self, number: int) -> bool:
        if self._arrived is not None:
            return not self._arrived.empty()
        return bool(select.select([number], [], [], 0)[0])


def _follow(number: int, arrived: queue.SimpleQueue[bytes]) -> None:
    data = b"?"
    while data:
        try:
            data = os.read(number, _MOST)
        except OSError:  # closed
            data = b""
        arrived.put(data)
