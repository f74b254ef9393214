# SPDX-License-Identifier: Apache-2.0
"""The shared state of all pages of `kws listen --web`; the listening thread updates it.

A page receives text messages (JSON objects with a `type`) and binary ones. `hello` comes first and
has the whole state; `state` has the fields that changed; `word`, `near` (a near miss), `line`,
`notice`, `problem` and `look` (the second model's score of each label) are events. Binary messages
are columns of the spectrogram, one per hop: the peak (255: clipped), the mean score of each label,
the frame. A page sends `threshold` (with `label` and `value`) and `save`.

The memory per client is bounded: if a client is slow, or disconnected silently, its oldest unread
messages are dropped.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from typing import Any

from kws.host.web.model_facts import KEPT_WORDS

MAX_CLIENTS = 16

_MAX_COLUMNS = 100  # messages for a slow client; each has at least one hop, so at least 2 s
_MAX_TEXTS = 64
_KEPT_LINES = 100


class Client:
    """One page. Used only by the server's thread."""

    def __init__(self) -> None:
        self._waiting: deque[bytes | str] = deque()
        self._has_messages = asyncio.Event()

    def put(self, message: bytes | str) -> None:
        """Queue columns or a text for sending."""
        self._waiting.append(message)
        alike = [other for other in self._waiting if isinstance(other, type(message))]
        if len(alike) > (_MAX_COLUMNS if isinstance(message, bytes) else _MAX_TEXTS):
            self._waiting.remove(alike[0])
        self._has_messages.set()

    async def get(self) -> list[bytes | str]:
        """Wait for messages; returns all in order, with adjacent columns joined."""
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
    """The open pages, and the state that a new page receives.

    Used only by the server's thread; the listening thread calls it through the event loop.
    """

    def __init__(self, state: dict[str, Any]) -> None:
        """`state`: the fields of `hello` other than `words` (also near misses) and `lines`."""
        self._state = state
        self._words: list[dict[str, Any]] = []  # messages `word` and `near`
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._clips: dict[str, bytes] = {}
        self._clients: set[Client] = set()

    @property
    def clients(self) -> int:
        """Number of open pages."""
        return len(self._clients)

    def join(self) -> Client | None:
        """A client for a new page, with `hello` queued; None if too many pages are open."""
        if len(self._clients) >= MAX_CLIENTS:
            return None
        client = Client()
        history = {"words": self._words, "lines": list(self._lines)}
        client.put(json.dumps({"type": "hello", **self._state, **history}))
        self._clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        """Remove the client of a closed page."""
        self._clients.discard(client)

    def columns(self, columns: bytes) -> None:
        """Send columns, one per hop."""
        for client in self._clients:
            client.put(columns)

    def state(self, **changes: Any) -> None:
        """Change the state of all pages, including new ones."""
        self._state |= changes
        self._send({"type": "state", **changes})

    def say(self, kind: str, text: str) -> None:
        """Send a `notice` or a `problem` to the open pages."""
        self._send({"type": kind, "text": text})

    def line(self, text: str) -> None:
        """Send a line of the device's serial port."""
        self._lines.append(text)
        self._send({"type": "line", "text": text})

    def look(self, scores: tuple[int, ...]) -> None:
        """Send the scores of a second look."""
        self._send({"type": "look", "scores": scores})

    def word(self, event: dict[str, Any], clip: bytes) -> None:
        """Send a detected word and keep its sound, a WAV file."""
        self._keep("word", event, clip)

    def near(self, event: dict[str, Any], clip: bytes) -> None:
        """Send a near miss and keep its sound, a WAV file."""
        self._keep("near", event, clip)

    def clip(self, name: str) -> bytes | None:
        """The WAV file of a recent word or near miss; None if there is none with this name."""
        return self._clips.get(name)

    def _keep(self, kind: str, event: dict[str, Any], clip: bytes) -> None:
        name = secrets.token_urlsafe(9)  # no other page can guess it
        self._clips[name] = clip
        message = {"type": kind, **event, "clip": name}
        self._words.append(message)
        alike = [word for word in self._words if word["type"] == kind]
        if len(alike) > KEPT_WORDS:  # near misses do not displace words
            self._words.remove(alike[0])
            del self._clips[alike[0]["clip"]]
        self._send(message)

    def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        for client in self._clients:
            client.put(text)
