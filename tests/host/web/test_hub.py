# SPDX-License-Identifier: Apache-2.0
"""Messages to pages: in order, and bounded for a page that does not read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from kws.host.web.hub import MAX_CLIENTS, Client, Hub
from kws.host.web.model_facts import KEPT_WORDS

Messages = list[bytes | str]


def run_apart(work: Coroutine[Any, Any, Messages]) -> Messages:
    """Run in another thread, because Playwright keeps an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def test_a_page_gets_waiting_messages_in_order() -> None:
    """The mark of a word belongs to the column at the report."""

    async def get() -> Messages:
        client = Client()
        for message in (b"a", b"b", "word", b"c", "state"):
            client.put(message)
        return await client.get()

    assert run_apart(get()) == [b"ab", "word", b"c", "state"]


def test_messages_for_a_page_that_does_not_read_are_bounded() -> None:
    async def get() -> Messages:
        client = Client()
        for second in range(1000):
            client.put(str(second))
            client.put(second.to_bytes(2, "big"))
        return await client.get()

    messages = run_apart(get())
    assert messages[-2:] == ["999", (999).to_bytes(2, "big")]
    assert 10 < len(b"".join(one for one in messages if isinstance(one, bytes))) <= 200
    assert 10 < len([one for one in messages if isinstance(one, str)]) <= 64


def test_the_scores_of_a_second_look_follow_the_columns_before_it() -> None:
    async def get() -> Messages:
        hub = Hub({})
        client = hub.join()
        assert client
        hub.columns(b"earlier")
        hub.look((0, 3, 250, 2))
        hub.columns(b"later")
        return await client.get()

    _hello, earlier, look, later = run_apart(get())
    assert (earlier, later) == (b"earlier", b"later")
    assert json.loads(look) == {"type": "look", "scores": [0, 3, 250, 2]}


def test_a_new_page_gets_the_state_and_earlier_reports() -> None:
    async def get() -> Messages:
        hub = Hub({"thresholds": [200]})
        hub.state(thresholds=[17], saved=[200])
        hub.line("Heard yes (201) @4056ms")
        for score in range(KEPT_WORDS + 1):
            hub.word({"label": "yes", "score": score}, bytes([score]))
        hub.say("notice", "for pages that are open")
        client = hub.join()
        assert client
        messages = await client.get()
        (hello,) = (json.loads(message) for message in messages)
        clips = [hub.clip(word.pop("clip")) for word in hello["words"]]
        assert clips == [bytes([score]) for score in range(1, KEPT_WORDS + 1)]
        assert hello == {
            "type": "hello",
            "thresholds": [17],
            "saved": [200],
            "lines": ["Heard yes (201) @4056ms"],
            "words": [
                {"type": "word", "label": "yes", "score": score}
                for score in range(1, KEPT_WORDS + 1)
            ],
        }
        return messages

    run_apart(get())


def test_near_misses_do_not_displace_words() -> None:
    async def get() -> Messages:
        hub = Hub({})
        hub.word({"label": "yes", "score": 200}, b"word")
        for score in range(KEPT_WORDS + 5):
            hub.near({"label": "yes", "score": score}, bytes([score]))
        client = hub.join()
        assert client
        (hello,) = (json.loads(message) for message in await client.get())
        clips = [hub.clip(event["clip"]) for event in hello["words"]]
        assert clips == [b"word", *(bytes([score]) for score in range(5, KEPT_WORDS + 5))]
        assert [event["type"] for event in hello["words"]] == ["word", *["near"] * KEPT_WORDS]
        return []

    run_apart(get())


def test_one_page_too_many_is_refused_until_another_leaves() -> None:
    async def join() -> Messages:
        hub = Hub({})
        clients = [hub.join() for _ in range(MAX_CLIENTS)]
        assert hub.join() is None
        assert clients[0]
        hub.leave(clients[0])
        assert hub.join() is not None
        assert hub.clients == MAX_CLIENTS
        return []

    run_apart(join())
