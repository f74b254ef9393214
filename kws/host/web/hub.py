"""What the pages are told: one place that the listening thread writes and all clients read.

A client that is slow, or gone without a word, costs a bounded amount of memory: what it cannot take
is dropped, oldest first.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import OrderedDict, deque
from typing import Any

MOST_CLIENTS = 16

_KEPT_COLUMNS = 100  # two seconds wait for a slow client
_KEPT_TEXTS = 64
_KEPT_CLIPS = 20


class Client:
    """One page. Used by the server's thread only."""

    def __init__(self) -> None:
        self._waiting: deque[bytes | str] = deque()
        self._something = asyncio.Event()

    def put(self, message: bytes | str) -> None:
        """A column, or a text, to be sent when the client can take it."""
        self._waiting.append(message)
        alike = [one for one in self._waiting if isinstance(one, type(message))]
        if len(alike) > (_KEPT_COLUMNS if isinstance(message, bytes) else _KEPT_TEXTS):
            self._waiting.remove(alike[0])
        self._something.set()

    async def get(self) -> list[bytes | str]:
        """Everything that waits, as it came; columns that follow each other are joined."""
        await self._something.wait()
        self._something.clear()
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

    def __init__(self, about: dict[str, Any]) -> None:
        """`about`: what is said once, when a page is opened."""
        self._state = about
        self._heard: deque[dict[str, Any]] = deque(maxlen=_KEPT_CLIPS)
        self._clips: OrderedDict[str, bytes] = OrderedDict()
        self._clients: set[Client] = set()

    def join(self) -> Client | None:
        """A new page's client, with what it has to know first; None where there are too many."""
        if len(self._clients) >= MOST_CLIENTS:
            return None
        client = Client()
        client.put(json.dumps({"type": "hello", **self._state, "heard": list(self._heard)}))
        self._clients.add(client)
        return client

    def leave(self, client: Client) -> None:
        """A page was closed."""
        self._clients.discard(client)

    def columns(self, columns: bytes) -> None:
        """Hops, as the page reads them."""
        for client in self._clients:
            client.put(columns)

    def state(self, **changes: Any) -> None:
        """Something that new pages have to know as well."""
        self._state |= changes
        self._tell({"type": "state", **changes})

    def say(self, kind: str, text: str) -> None:
        """A line for the pages that are open."""
        self._tell({"type": kind, "text": text})

    def heard(self, event: dict[str, Any], clip: bytes) -> None:
        """A word, and the WAV file of what triggered it."""
        name = secrets.token_urlsafe(9)  # no other page can guess it
        self._clips[name] = clip
        if len(self._clips) > _KEPT_CLIPS:
            self._clips.popitem(last=False)
        event = {**event, "clip": name}
        self._heard.append(event)
        self._tell({"type": "heard", **event})

    def clip(self, name: str) -> bytes | None:
        """The WAV file of one of the last words."""
        return self._clips.get(name)

    def _tell(self, message: dict[str, Any]) -> None:
        text = json.dumps(message)
        for client in self._clients:
            client.put(text)
