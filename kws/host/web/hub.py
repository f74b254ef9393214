# SPDX-License-Identifier: Apache-2.0
"""What all pages of `kws listen --web` show: the listening thread writes it, clients read it.

A page gets texts (JSON objects with a `type`) and bytes. `hello` comes first and has the whole
state; `state` has what changed of it; `word`, `line`, `notice` and `problem` are events. Bytes are
columns of the spectrogram, one for each hop: its peak (255: clipped), the mean score of each label,
the frame. A page sends `threshold` (with `label` and `value`) and `save`.

A client that is slow, or disconnected silently, costs a bounded amount of memory: messages that it
does not read are dropped, oldest first.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import OrderedDict, deque
from typing import Any

from kws.host.web.model_facts import KEPT_WORDS

MAX_CLIENTS = 16

_MAX_COLUMNS = 100  # messages for a slow client; each holds a hop or more, so 2 s at least
_MAX_TEXTS = 64
_KEPT_LINES = 100


class Client:
    """One page. Used by the server's thread only."""

    def __init__(self) -> None:
        self._waiting: deque[bytes | str] = deque()
        self._has_messages = asyncio.Event()

    def put(self, message: bytes | str) -> None:
        """Columns, or a text, to be sent when the client can take it."""
        self._waiting.append(message)
        alike = [other for other in self._waiting if isinstance(other, type(message))]
        if len(alike) > (_MAX_COLUMNS if isinstance(message, bytes) else _MAX_TEXTS):
            self._waiting.remove(alike[0])
        self._has_messages.set()

    async def get(self) -> list[bytes | str]:
        """Wait for messages; returns all, in their order. Neighbouring columns are joined."""
        await self._has_messages.wait()
        self._has_messages.clear()
        messages: list[bytes | str] = []
        for message in self._waiting:
            if isinstance(message, bytes) and messages and isinstance(messages[-1], bytes):
                messages[-1] += message
            else:
                messages.append(message)
        self._waiting.clear()
        return messages


class Hub:
    """The state that a new page starts with, and the pages that are open.

    Used by the server's thread only; the listening thread comes in through the event loop.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        """`state`: the fields of `hello` other than words and lines."""
        self._state = state
        self._words: deque[dict[str, Any]] = deque(maxlen=KEPT_WORDS)
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._clips: OrderedDict[str, bytes] = OrderedDict()
        self._clients: set[Client] = set()

    @property
    def clients(self) -> int:
        """How many pages are open."""
        return len(self._clients)

    def join(self) -> Client | None:
        """A new page's client, with `hello` to be sent first; None if there are too many."""
        if len(self._clients) >= MAX_CLIENTS:
            return None
        client = Client()
        history = {"words": list(self._words), "lines": list(self._lines)}
        client.put(json.dumps({"type": "hello", **self._state, **history}))
        self._clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        """A page was closed."""
        self._clients.discard(client)

    def columns(self, columns: bytes) -> None:
        """Send hops."""
        for client in self._clients:
            client.put(columns)

    def state(self, **changes: Any) -> None:
        """Change the state of all pages, new ones included."""
        self._state |= changes
        self._send({"type": "state", **changes})

    def say(self, kind: str, text: str) -> None:
        """Send a `notice` or a `problem` to the pages that are open."""
        self._send({"type": kind, "text": text})

    def line(self, text: str) -> None:
        """A line of the device's serial port."""
        self._lines.append(text)
        self._send({"type": "line", "text": text})

    def word(self, event: dict[str, Any], clip: bytes) -> None:
        """A word, and the WAV file of the sound that triggered it."""
        name = secrets.token_urlsafe(9)  # no other page can guess it
        self._clips[name] = clip
        if len(self._clips) > KEPT_WORDS:
            self._clips.popitem(last=False)
        event = {**event, "clip": name}
        self._words.append(event)
        self._send({"type": "word", **event})

    def clip(self, name: str) -> bytes | None:
        """The WAV file of one of the last words."""
        return self._clips.get(name)

    def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        for client in self._clients:
            client.put(text)
